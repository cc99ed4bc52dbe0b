import type { webcrypto } from 'node:crypto';
import { calculateJwkThumbprint, importJWK } from 'jose';
import { asText } from '../base/json.ts';
import {
  ALGORITHMS,
  type KeyKind,
  PURPOSE_MEMBERS,
  PURPOSES,
  type SignatureAlgorithm,
  TAG_VOCABULARIES,
} from './profile.ts';

/** A JSON Web Key as it was published, not yet judged. */
export type Jwk = Readonly<Record<string, unknown>>;

/** A key that may verify what one kind of key signs. */
export interface VerifyingKey {
  readonly key: webcrypto.CryptoKey;
  readonly alg: SignatureAlgorithm;
  /** Of the key itself (RFC 7638): the same under every `kid`. */
  readonly thumbprint: string;
}

/** Private and symmetric members of a JWK (RFC 7518, section 6). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

export interface KeyUse {
  readonly kind: KeyKind;
  /** As the signature says; the key has to agree. */
  readonly alg: SignatureAlgorithm;
  /** A key that a publisher pins is for its agent's webhooks, and need not repeat what it is for. */
  readonly pinned: boolean;
  /** The keys among which it was found, itself too. Absent: it stands for itself alone. */
  readonly published?: readonly Jwk[];
}

/**
 * The key of a JWK, or a sentence why it must not verify this: it is not public, not for signatures, not for this
 * purpose, or not of the curve that it and the signature name. The algorithm follows from the key; what the message
 * says only has to be the same.
 */
export async function readPublicKey(jwk: Jwk, use: KeyUse): Promise<VerifyingKey | string> {
  const fault = formFault(jwk, use) ?? purposeFault(jwk, use);
  if (fault !== undefined) return fault;
  const { kty, crv, jws } = ALGORITHMS[use.alg];
  const bare = { kty, crv, x: asText(jwk.x), ...(kty === 'EC' && { y: asText(jwk.y) }) };
  try {
    const key = (await importJWK(bare, jws[0])) as webcrypto.CryptoKey;
    return { key, alg: use.alg, thumbprint: await calculateJwkThumbprint(bare) };
  } catch {
    return 'the key is not a point of its curve';
  }
}

function formFault(jwk: Jwk, { alg, pinned }: KeyUse): string | undefined {
  if (PRIVATE_MEMBERS.some((member) => Object.hasOwn(jwk, member)))
    return 'the key is published with its private part; replace it';
  const { kty, crv, jws } = ALGORITHMS[alg];
  if (jwk.kty !== kty || jwk.crv !== crv)
    return `the key has the wrong type for the alg ${alg} of the signature`;
  const names: readonly unknown[] = jws;
  if (!names.includes(jwk.alg) && !(pinned && jwk.alg === undefined))
    return `the key's alg must be ${jws[0]} for its curve`;
  if (jwk.use !== 'sig' && !(pinned && jwk.use === undefined)) return "the key's use is not sig";
  return undefined;
}

/**
 * What a key may be declared for. A signer that publishes no key for webhooks signs them as it signs requests; the tag
 * keeps the two apart.
 */
function purposesFor({ kind, published }: KeyUse): readonly unknown[] {
  const isAlone = published?.some((jwk) => declaredPurposes(jwk).includes(PURPOSES.webhook)) === false;
  return kind === 'webhook' && isAlone ? [PURPOSES.webhook, PURPOSES.request] : [PURPOSES[kind]];
}

function declaredPurposes(jwk: Jwk): readonly unknown[] {
  return TAG_VOCABULARIES.map((vocabulary) => jwk[PURPOSE_MEMBERS[vocabulary]]);
}

function purposeFault(jwk: Jwk, use: KeyUse): string | undefined {
  const { kind, pinned } = use;
  const { key_ops: operations } = jwk;
  const verifies =
    Array.isArray(operations) && operations.length > 0 && operations.every((one) => one === 'verify');
  if (!verifies && !(pinned && operations === undefined)) return "the key's key_ops is not [verify]";
  const declared = TAG_VOCABULARIES.map((vocabulary) => PURPOSE_MEMBERS[vocabulary]).filter((member) =>
    Object.hasOwn(jwk, member),
  );
  if (declared.length === 0 && !pinned) return 'the key declares no purpose in proto_use';
  const other = declared.find((member) => !purposesFor(use).includes(jwk[member]));
  return other === undefined ? undefined : `the key's ${other} is not ${PURPOSES[kind]}`;
}
