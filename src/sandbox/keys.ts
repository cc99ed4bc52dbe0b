import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { Random } from './random.ts';

/** What stands before the 32 secret bytes in the PKCS #8 form of an Ed25519 key (RFC 8410, section 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export interface SigningKey {
  readonly privateKey: KeyObject;
  /** Public JWK (RFC 8037) with `kid`, `use` and `key_ops`. */
  readonly jwk: Readonly<Record<string, unknown>> & { readonly kid: string };
}

/** An Ed25519 key that follows from the seed: of use in a sandbox only. */
export function signingKey(random: Random, kid: string): SigningKey {
  const der = Buffer.concat([PKCS8_PREFIX, random.fork(kid).bytes(32)]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const { kty, crv, x } = createPublicKey(privateKey).export({ format: 'jwk' });
  return { privateKey, jwk: { kty, crv, x, kid, alg: 'EdDSA', use: 'sig', key_ops: ['verify'] } };
}
