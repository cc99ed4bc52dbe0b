// The field's JavaScript package signs or verifies a message for each line of JSON that comes in.
import { createInterface } from 'node:readline';
import { signRequest, signWebhook } from '@adcp/sdk/signing/client';
import {
  InMemoryReplayStore,
  InMemoryRevocationStore,
  StaticJwksResolver,
  verifyRequestSignature,
  verifyWebhookSignature,
} from '@adcp/sdk/signing/server';

function sign({ kind, key, message, now }) {
  const signer = { keyid: key.kid, alg: key.kty === 'EC' ? 'ecdsa-p256-sha256' : 'ed25519', privateKey: key };
  const options = { now: () => now, coverContentDigest: true };
  const made = (kind === 'webhook' ? signWebhook : signRequest)(message, signer, options);
  return { ok: true, headers: made.headers };
}

async function verify({ kind, keys, revoked, message, now, times }) {
  const options = {
    capability: { supported: true, covers_content_digest: 'required', required_for: ['call'] },
    operation: 'call',
    jwks: new StaticJwksResolver(keys),
    replayStore: new InMemoryReplayStore(),
    revocationStore: new InMemoryRevocationStore({ revoked_kids: revoked }),
    now: () => now,
  };
  const check = kind === 'webhook' ? verifyWebhookSignature : verifyRequestSignature;
  for (let time = 0; time < times; time += 1) await check(message, options);
  return { ok: true };
}

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line);
  let reply;
  try {
    reply = order.do === 'sign' ? sign(order) : await verify(order);
  } catch (error) {
    reply = { ok: false, code: error.code, error: error.message };
  }
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
