import { createPublicKey, sign, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { signingKey } from '../../src/sandbox/keys.ts';
import { createRandom } from '../../src/sandbox/random.ts';

const message = Buffer.from('a webhook');

test('the public key verifies what the private key signs', () => {
  const { privateKey, jwk } = signingKey(createRandom(7), 'news#1');
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  expect(verify(null, message, publicKey, sign(null, message, privateKey))).toBe(true);
});

test('a key follows from the seed and its id', () => {
  const jwk = (seed: number, kid: string) => signingKey(createRandom(seed), kid).jwk.x;
  expect(jwk(7, 'a')).toBe(jwk(7, 'a'));
  expect(new Set([jwk(7, 'a'), jwk(7, 'b'), jwk(8, 'a')]).size).toBe(3);
});
