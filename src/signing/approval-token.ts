import { isObject } from '../base/json.ts';

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

type ApprovalCheckName = (typeof APPROVAL_CHECKS)[number];

/** What can be wrong with an approval, by the check that finds it. */
type ApprovalFault =
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
type ApprovalCode = `approval_${ApprovalFault}`;

export type ApprovalVerdict =
  | { readonly valid: true; readonly claims: ApprovalClaims }
  | {
      readonly valid: false;
      readonly code: ApprovalCode;
      readonly check: ApprovalCheckName;
      /** One sentence, lower case, without a full stop; repeats nothing of the token. */
      readonly detail: string;
    };

/* The claims of a governance approval; its form is that of all our tokens (token-parts.ts). */

/** What `typ` says, so that no other token of the same key can stand in for an approval. */
export const APPROVAL_TYPE = 'governance-approval+jws';

/** `intent`: an opinion, for nobody in particular. `execution`: for one agent, which may act on it once. */
const APPROVAL_PHASES = ['intent', 'execution'] as const;

type ApprovalPhase = (typeof APPROVAL_PHASES)[number];

/** The claims as they stand in the token; times are epoch seconds. */
export interface ApprovalClaims {
  /** URL of the governance agent. */
  readonly iss: string;
  /** The plan. */
  readonly sub: string;
  /** URL of the agent whose task it is; always there with the phase `execution`. */
  readonly aud?: string;
  readonly iat: number;
  readonly nbf: number;
  readonly exp: number;
  readonly jti: string;
  readonly phase: ApprovalPhase;
  /** URL of the agent that may call the task. */
  readonly caller: string;
  readonly tool: string;
  /** SHA-256, base64url, of the canonical payload: `payloadHash`. */
  readonly plan_hash: string;
  readonly check_id?: string;
  readonly conditions?: readonly string[];
  readonly budget?: { readonly amount: number; readonly currency: string };
  readonly audit?: { readonly sequence: number; readonly hash: string };
}

/** The claims when all are there and of their type; otherwise the name of the first that is not. */
export function readClaims(claims: Readonly<Record<string, unknown>>): ApprovalClaims | string {
  const wrong = Object.keys(CLAIMS).find((name) => {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
    return !CLAIMS[name]?.(value);
  });
  return wrong ?? (claims as unknown as ApprovalClaims);
}

type Rule = (value: unknown) => boolean;

const text: Rule = (value) => typeof value === 'string' && value !== '';
const seconds: Rule = (value) => Number.isSafeInteger(value) && (value as number) >= 0;

const optional =
  (rule: Rule): Rule =>
  (value) =>
    value === undefined || rule(value);

/** In the order in which they are looked at. */
const CLAIMS: Readonly<Record<string, Rule>> = {
  iss: text,
  sub: text,
  aud: optional(text),
  iat: seconds,
  nbf: seconds,
  exp: seconds,
  jti: (value) => text(value) && (value as string).length <= 255,
  phase: (value) => APPROVAL_PHASES.some((phase) => phase === value),
  caller: text,
  tool: text,
  plan_hash: (value) => typeof value === 'string' && /^[A-Za-z0-9_-]{43}$/.test(value),
  check_id: optional(text),
  conditions: optional((value) => Array.isArray(value) && value.every(text)),
  budget: optional(
    (value) =>
      isObject(value) && Number.isFinite(value.amount) && Number(value.amount) >= 0 && text(value.currency),
  ),
  audit: optional((value) => isObject(value) && seconds(value.sequence) && text(value.hash)),
};

export function refuseApproval(
  check: ApprovalCheckName,
  fault: ApprovalFault,
  detail: string,
): ApprovalVerdict {
  return { valid: false, code: `approval_${fault}`, check, detail };
}
