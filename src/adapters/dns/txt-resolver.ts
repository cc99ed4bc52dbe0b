import type { TxtResolver } from '../../ports/txt-resolver.ts';
import { askNameServers, reasonOf } from './name-servers.ts';

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
