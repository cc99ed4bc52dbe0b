import { Resolver } from 'node:dns/promises';
import { RegistryError } from '../../errors.ts';
import type { TxtResolver } from '../../ports/txt-resolver.ts';

/** For the first try of a query, milliseconds; c-ares waits twice as long for the second. */
const TRY_MS = 1_500;
const TRIES = 2;

/** The error codes of c-ares (Node's documentation, dns, Error codes), in our words. */
const REASONS: Readonly<Record<string, string>> = {
  ENODATA: 'no such DNS record',
  ENOTFOUND: 'no such host name',
  EBADNAME: 'invalid host name',
  ETIMEOUT: 'the name servers did not answer in time',
  ECANCELLED: 'the name servers did not answer in time',
  ECONNREFUSED: 'the name server cannot be reached',
  ESERVFAIL: 'the name server failed',
  EREFUSED: 'the name server refused the query',
  EBADRESP: 'the name server sent an invalid answer',
  ENOTIMP: 'the name server does not support the query',
};

/** Runs the queries of one look-up within `deadlineMs`, or until the signal. */
export type LookUp = <T>(
  queries: (resolver: Resolver) => Promise<T>,
  deadlineMs: number,
  signal?: AbortSignal,
) => Promise<T>;

/**
 * Queries to the system's name servers, or to those given (`192.0.2.53` or `192.0.2.53:5353`), without a thread of the
 * platform's pool, search domains or /etc/hosts. Each look-up has a `Resolver` of its own: a shared one lowers its timeout
 * to 250 ms once most answers are fast, so that a domain with a slow name server is lost, and it cancels all queries or
 * none. Throws `usage` for a text that is no such address.
 */
export function createLookUp(servers: readonly string[] | undefined): LookUp {
  const open = (): Resolver => {
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
    if (servers !== undefined) useServers(resolver, servers);
    return resolver;
  };
  open();
  return async (queries, deadlineMs, signal) => {
    signal?.throwIfAborted();
    const resolver = open();
    const cancel = (): void => resolver.cancel();
    // an answer that arrived while the event loop was busy is read before the look-up is given up
    const timer = setTimeout(() => setImmediate(cancel), deadlineMs);
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      return await queries(resolver);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      cancel();
    }
  };
}

/** Why a look-up failed: the code of c-ares, and a few words, lower case. */
export function reasonOf(error: unknown): { readonly code: string; readonly reason: string } {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return { code, reason: REASONS[code] ?? `the DNS lookup failed (${code})` };
}

function useServers(resolver: Resolver, servers: readonly string[]): void {
  try {
    resolver.setServers(servers);
  } catch (cause) {
    throw new RegistryError(
      'usage',
      `'${servers.join().slice(0, 100)}' is not the address of a name server`,
      {
        hint: 'give an IP address, with the port if it is not 53, such as 192.0.2.53 or 127.0.0.1:5353',
        cause,
      },
    );
  }
}

/** A person waits, and the domain's own server may be slow to know a new record, milliseconds. */
const TXT_DEADLINE_MS = 10_000;
/** More records than these are not looked at; a whole answer has 64 KiB at most. */
const MAX_RECORDS = 200;

/**
 * Asks the system's name servers, or the one given, `192.0.2.53` or `192.0.2.53:5353`: the domain's own one knows a new
 * record before caches do. Nothing is cached, for the same reason. Throws `usage` for a text that is no such address.
 */
export function createTxtResolver(server?: string): TxtResolver {
  const lookUp = createLookUp(server === undefined ? undefined : [server]);
  return {
    async texts(name) {
      try {
        const records = await lookUp((resolver) => resolver.resolveTxt(name), TXT_DEADLINE_MS);
        return { ok: true, texts: records.slice(0, MAX_RECORDS).map((pieces) => pieces.join('')) };
      } catch (error) {
        return { ok: false, reason: reasonOf(error).reason };
      }
    },
  };
}
