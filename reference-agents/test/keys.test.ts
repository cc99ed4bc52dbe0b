import { expect, test } from 'vitest';
import { readSigningKey } from '../../src/signing/private-key.ts';
import { readPublicKey } from '../../src/signing/public-key.ts';
import { agentKeys, keySet } from '../src/keys.ts';
import { createRandom } from '../src/random.ts';

const keys = agentKeys(createRandom(7), 'sales.example');

test('an agent has a key for each purpose, and publishes what verifies', async () => {
  const set = keySet(keys).keys;
  expect(set.map(({ kid, proto_use }) => [kid, proto_use])).toEqual([
    ['sales.example#request', 'request-signing'],
    ['sales.example#webhook', 'webhook-signing'],
    ['sales.example#governance', 'governance-signing'],
  ]);
  expect(set.some((jwk) => 'd' in jwk)).toBe(false);
  const webhook = set[1] ?? {};
  const found = await readPublicKey(webhook, { kind: 'webhook', alg: 'ed25519', pinned: false });
  expect(found).toMatchObject({ alg: 'ed25519' });
});

test('the private part signs for its purpose', async () => {
  expect(await readSigningKey(keys.request)).toMatchObject({
    keyid: 'sales.example#request',
    alg: 'ed25519',
  });
});

test('keys follow from the seed and the host', () => {
  const x = (seed: number, host: string) => agentKeys(createRandom(seed), host).request.x;
  expect(x(7, 'a.example')).toBe(x(7, 'a.example'));
  expect(new Set([x(7, 'a.example'), x(7, 'b.example'), x(8, 'a.example')]).size).toBe(3);
});
