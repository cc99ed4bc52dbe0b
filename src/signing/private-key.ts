import { webcrypto } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from 'jose';
import { RegistryError } from '../errors.ts';
import {
  ALGORITHMS,
  CRYPTOGRAPHY,
  KEY_KINDS,
  PURPOSE_MEMBERS,
  PURPOSES,
  type Purpose,
  type SignatureAlgorithm,
  TAG_VOCABULARIES,
  type TagVocabulary,
} from './profile.ts';
import type { Jwk } from './public-key.ts';

/** What signs. The private part may as well be in a key store elsewhere: only `sign` needs it. */
export interface SigningKey {
  readonly keyid: string;
  readonly alg: SignatureAlgorithm;
  /** Absent: the key does not say what it is for. */
  readonly purpose?: Purpose;
  readonly vocabulary: TagVocabulary;
  /** Ed25519: 64 bytes; P-256: r and s, 64 bytes. */
  sign(data: Uint8Array): Promise<Uint8Array>;
}

export interface NewKey {
  readonly alg: SignatureAlgorithm;
  readonly purpose: Purpose;
  readonly vocabulary: TagVocabulary;
  /** Default: made of the purpose and the start of the key's thumbprint. */
  readonly kid?: string;
}

/** Makes a key pair, as one private JWK that says what it is for. */
export async function generateKey({ alg, purpose, vocabulary, kid }: NewKey): Promise<Jwk> {
  const { jws, crv } = ALGORITHMS[alg];
  const { privateKey } = await generateKeyPair(jws[0], { extractable: true, crv });
  const jwk = await exportJWK(privateKey);
  const thumbprint = await calculateJwkThumbprint(jwk);
  return {
    ...jwk,
    kid: kid ?? `${purpose}-${thumbprint.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, 12)}`,
    alg: jws[0],
    use: 'sig',
    key_ops: ['sign'],
    [PURPOSE_MEMBERS[vocabulary]]: purpose,
  };
}

/** What of a private JWK is published: the public members, for verifying. */
export function publicJwk(jwk: Jwk): Jwk {
  const { kty, crv, x, y, kid, alg } = jwk;
  const purposes = Object.values(PURPOSE_MEMBERS).flatMap((member) =>
    jwk[member] === undefined ? [] : [[member, jwk[member]] as const],
  );
  return {
    kty,
    crv,
    x,
    ...(y !== undefined && { y }),
    kid,
    alg,
    use: 'sig',
    key_ops: ['verify'],
    ...Object.fromEntries(purposes),
  };
}

/**
 * The key of a private JWK.
 *
 * @throws RegistryError `input_invalid`; the message never holds any of the key
 */
export async function readSigningKey(jwk: Jwk): Promise<SigningKey> {
  const alg = algorithmOf(jwk);
  if (typeof jwk.kid !== 'string' || jwk.kid === '') throw unusable('it has no kid');
  if (typeof jwk.d !== 'string') throw unusable('it has no private part');
  const key = await imported(jwk, alg);
  const purpose = purposeOf(jwk);
  return {
    keyid: jwk.kid,
    alg,
    vocabulary: jwk[PURPOSE_MEMBERS.adcp] === undefined ? 'proto' : 'adcp',
    ...(purpose !== undefined && { purpose }),
    async sign(data) {
      return new Uint8Array(await webcrypto.subtle.sign(CRYPTOGRAPHY[alg], key, Uint8Array.from(data)));
    },
  };
}

function algorithmOf(jwk: Jwk): SignatureAlgorithm {
  const names = Object.keys(ALGORITHMS) as SignatureAlgorithm[];
  const alg = names.find((name) => ALGORITHMS[name].kty === jwk.kty && ALGORITHMS[name].crv === jwk.crv);
  const jws: readonly unknown[] = alg === undefined ? [] : ALGORITHMS[alg].jws;
  if (alg === undefined || (jwk.alg !== undefined && !jws.includes(jwk.alg)))
    throw unusable('it is neither an Ed25519 nor a P-256 key');
  return alg;
}

async function imported(jwk: Jwk, alg: SignatureAlgorithm): Promise<webcrypto.CryptoKey> {
  const { kty, crv, x, y, d } = jwk;
  const bare = { kty, crv, x, d, ...(y !== undefined && { y }) } as Parameters<typeof importJWK>[0];
  try {
    return (await importJWK(bare, ALGORITHMS[alg].jws[0])) as webcrypto.CryptoKey;
  } catch {
    throw unusable('its numbers do not form a key'); // without the cause, which may quote them
  }
}

function purposeOf(jwk: Jwk): Purpose | undefined {
  const declared = TAG_VOCABULARIES.map((vocabulary) => jwk[PURPOSE_MEMBERS[vocabulary]]).filter(
    (value) => value !== undefined,
  );
  const purpose = KEY_KINDS.map((kind) => PURPOSES[kind]).find((known) => known === declared[0]);
  if (declared.length > 0 && (purpose === undefined || declared.some((value) => value !== purpose)))
    throw unusable('its purpose is unknown');
  return purpose;
}

function unusable(reason: string): RegistryError {
  return new RegistryError('input_invalid', `the signing key cannot be used: ${reason}`, {
    hint: 'create one with `agent-registry keys generate`',
  });
}
