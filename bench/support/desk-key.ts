import { generateKeyPairSync } from 'node:crypto';
import type { Jwk } from '../../src/signing/public-key.ts';

/** A fresh private key with which desk.example, the buyer of the sandbox, signs its requests. */
export function newDeskKey(): Jwk {
  const { kty, crv, x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const use = { alg: 'EdDSA', use: 'sig', key_ops: ['sign'], proto_use: 'request-signing' };
  return { kty, crv, x, d, kid: 'desk-of-a-benchmark', ...use } as Jwk;
}
