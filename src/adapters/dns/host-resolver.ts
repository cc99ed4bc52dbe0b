import { registrableDomain } from '../../domain/domain-name.ts';
import type { Clock } from '../../ports/clock.ts';
import { FetchGuardError } from '../fetch/failure.ts';
import { type AskNameServers, askNameServers, reasonOf } from './name-servers.ts';
import { NegativeAnswers } from './negative-answers.ts';

/** Every address of a host name, in the order to try them; rejects with a FetchGuardError `dns` when there is none. */
export type Resolver = (hostname: string, by?: LookUpFor) => Promise<readonly string[]>;

/** For whom a name is looked up. */
export interface LookUpFor {
  /** Stops the look-up. */
  readonly signal?: AbortSignal | undefined;
  /** What led to the visit, for example `news.example adagents`; one word, such as `operator`, has no bound of its own. */
  readonly foundVia?: string | undefined;
}

export interface HostResolverOptions {
  readonly clock: Clock;
  /** The system's by default. */
  readonly servers?: readonly string[];
}

/** For a look-up with both families and all tries, milliseconds. */
const PATIENCE_MS = 5_000;
/** The same for one whose zone or declaring file has many that wait. Nearly every name that exists is found within it. */
const LITTLE_PATIENCE_MS = 2_000;
/** From here on a look-up counts as one that waits, milliseconds. */
const SLOW_MS = 1_000;
/** So many may wait for one zone, and for what one file declares, before there is little patience. */
const MAX_SLOW = 8;
/** After the first family has answered, the other one has so long (RFC 8305, section 3, asks for 50 ms). */
const OTHER_FAMILY_MS = 300;
/** More addresses than these are not looked at. */
const MAX_ADDRESSES = 32;

/** Codes of c-ares for a name server that fails, and not for a name that does not exist or a server that is silent. */
const TEMPORARY: ReadonlySet<string> = new Set([
  'ESERVFAIL',
  'EREFUSED',
  'ECONNREFUSED',
  'ENOTIMP',
  'EBADRESP',
]);

/** Special-use names (RFC 6761 and its registry) of which the public DNS knows nothing; nobody is asked for them. */
const NOT_PUBLIC = /(?:^|\.)(?:alt|home\.arpa|internal|invalid|local|localhost|onion|test)$/;

/**
 * Looks host names up at the name servers, with an end that is near whatever they do: silence costs its own visit at most
 * 5 s, and 2 s where a zone or a declaring file has kept eight look-ups waiting already. What is not there is remembered
 * for a short while. Answers are no more than candidates: whoever dials judges every address.
 */
export function createHostResolver({ clock, servers }: HostResolverOptions): Resolver {
  const ask = askNameServers(servers);
  const negative = new NegativeAnswers(clock);
  const slow = new SlowLookUps();
  return async (hostname, { signal, foundVia } = {}) => {
    if (!hostname.includes('.')) throw new FetchGuardError('dns', 'a name with one label is no public host');
    if (NOT_PUBLIC.test(hostname)) throw new FetchGuardError('dns', 'the name is not one of the public dns');
    const known = negative.of(hostname);
    if (known !== undefined) throw new FetchGuardError('dns', known);
    const keys = [`zone ${registrableDomain(hostname)}`, ...(foundVia?.includes(' ') ? [foundVia] : [])];
    const leave = slow.enter(keys);
    try {
      const patienceMs = slow.isCrowded(keys) ? LITTLE_PATIENCE_MS : PATIENCE_MS;
      return await addressesOf(hostname, ask, patienceMs, signal);
    } catch (error) {
      signal?.throwIfAborted();
      const { code, reason } = reasonOf(error);
      negative.keep(hostname, code, reason);
      const detail = `${reason} (${code})`;
      throw TEMPORARY.has(code) ? FetchGuardError.temporary(detail) : new FetchGuardError('dns', detail);
    } finally {
      leave();
    }
  };
}

/** IPv4 first: it is there nearly everywhere, and a broken IPv6 costs a connection its time. Then in turn. */
async function addressesOf(
  hostname: string,
  ask: AskNameServers,
  patienceMs: number,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  return ask(
    async (channel) => {
      const four = channel.resolve4(hostname);
      const six = channel.resolve6(hostname);
      const found = await Promise.any([four, six]).catch(() => undefined);
      if (found === undefined) throw worse(await Promise.allSettled([four, six]));
      const [v4, v6] = await Promise.all([four, six].map((family) => within(OTHER_FAMILY_MS, family)));
      return inTurn(v4 ?? [], v6 ?? []).slice(0, MAX_ADDRESSES);
    },
    patienceMs,
    signal,
  );
}

/** Silence says less than "there is none": of two failures the first that is no such answer counts. */
function worse(results: readonly PromiseSettledResult<unknown>[]): unknown {
  const errors = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  );
  const unsure = errors.find((error) => !['ENOTFOUND', 'ENODATA'].includes(reasonOf(error).code));
  return unsure ?? errors[0];
}

async function within<T>(ms: number, family: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), ms);
  try {
    return await Promise.race([family, late.promise]).catch(() => undefined);
  } finally {
    clearTimeout(timer);
  }
}

function inTurn(v4: readonly string[], v6: readonly string[]): readonly string[] {
  return Array.from({ length: Math.max(v4.length, v6.length) }, (_, at) => [v4[at], v6[at]])
    .flat()
    .filter((address) => address !== undefined);
}

/** Counts the look-ups that wait, for each zone and each declaring file. */
class SlowLookUps {
  readonly #counts = new Map<string, number>();

  isCrowded(keys: readonly string[]): boolean {
    return keys.some((key) => (this.#counts.get(key) ?? 0) >= MAX_SLOW);
  }

  /** The look-up waits from SLOW_MS on, until the function that this returns is called. */
  enter(keys: readonly string[]): () => void {
    let counted = false;
    const timer = setTimeout(() => {
      counted = true;
      for (const key of keys) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    }, SLOW_MS);
    return () => {
      clearTimeout(timer);
      if (!counted) return;
      for (const key of keys) {
        const left = (this.#counts.get(key) ?? 1) - 1;
        if (left > 0) this.#counts.set(key, left);
        else this.#counts.delete(key);
      }
    };
  }
}
