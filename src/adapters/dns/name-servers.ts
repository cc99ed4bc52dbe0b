import { Resolver } from 'node:dns/promises';
import { RegistryError } from '../../errors.ts';
import type { TxtResolver } from '../../ports/txt-resolver.ts';

/** For the first try of a question, milliseconds; c-ares waits twice as long for the second. */
const TRY_MS = 1_500;
const TRIES = 2;

/** What c-ares says (Node's documentation, dns, Error codes), in our words. */
const REASONS: Readonly<Record<string, string>> = {
  ENODATA: 'there is no such record',
  ENOTFOUND: 'there is no such name',
  EBADNAME: 'the name is not valid',
  ETIMEOUT: 'the name servers did not answer in time',
  ECANCELLED: 'the name servers did not answer in time',
  ECONNREFUSED: 'the name server cannot be reached',
  ESERVFAIL: 'the name server failed',
  EREFUSED: 'the name server refuses to answer',
};

/** Puts questions to the name servers. The channel is the question's own and is closed after it. */
export type AskNameServers = <T>(
  question: (channel: Pick<Resolver, 'resolve4' | 'resolve6' | 'resolveTxt'>) => Promise<T>,
  patienceMs: number,
  signal?: AbortSignal,
) => Promise<T>;

/**
 * The system's name servers, or those given (`192.0.2.53` or `192.0.2.53:5353`), through c-ares: no thread of the
 * platform's pool waits. Each question has a channel, and so a port, of its own. What one domain's servers do is never
 * held against ours, and a forged answer has to guess the port as well. No search domain is applied, and /etc/hosts plays
 * no part. Throws `usage` for a text that is no such address.
 */
export function askNameServers(servers: readonly string[] | undefined): AskNameServers {
  const channelOf = (): Resolver => {
    const channel = new Resolver({ timeout: TRY_MS, tries: TRIES });
    if (servers !== undefined) useServers(channel, servers);
    return channel;
  };
  channelOf();
  return async (question, patienceMs, signal) => {
    signal?.throwIfAborted();
    const channel = channelOf();
    const cancel = (): void => channel.cancel();
    // an answer that has come while the loop was busy is read before the look-up is given up
    const timer = setTimeout(() => setImmediate(cancel), patienceMs);
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      return await question(channel);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      channel.cancel();
    }
  };
}

/** Why a question has no answer: c-ares' code, and a few words, lower case. */
export function reasonOf(error: unknown): { readonly code: string; readonly reason: string } {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return { code, reason: REASONS[code] ?? `the look-up failed (${code})` };
}

function useServers(channel: Resolver, servers: readonly string[]): void {
  try {
    channel.setServers(servers);
  } catch (cause) {
    throw new RegistryError(
      'usage',
      `'${servers.join().slice(0, 100)}' is not the address of a name server`,
      {
        hint: 'give an IP address, with a port where it is not 53, as in 192.0.2.53 or 127.0.0.1:5353',
        cause,
      },
    );
  }
}

/** A person waits, and the domain's own server may be slow to know a new record, milliseconds. */
const PATIENCE_MS = 10_000;
/** More records than these are not looked at; a whole answer has 64 KiB at most. */
const MAX_RECORDS = 200;

/**
 * Asks the system's name servers, or the one given, `192.0.2.53` or `192.0.2.53:5353`: the domain's own one knows a new
 * record before caches do. Nothing is kept, for the same reason. Throws `usage` for a text that is no such address.
 */
export function createTxtResolver(server?: string): TxtResolver {
  const ask = askNameServers(server === undefined ? undefined : [server]);
  return {
    async texts(name) {
      try {
        const records = await ask((channel) => channel.resolveTxt(name), PATIENCE_MS);
        return { ok: true, texts: records.slice(0, MAX_RECORDS).map((pieces) => pieces.join('')) };
      } catch (error) {
        return { ok: false, reason: reasonOf(error).reason };
      }
    },
  };
}
