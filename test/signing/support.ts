import { openReplayStore, type ReplayStore } from '../../src/records/sqlite/replay-store.ts';
import { fixedKeys } from '../../src/signing/key-source.ts';
import type { HttpRequest } from '../../src/signing/message.ts';
import { generateKey, publicJwk, readSigningKey, type SigningKey } from '../../src/signing/private-key.ts';
import type { Purpose, SignatureAlgorithm, TagVocabulary } from '../../src/signing/profile.ts';
import type { Jwk } from '../../src/signing/public-key.ts';
import { type SignOptions, signMessage } from '../../src/signing/sign.ts';
import { type SignatureVerdict, type VerifyOptions, verifyMessage } from '../../src/signing/verify.ts';

/** The moment at which every message of these tests is signed, Unix seconds. */
export const NOW = 1_776_520_800;
export const NONCE = 'AQIDBAUGBwgJCgsMDQ4PEA';

export interface TestKey {
  readonly private: Jwk;
  readonly public: Jwk;
  readonly signer: SigningKey;
}

export async function makeKey(
  kid: string,
  purpose: Purpose = 'request-signing',
  alg: SignatureAlgorithm = 'ed25519',
  vocabulary: TagVocabulary = 'proto',
): Promise<TestKey> {
  const jwk = await generateKey({ kid, purpose, alg, vocabulary });
  return { private: jwk, public: publicJwk(jwk), signer: await readSigningKey(jwk) };
}

export const buy: HttpRequest = {
  method: 'POST',
  url: 'https://seller.example/mcp?tenant=a',
  headers: [
    ['Host', 'seller.example'],
    ['Content-Type', 'application/json'],
    ['Accept', 'application/json'],
  ],
  body: new TextEncoder().encode('{"idempotency_key":"k-1","budget":5000}'),
};

export function sign(
  key: TestKey,
  options: Partial<SignOptions> = {},
  message: HttpRequest = buy,
): Promise<HttpRequest> {
  return signMessage(message, { kind: 'request', profile: '3.2', key: key.signer, now: NOW, ...options });
}

export function verify(
  message: HttpRequest,
  keys: readonly Jwk[],
  options: Partial<VerifyOptions> = {},
): Promise<SignatureVerdict> {
  return verifyMessage(message, {
    kind: 'request',
    profile: '3.2',
    now: NOW,
    keys: fixedKeys(keys),
    ...options,
  });
}

/** `verified`, or the check and the code of the refusal. */
export function outcome(verdict: SignatureVerdict): string {
  return verdict.verified ? 'verified' : `${verdict.check}: ${verdict.code}`;
}

/** The message with one header rewritten, or without it where the result is undefined. */
export function rewritten(
  message: HttpRequest,
  name: string,
  change: (value: string) => string | undefined,
): HttpRequest {
  return {
    ...message,
    headers: message.headers.flatMap(([header, value]) => {
      if (header.toLowerCase() !== name) return [[header, value] as const];
      const changed = change(value);
      return changed === undefined ? [] : [[header, changed] as const];
    }),
  };
}

/** Rewrites `Signature-Input`, with the signature as it was. */
export function input(message: HttpRequest, from: string | RegExp, to: string): HttpRequest {
  return rewritten(message, 'signature-input', (value) => value.replace(from, to));
}

export function replayMemory(): ReplayStore {
  return openReplayStore(':memory:');
}
