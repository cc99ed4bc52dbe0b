import type { ApprovalClaims } from './approval-token.ts';

/** The checks in their order; the first that fails decides. What a caller wrote is compared only after the signature. */
export const APPROVAL_CHECKS = [
  'form',
  'type',
  'algorithm',
  'claims',
  'issuer',
  'window',
  'audience',
  'key',
  'purpose',
  'revoked',
  'cryptography',
  'caller',
  'tool',
  'plan',
  'payload',
] as const;
export type ApprovalCheckName = (typeof APPROVAL_CHECKS)[number];

/** What can be wrong with an approval, by the check that finds it. */
export type ApprovalFault =
  | 'malformed'
  | 'type_invalid'
  | 'alg_not_allowed'
  | 'claims_incomplete'
  | 'issuer_untrusted'
  | 'expired'
  | 'not_yet_valid'
  | 'lifetime_invalid'
  | 'audience_mismatch'
  | 'key_unknown'
  | 'keys_unavailable'
  | 'key_purpose_invalid'
  | 'key_revoked'
  | 'signature_invalid'
  | 'caller_mismatch'
  | 'tool_mismatch'
  | 'plan_mismatch'
  | 'payload_mismatch';

/** A stable code, for example `approval_expired`. */
export type ApprovalCode = `approval_${ApprovalFault}`;

export type ApprovalVerdict =
  | { readonly valid: true; readonly claims: ApprovalClaims }
  | {
      readonly valid: false;
      readonly code: ApprovalCode;
      readonly check: ApprovalCheckName;
      /** One sentence, lower case, without a full stop; repeats nothing of the token. */
      readonly detail: string;
    };

export function refuse(check: ApprovalCheckName, fault: ApprovalFault, detail: string): ApprovalVerdict {
  return { valid: false, code: `approval_${fault}`, check, detail };
}
