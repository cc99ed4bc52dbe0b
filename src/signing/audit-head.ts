import { compactVerify } from 'jose';
import { RegistryError } from '../errors.ts';
import type { LogHead } from '../records/owners/audit.ts';
import type { KeySource } from './key-source.ts';
import type { SigningKey } from './private-key.ts';
import { ALGORITHMS, PURPOSES } from './profile.ts';
import { readPublicKey } from './public-key.ts';
import { base64url, readParts, signedText } from './token-parts.ts';

/** What `typ` says, so that no other token of the registry can stand in for a head. */
const HEAD_TYPE = 'audit-head+jwt';
const ALGORITHM = ALGORITHMS.ed25519.jws[0];

/** What a signed head says of the audit log. */
export interface HeadClaims extends LogHead {
  /** `urn:uuid:` with the id of the records. */
  readonly iss: string;
  readonly kind: 'head' | 'checkpoint';
  /** When it was signed, epoch seconds. */
  readonly iat: number;
}

/** A head, and whether it is signed by a key that is known here; `unknown_key`: that cannot be said. */
export interface ReadHead {
  readonly claims: HeadClaims;
  readonly signature: 'holds' | 'unknown_key';
}

/** Signs a head (JWS compact, RFC 7515). Rejects with a RegistryError `input_invalid` for a key of another purpose. */
export async function signHead(key: SigningKey, claims: HeadClaims): Promise<string> {
  if (key.purpose !== PURPOSES.audit || key.alg !== 'ed25519')
    throw unusable(`the key ${key.keyid} is not an Ed25519 key for ${PURPOSES.audit}`);
  const text = signedText({ alg: ALGORITHM, typ: HEAD_TYPE, kid: key.keyid }, claims);
  return `${text}.${base64url(await key.sign(new TextEncoder().encode(text)))}`;
}

/**
 * Reads a signed head, with the keys that are known.
 *
 * @throws RegistryError `input_invalid` for what is none, and for one whose signature is wrong
 */
export async function readHead(token: string, keys: KeySource): Promise<ReadHead> {
  const parts = readParts(token);
  if (typeof parts === 'string') throw unusable(parts);
  const { typ, alg, kid } = parts.header;
  const claims = parts.claims as Partial<HeadClaims>;
  const isHead =
    typeof claims.iss === 'string' &&
    Number.isSafeInteger(claims.record) &&
    /^[\da-f]{64}$/.test(String(claims.hash)) &&
    (claims.kind === 'head' || claims.kind === 'checkpoint');
  if (typ !== HEAD_TYPE || alg !== ALGORITHM || typeof kid !== 'string' || !isHead)
    throw unusable('it is not a signed head of an audit log');
  const answer = await keys.find(kid);
  if (!answer.found) return { claims: claims as HeadClaims, signature: 'unknown_key' };
  const key = await readPublicKey(answer.jwk, { kind: 'audit', alg: 'ed25519', pinned: false });
  if (typeof key === 'string') throw unusable(key);
  await compactVerify(token, key.key, { algorithms: [ALGORITHM] }).catch(() => {
    throw unusable(`its signature does not match the key ${kid}`);
  });
  return { claims: claims as HeadClaims, signature: 'holds' };
}

function unusable(reason: string): RegistryError {
  return new RegistryError('input_invalid', `the head of the audit log cannot be used: ${reason}`, {
    hint: 'give the output of `agent-registry audit head`',
  });
}
