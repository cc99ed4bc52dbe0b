import { Resolver } from 'node:dns/promises';
import { RegistryError } from '../../errors.ts';
import type { TxtResolver } from '../../ports/txt-resolver.ts';

const TRY_MS = 3_000;
const TRIES = 2;

/** What the resolver's codes mean (Node's documentation, dns, Error codes). */
const REASONS: Readonly<Record<string, string>> = {
  ENODATA: 'there is no such record',
  ENOTFOUND: 'there is no such name',
  ETIMEOUT: 'the name server did not answer in time',
  ECONNREFUSED: 'the name server cannot be reached',
  ESERVFAIL: 'the name server failed',
  EREFUSED: 'the name server refuses to answer',
};

/**
 * Asks the system's name servers, or the one given, `192.0.2.53` or `192.0.2.53:5353`: the domain's own one knows a new
 * record before caches do. Throws `usage` for a text that is no such address.
 */
export function createTxtResolver(server?: string): TxtResolver {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  if (server !== undefined) useServer(resolver, server);
  return {
    async texts(name) {
      try {
        const records = await resolver.resolveTxt(name);
        return { ok: true, texts: records.map((pieces) => pieces.join('')) };
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : '';
        return { ok: false, reason: REASONS[code] ?? `the look-up failed (${code})` };
      }
    },
  };
}

function useServer(resolver: Resolver, server: string): void {
  try {
    resolver.setServers([server]);
  } catch (cause) {
    throw new RegistryError('usage', `'${server.slice(0, 100)}' is not the address of a name server`, {
      hint: 'give an IP address, with a port where it is not 53, as in 192.0.2.53 or 127.0.0.1:5353',
      cause,
    });
  }
}
