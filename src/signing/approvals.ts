import { compactVerify } from 'jose';
import { parseAgentUrl } from '../domain/agent-url.ts';
import { RegistryError } from '../errors.ts';
import {
  APPROVAL_TYPE,
  type ApprovalClaims,
  type ApprovalVerdict,
  readClaims,
  refuseApproval,
} from './approval-token.ts';
import type { KeySource } from './key-source.ts';
import { payloadHash } from './payload-hash.ts';
import type { SigningKey } from './private-key.ts';
import { ALGORITHMS, CLOCK_SKEW, PURPOSES, type SignatureAlgorithm } from './profile.ts';
import { readPublicKey } from './public-key.ts';
import { isRevoked, NOTHING_REVOKED, type Revocations } from './revocations.ts';
import { base64url, MAX_TOKEN, readParts, signedText } from './token-parts.ts';

/** Seconds from `iat` to `exp` at most: so long a verifier has to remember a `jti`. */
const MAX_APPROVAL_LIFETIME = 86_400;

/** What an approval may be signed with, by its name in the header; the key has to agree. */
const JWS_ALGORITHMS = { EdDSA: 'ed25519', ES256: 'ecdsa-p256-sha256' } as const satisfies Record<
  string,
  SignatureAlgorithm
>;

export interface ApprovalExpectation {
  /** URLs of the agent that was given the approval, each way to speak to it; it has to be for one of them. */
  readonly audiences: readonly string[];
  /** Whoever brought it. */
  readonly caller: string;
  readonly tool: string;
  /** The request as it came. */
  readonly payload: object;
  readonly planId?: string;
  /** It is shown and not used: whom it is for, and for which task and payload, is not compared. */
  readonly shown?: true;
  /** Epoch seconds. */
  readonly now: number;
}

/** The governance agents that are believed, and their keys. */
export interface ApprovalIssuers {
  /** Undefined for an agent that is not believed; the URL in a token alone never leads anywhere. */
  keysOf(issuer: string): KeySource | undefined;
  readonly revoked?: Revocations;
}

/**
 * Signs an approval (JWS compact, RFC 7515): `typ` of its own, `alg` by the key.
 *
 * @throws RegistryError `input_invalid` for a key of another purpose, and for claims that do not fit in a token
 */
export async function signApproval(key: SigningKey, claims: ApprovalClaims): Promise<string> {
  if (key.purpose !== PURPOSES.governance)
    throw unsigned(`the key ${key.keyid} is not for ${PURPOSES.governance}`, 'use a key with this purpose');
  const header = { alg: ALGORITHMS[key.alg].jws[0], typ: APPROVAL_TYPE, kid: key.keyid };
  const signed = signedText(header, claims);
  const signature = await key.sign(new TextEncoder().encode(signed));
  const token = `${signed}.${base64url(signature)}`;
  if (token.length > MAX_TOKEN)
    throw unsigned(`it would be longer than ${MAX_TOKEN} characters`, 'shorten the conditions');
  return token;
}

/**
 * Judges an approval, check by check in the order of `APPROVAL_CHECKS`; the later ones are not begun. Whether its
 * `jti` was used before is for whoever keeps those. Never rejects for what the token or its issuer does wrong.
 */
export async function readApproval(
  token: string,
  expected: ApprovalExpectation,
  issuers: ApprovalIssuers,
): Promise<ApprovalVerdict> {
  const parts = readParts(token);
  if (typeof parts === 'string') return refuseApproval('form', 'malformed', parts);
  const { typ, alg, kid } = parts.header;
  if (typ !== APPROVAL_TYPE) return refuseApproval('type', 'type_invalid', `its typ is not ${APPROVAL_TYPE}`);
  if (typeof alg !== 'string' || !Object.hasOwn(JWS_ALGORITHMS, alg))
    return refuseApproval('algorithm', 'alg_not_allowed', 'its alg is neither EdDSA nor ES256');
  const claims = readClaims(parts.claims);
  if (typeof claims === 'string')
    return refuseApproval(
      'claims',
      'claims_incomplete',
      `the claim ${claims} is missing or has the wrong type`,
    );
  const keys = issuers.keysOf(claims.iss);
  if (keys === undefined)
    return refuseApproval('issuer', 'issuer_untrusted', 'its issuer is not a trusted governance agent');
  const algorithm = JWS_ALGORITHMS[alg as keyof typeof JWS_ALGORITHMS];
  const fault =
    windowFault(claims, expected.now) ??
    (expected.shown ? undefined : audienceFault(claims, expected.audiences)) ??
    (await signatureFault(token, { kid, algorithm, keys, now: expected.now, revoked: issuers.revoked })) ??
    bindingFault(claims, expected);
  return fault ?? { valid: true, claims };
}

function windowFault({ iat, nbf, exp }: ApprovalClaims, now: number): ApprovalVerdict | undefined {
  if (exp <= nbf || exp - iat > MAX_APPROVAL_LIFETIME)
    return refuseApproval(
      'window',
      'lifetime_invalid',
      `its lifetime is not between 1 and ${MAX_APPROVAL_LIFETIME} s`,
    );
  if (Math.max(iat, nbf) > now + CLOCK_SKEW)
    return refuseApproval('window', 'not_yet_valid', 'it is not valid yet');
  return now >= exp + CLOCK_SKEW ? refuseApproval('window', 'expired', 'it has expired') : undefined;
}

function audienceFault(
  { aud, phase }: ApprovalClaims,
  audiences: readonly string[],
): ApprovalVerdict | undefined {
  if (phase !== 'execution' || aud === undefined)
    return refuseApproval(
      'audience',
      'audience_mismatch',
      'it is advisory and names no agent that can act on it',
    );
  return audiences.some((own) => sameAgent(aud, own))
    ? undefined
    : refuseApproval('audience', 'audience_mismatch', 'it was issued for another agent');
}

interface SignedBy {
  readonly kid: unknown;
  readonly algorithm: SignatureAlgorithm;
  readonly keys: KeySource;
  readonly now: number;
  readonly revoked: Revocations | undefined;
}

async function signatureFault(token: string, by: SignedBy): Promise<ApprovalVerdict | undefined> {
  if (typeof by.kid !== 'string') return refuseApproval('key', 'key_unknown', 'its header has no kid');
  const answer = await by.keys.find(by.kid);
  if (!answer.found)
    return answer.fault === 'signature_jwks_unavailable'
      ? refuseApproval('key', 'keys_unavailable', 'the keys of the governance agent cannot be fetched')
      : refuseApproval('key', 'key_unknown', 'the governance agent does not publish this key');
  const key = await readPublicKey(answer.jwk, { kind: 'governance', alg: by.algorithm, pinned: false });
  if (typeof key === 'string') return refuseApproval('purpose', 'key_purpose_invalid', key);
  if (isRevoked(by.kid, answer.jwk, by.revoked ?? NOTHING_REVOKED, by.now))
    return refuseApproval('revoked', 'key_revoked', 'the key was revoked');
  const algorithms = [ALGORITHMS[key.alg].jws[0]];
  const holds = await compactVerify(token, key.key, { algorithms }).then(
    () => true,
    () => false,
  );
  return holds
    ? undefined
    : refuseApproval(
        'cryptography',
        'signature_invalid',
        'the signature does not match the claims and the key',
      );
}

function bindingFault(claims: ApprovalClaims, expected: ApprovalExpectation): ApprovalVerdict | undefined {
  if (!sameAgent(claims.caller, expected.caller))
    return refuseApproval('caller', 'caller_mismatch', 'it was issued to another caller');
  if (!expected.shown && claims.tool !== expected.tool)
    return refuseApproval('tool', 'tool_mismatch', 'it was issued for another task');
  if (expected.planId !== undefined && claims.sub !== expected.planId)
    return refuseApproval('plan', 'plan_mismatch', 'it was issued for another plan');
  return expected.shown || claims.plan_hash === payloadHash(expected.payload)
    ? undefined
    : refuseApproval('payload', 'payload_mismatch', 'it was issued for another payload');
}

/** Whether two texts are addresses of one agent; what is no address is only the same as itself. */
export function sameAgent(one: string, other: string): boolean {
  const [first, second] = [parseAgentUrl(one), parseAgentUrl(other)];
  return first.ok && second.ok ? first.url === second.url : one === other;
}

function unsigned(reason: string, hint: string): RegistryError {
  return new RegistryError('input_invalid', `the approval cannot be signed: ${reason}`, { hint });
}
