import { onTestFinished } from 'vitest';
import { createFetcher } from '../../../src/crawl/fetch/fetcher.ts';
import type { FetchFailure } from '../../../src/domain/capture.ts';
import type { Fetcher, GuardedFetch } from '../../../src/ports/fetcher.ts';

/** What a test saw on the wire. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly authorization: string | null;
}

/** A Fetcher over the global fetch that reaches loopback only; failures carry the guard's verdict as in production. */
export function loopbackFetcher(): Fetcher & { readonly seen: SeenRequest[] } {
  const seen: SeenRequest[] = [];
  const guarded = (visit: AbortSignal): GuardedFetch => {
    return async (input, init = {}) => {
      const url = new URL(input);
      const authorization = new Headers(init.headers).get('authorization');
      seen.push({ method: init.method ?? 'GET', url: url.href, authorization });
      if (!['127.0.0.1', 'localhost'].includes(url.hostname))
        throw failed('blocked', 'not a loopback address');
      const signal = init.signal ? AbortSignal.any([init.signal, visit]) : visit;
      return fetch(url, { ...init, signal }).catch((error: Error) => {
        throw failed(codeOf(error), error.message);
      });
    };
  };
  return {
    seen,
    async visit(options, work) {
      const end = new AbortController();
      const timer = setTimeout(() => end.abort(), options.deadlineMs);
      const get = () => Promise.reject(new Error('a probe does not use get'));
      try {
        const fetch = guarded(end.signal);
        return await work({ signal: end.signal, get, fetch, elsewhere: () => fetch });
      } finally {
        clearTimeout(timer);
        end.abort();
      }
    },
    isMapped: () => true,
    close: async () => undefined,
  };
}

function failed(code: FetchFailure['code'], detail: string): Error {
  return Object.assign(new Error(detail), { failure: { code, detail } });
}

function codeOf(error: Error): FetchFailure['code'] {
  if (error.name === 'AbortError') return 'timeout';
  const { code } = (error.cause ?? {}) as { code?: string };
  if (code === 'ENOTFOUND') return 'dns';
  return code === 'ECONNREFUSED' || code === 'UND_ERR_SOCKET' || code === 'ECONNRESET'
    ? 'refused'
    : 'protocol';
}

/** The program's own fetcher; a visit has to open the loopback origin that it calls. */
export function guardedFetcher(): Fetcher {
  const fetcher = createFetcher({
    clock: { now: () => Date.now() },
    userAgent: { product: 'test-registry', version: '1.0', contact: new URL('https://registry.example/') },
  });
  onTestFinished(() => fetcher.close());
  return fetcher;
}
