import type { RecordWithTtl } from 'node:dns';
import type { Resolver as NameServers } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { elapsedBy } from '../../base/elapsed.ts';
import type { Clock } from '../../ports/clock.ts';
import { FetchGuardError } from '../fetch/failure.ts';
import { createLookUp, reasonOf } from './name-servers.ts';

/** Every address of a host name, in the order to try them; rejects with a FetchGuardError `dns` when there is none. */
export type Resolver = (hostname: string, options?: LookUpOptions) => Promise<readonly string[]>;

export interface LookUpOptions {
  /** Stops the look-up. */
  readonly signal?: AbortSignal | undefined;
}

export interface HostResolverOptions {
  readonly clock: Clock;
  /** The system's by default. */
  readonly servers?: readonly string[];
}

/** For both families with all tries, milliseconds. */
const DEADLINE_MS = 5_000;
/** After the first family has answered, the other one has so long (RFC 8305, section 3, asks for 50 ms). */
const OTHER_FAMILY_MS = 300;
/** More addresses than these are not looked at. */
const MAX_ADDRESSES = 32;

/** Names whose answer is cached. */
const MAX_NAMES = 10_000;
/** Addresses are cached for the TTL of their records and no longer than this, milliseconds. */
const MAX_TTL_MS = 60_000;
/** Node does not show the SOA record, so this stays below what zones commonly say (RFC 2308, section 5). */
const NO_SUCH_NAME_MS = 60_000;
/** Far below the five minutes for servers that do not answer (RFC 2308, section 7). */
const NO_ANSWER_MS = 30_000;

const ABSENT: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA']);
/** The name server fails and says so at once: trying again may help, so this is not cached. */
const TEMPORARY: ReadonlySet<string> = new Set([
  'ESERVFAIL',
  'EREFUSED',
  'ECONNREFUSED',
  'ENOTIMP',
  'EBADRESP',
]);

/** Special-use names (RFC 6761 and its registry), which the public DNS does not have; no name server is asked for them. */
const NOT_PUBLIC = /(?:^|\.)(?:alt|home\.arpa|internal|invalid|local|localhost|onion|test)$/;

/** Addresses, or why there are none. */
type Answer = { readonly addresses: readonly string[] } | { readonly failure: string };

/**
 * Looks host names up at the name servers. A look-up ends within 5 s whatever they do, and a silent name server costs no
 * other look-up anything. Addresses are candidates: whoever dials judges every one.
 */
export function createHostResolver({ clock, servers }: HostResolverOptions): Resolver {
  const lookUp = createLookUp(servers);
  const answers = new LRUCache<string, Answer>({ max: MAX_NAMES, perf: elapsedBy(clock), ttlResolution: 0 });
  const keep = (hostname: string, answer: Answer, ttl: number): void => {
    if (ttl > 0) answers.set(hostname, answer, { ttl });
  };
  return async (hostname, { signal } = {}) => {
    if (!hostname.includes('.'))
      throw new FetchGuardError('dns', 'a host name with a single label is not public');
    if (NOT_PUBLIC.test(hostname)) throw new FetchGuardError('dns', 'the host name is not in the public DNS');
    const known = answers.get(hostname);
    if (known !== undefined) return addressesOf(known);
    try {
      const { addresses, ttlMs } = await lookUp(
        (resolver) => bothFamilies(resolver, hostname),
        DEADLINE_MS,
        signal,
      );
      keep(hostname, { addresses }, ttlMs);
      return addresses;
    } catch (error) {
      signal?.throwIfAborted();
      const { code, reason } = reasonOf(error);
      const failure = `${reason} (${code})`;
      if (TEMPORARY.has(code)) throw FetchGuardError.temporary(failure);
      keep(hostname, { failure }, ABSENT.has(code) ? NO_SUCH_NAME_MS : NO_ANSWER_MS);
      throw new FetchGuardError('dns', failure);
    }
  };
}

function addressesOf(answer: Answer): readonly string[] {
  if ('failure' in answer) throw new FetchGuardError('dns', answer.failure);
  return answer.addresses;
}

interface Found {
  readonly addresses: readonly string[];
  /** 0 when a family did not answer: the next look-up may find it. */
  readonly ttlMs: number;
}

/** IPv4 first: most hosts have it, and a broken IPv6 costs a connection its time. Then in turn. */
async function bothFamilies(resolver: NameServers, hostname: string): Promise<Found> {
  const families = [resolver.resolve4(hostname, { ttl: true }), resolver.resolve6(hostname, { ttl: true })];
  await Promise.any(families).catch(({ errors }: AggregateError) => {
    throw leastCertain(errors);
  });
  const [v4, v6] = await Promise.all(
    families.map((family) =>
      Promise.race([family.catch(noneIfAbsent), delay(OTHER_FAMILY_MS, undefined, { ref: false })]),
    ),
  );
  const length = Math.max(v4?.length ?? 0, v6?.length ?? 0);
  const records = Array.from({ length }, (_, at) => [v4?.[at], v6?.[at]])
    .flat()
    .filter((record) => record !== undefined);
  const isComplete = v4 !== undefined && v6 !== undefined;
  return {
    addresses: records.slice(0, MAX_ADDRESSES).map(({ address }) => address),
    ttlMs: isComplete ? Math.min(MAX_TTL_MS, ...records.map(({ ttl }) => ttl * 1_000)) : 0,
  };
}

/** Undefined: the name server failed or is silent, so there may be records. */
function noneIfAbsent(error: unknown): readonly RecordWithTtl[] | undefined {
  return ABSENT.has(reasonOf(error).code) ? [] : undefined;
}

/** Of the failures of both families, one that leaves open whether the name has an address, if there is one. */
function leastCertain(errors: readonly unknown[]): unknown {
  return errors.find((error) => !ABSENT.has(reasonOf(error).code)) ?? errors[0];
}
