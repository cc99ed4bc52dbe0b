import { hash as digest } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import pRetry, { AbortError } from 'p-retry';
import { trimEnd } from '../../domain/text.ts';
import { RegistryError } from '../../errors.ts';
import type { BodyStore } from '../../ports/body-store.ts';

/** Deadline of one request, milliseconds. */
const TIMEOUT_MS = 30_000;
/** Retries after a 429, a 5xx or no answer, with a pause from 50 ms on that doubles. */
const RETRIES = 3;
const NOT_FOUND = new Set([404, 410]);

/**
 * Bodies as objects of a bucket with an S3 API, at a path-style address: `https://KEY:SECRET@host/bucket/prefix?region=REGION`.
 * Requests are signed (AWS Signature Version 4), including the hash of the body.
 */
export function s3Bodies(address: string): BodyStore {
  const { username, password, origin, pathname, searchParams, host } = new URL(address);
  const client = new AwsClient({
    accessKeyId: decodeURIComponent(username),
    secretAccessKey: decodeURIComponent(password),
    service: 's3',
    region: searchParams.get('region') ?? 'us-east-1',
    retries: 0,
  });
  const name = host + trimEnd(pathname, '/');
  const urlOf = (hash: string) => `${origin}${trimEnd(pathname, '/')}/${hash.slice(0, 2)}/${hash}.zst`;

  async function ask(method: 'PUT' | 'GET' | 'DELETE', hash: string, body?: Uint8Array): Promise<Response> {
    const sha256 = digest('sha256', body ?? '');
    const headers = { 'x-amz-content-sha256': sha256 };
    const init = { method, headers, redirect: 'error', ...(body && { body }) } as const;
    const once = async (): Promise<Response> => {
      const answer = await client.fetch(urlOf(hash), { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (answer.ok || (NOT_FOUND.has(answer.status) && method !== 'PUT')) return answer;
      const message = `${answer.status} ${(await answer.text()).slice(0, 300)}`;
      throw answer.status === 429 || answer.status >= 500 ? new Error(message) : new AbortError(message);
    };
    return pRetry(once, { retries: RETRIES, minTimeout: 50 }).catch((error: Error) => {
      throw storeUnavailable(name, error.message, error);
    });
  }
  return {
    name,
    async put(hash, packed) {
      await (await ask('PUT', hash, packed)).arrayBuffer();
    },
    async get(hash) {
      const answer = await ask('GET', hash);
      const bytes = await answer.arrayBuffer().catch((cause: unknown) => {
        throw storeUnavailable(name, 'the response was cut off', cause);
      });
      return answer.ok ? new Uint8Array(bytes) : undefined;
    },
    async drop(hash) {
      await (await ask('DELETE', hash)).arrayBuffer();
    },
  };
}

function storeUnavailable(name: string, reason: string, cause?: unknown): RegistryError {
  return new RegistryError('store_unavailable', `the store of file bodies failed: ${name}: ${reason}`, {
    cause,
    retryable: true,
    hint: 'check the address, the bucket and the permissions of the key (REGISTRY_BODIES)',
  });
}
