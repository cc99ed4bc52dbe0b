import { compactVerify } from 'jose';
import { RegistryError } from '../errors.ts';
import { type BadgeClaims, readBadgeClaims } from './badge-claims.ts';
import { type BadgeRevocations, badgeId } from './badge-revocations.ts';
import type { KeySource } from './key-source.ts';
import type { SigningKey } from './private-key.ts';
import { ALGORITHMS, CLOCK_SKEW, PURPOSES } from './profile.ts';
import { readPublicKey } from './public-key.ts';
import { isRevoked, NOTHING_REVOKED } from './revocations.ts';
import { base64url, MAX_TOKEN, readParts, signedText } from './token-parts.ts';

/** What `typ` says, so that no other token can stand in for a badge (RFC 8725, section 3.11). */
const BADGE_TOKEN_TYPE = 'agent-badge+jwt';

/** Seconds from `iat` to `exp`: so long a badge that was revoked may still be shown to somebody who asks nobody. */
export const BADGE_TOKEN_LIFETIME = 86_400;

const ALGORITHM = ALGORITHMS.ed25519.jws[0];

/** The checks in their order; the first that fails decides. */
export const BADGE_CHECKS = [
  'form',
  'type',
  'algorithm',
  'claims',
  'key',
  'purpose',
  'revoked',
  'cryptography',
  'window',
  'issuer',
  'agent',
  'status',
] as const;
export type BadgeCheck = (typeof BADGE_CHECKS)[number];

/** What can be wrong with a badge's token, by the check that finds it. */
export type BadgeFault =
  | 'malformed'
  | 'type_invalid'
  | 'alg_not_allowed'
  | 'claims_incomplete'
  | 'key_unknown'
  | 'keys_unavailable'
  | 'key_purpose_invalid'
  | 'key_revoked'
  | 'signature_invalid'
  | 'lifetime_invalid'
  | 'not_yet_valid'
  | 'expired'
  | 'issuer_unnamed'
  | 'issuer_mismatch'
  | 'agent_mismatch'
  | 'revoked'
  | 'revocations_unavailable';

export type BadgeVerdict =
  | { readonly valid: true; readonly claims: BadgeClaims }
  | {
      readonly valid: false;
      /** Stable, for example `badge_expired`. */
      readonly code: `badge_${BadgeFault}`;
      readonly check: BadgeCheck;
      /** One sentence, lower case, without a full stop. */
      readonly detail: string;
    };

export interface BadgeExpectation {
  readonly keys: KeySource;
  /** Epoch seconds. */
  readonly now: number;
  /** The agent that showed it, canonical; absent: any. */
  readonly agent?: string;
  /** The registry that is believed. Without one no badge holds: whoever has some keys could name any. */
  readonly issuer?: string;
  /** What the registry has taken back; absent: it is not asked for. `unavailable`: it should be there, and why it is not. */
  readonly revocations?: BadgeRevocations | { readonly unavailable: string };
}

/**
 * Signs a badge (JWS compact, RFC 7515; Ed25519, RFC 8037). The same claims under the same key give the same token.
 *
 * @throws RegistryError `input_invalid` for a key of another purpose, and for claims that do not fit in a token
 */
export async function signBadge(key: SigningKey, claims: BadgeClaims): Promise<string> {
  if (key.purpose !== PURPOSES.badge || key.alg !== 'ed25519')
    throw unsigned(`the key ${key.keyid} is not an Ed25519 key for ${PURPOSES.badge}`);
  const signed = signedText({ alg: ALGORITHM, typ: BADGE_TOKEN_TYPE, kid: key.keyid }, claims);
  const token = `${signed}.${base64url(await key.sign(new TextEncoder().encode(signed)))}`;
  if (token.length > MAX_TOKEN) throw unsigned(`it would be longer than ${MAX_TOKEN} characters`);
  return token;
}

/** Judges a badge's token with nothing but the keys of its issuer. Never rejects for what the token does wrong. */
export async function readBadge(token: string, expected: BadgeExpectation): Promise<BadgeVerdict> {
  const parts = readParts(token);
  if (typeof parts === 'string') return refuse('form', 'malformed', parts);
  const { typ, alg, kid } = parts.header;
  if (typ !== BADGE_TOKEN_TYPE)
    return refuse('type', 'type_invalid', `its typ is not ${BADGE_TOKEN_TYPE}: it is not a badge token`);
  if (alg !== ALGORITHM) return refuse('algorithm', 'alg_not_allowed', `its alg is not ${ALGORITHM}`);
  const claims = readBadgeClaims(parts.claims);
  if (typeof claims === 'string')
    return refuse('claims', 'claims_incomplete', `the claim ${claims} is missing or has the wrong type`);
  const fault =
    (await signatureFault(token, kid, expected)) ??
    windowFault(claims, expected.now) ??
    partyFault(claims, expected) ??
    statusFault(claims, expected);
  return fault ?? { valid: true, claims };
}

async function signatureFault(
  token: string,
  kid: unknown,
  { keys, now, revocations }: BadgeExpectation,
): Promise<BadgeVerdict | undefined> {
  if (typeof kid !== 'string') return refuse('key', 'key_unknown', 'its header has no kid');
  const answer = await keys.find(kid);
  if (!answer.found)
    return answer.fault === 'signature_jwks_unavailable'
      ? refuse('key', 'keys_unavailable', answer.detail)
      : refuse('key', 'key_unknown', answer.detail);
  const key = await readPublicKey(answer.jwk, { kind: 'badge', alg: 'ed25519', pinned: false });
  if (typeof key === 'string') return refuse('purpose', 'key_purpose_invalid', key);
  const listed = revocations !== undefined && 'keys' in revocations ? revocations.keys : NOTHING_REVOKED;
  // whoever has the key can write any date: nothing that it ever signed counts
  if (isRevoked(kid, answer.jwk, listed, now))
    return refuse('revoked', 'key_revoked', 'its key was revoked: get a new token from the registry');
  const holds = await compactVerify(token, key.key, { algorithms: [ALGORITHM] }).then(
    () => true,
    () => false,
  );
  return holds
    ? undefined
    : refuse('cryptography', 'signature_invalid', 'the signature does not match the claims and the key');
}

function windowFault({ iat, exp }: BadgeClaims, now: number): BadgeVerdict | undefined {
  if (exp <= iat || exp - iat > BADGE_TOKEN_LIFETIME)
    return refuse(
      'window',
      'lifetime_invalid',
      `its lifetime is not between 1 and ${BADGE_TOKEN_LIFETIME} s`,
    );
  if (iat > now + CLOCK_SKEW) return refuse('window', 'not_yet_valid', 'it is not valid yet');
  return now >= exp
    ? refuse('window', 'expired', 'it has expired: get a new token from the registry')
    : undefined;
}

function partyFault(
  { iss, sub }: BadgeClaims,
  { issuer, agent }: BadgeExpectation,
): BadgeVerdict | undefined {
  if (issuer !== undefined && iss !== issuer)
    return refuse('issuer', 'issuer_mismatch', `its issuer is ${iss}, not ${issuer}`);
  if (agent !== undefined && sub !== agent)
    return refuse('agent', 'agent_mismatch', `it belongs to another agent: ${sub}`);
  return issuer === undefined
    ? refuse('issuer', 'issuer_unnamed', `no trusted issuer was given; the token names ${iss}`)
    : undefined;
}

function statusFault(claims: BadgeClaims, { revocations, now }: BadgeExpectation): BadgeVerdict | undefined {
  if (revocations === undefined) return undefined;
  const unavailable = (why: string) => refuse('status', 'revocations_unavailable', why);
  if ('unavailable' in revocations) return unavailable(revocations.unavailable);
  if (revocations.issuer !== claims.iss)
    return unavailable(`the revocation list belongs to ${revocations.issuer}`);
  if (now >= revocations.expiresAt) return unavailable('the revocation list has expired');
  const revokedAt = revocations.badges.get(badgeId(claims));
  return revokedAt !== undefined && Date.parse(claims.verified_at) < revokedAt
    ? refuse('status', 'revoked', 'the registry has revoked this badge')
    : undefined;
}

function refuse(check: BadgeCheck, fault: BadgeFault, detail: string): BadgeVerdict {
  return { valid: false, code: `badge_${fault}`, check, detail };
}

function unsigned(reason: string): RegistryError {
  return new RegistryError('input_invalid', `the badge cannot be signed: ${reason}`, {
    hint: 'create a key with `agent-registry keys generate --kind badge`, and set REGISTRY_BADGE_KEYS to it',
  });
}
