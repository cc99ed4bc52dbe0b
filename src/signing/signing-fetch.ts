import type { Clock } from '../ports/clock.ts';
import type { GuardedFetch } from '../ports/fetcher.ts';
import type { HttpRequest } from './message.ts';
import { type SignOptions, signMessage } from './sign.ts';

export type SigningFetchOptions = Omit<SignOptions, 'now' | 'nonce'> & { readonly clock: Clock };

/**
 * A `fetch` that signs what it sends, around another one (the guarded one of a visit, for the protocol SDKs). The
 * body is read once, and those bytes are both signed and sent. Redirects are refused: a signature is for one target.
 *
 * Rejects as the inner `fetch` does, and with a RegistryError `input_invalid` for what cannot be signed.
 */
export function createSigningFetch(inner: GuardedFetch, options: SigningFetchOptions): GuardedFetch {
  return async (input, init) => {
    const signed = await signMessage(await messageOf(input, init), {
      ...options,
      now: Math.floor(options.clock.now() / 1_000),
    });
    return inner(signed.url, {
      ...init,
      method: signed.method,
      headers: signed.headers.map(([name, value]): [string, string] => [name, value]),
      ...(signed.body !== undefined && { body: Uint8Array.from(signed.body) }),
      redirect: 'error',
    });
  };
}

/** What `fetch` would send: it normalises the method, the URL and the headers, and chooses a missing content type. */
async function messageOf(input: string | URL, init: RequestInit | undefined): Promise<HttpRequest> {
  const request = new Request(input, { ...init, signal: null });
  const url = new URL(request.url);
  url.hash = '';
  const body = request.body === null ? undefined : await request.bytes();
  return { method: request.method, url: url.href, headers: [...request.headers], ...(body && { body }) };
}
