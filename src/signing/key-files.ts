import { LRUCache } from 'lru-cache';
import { elapsedBy } from '../base/elapsed.ts';
import type { Answered } from '../domain/capture.ts';
import { cacheLifetime } from '../domain/text.ts';
import type { Clock } from '../ports/clock.ts';
import type { Fetcher } from '../ports/fetcher.ts';

/** Seconds between two fetches of one file that a stranger's message can bring about, whatever its headers say. */
const COOLDOWN_MS = 30_000;
/** A file of this age has nothing newer behind it. */
const JUST_NOW_MS = 1_000;
/** For a file that does not say how long it is fresh. */
const DEFAULT_LIFETIME_MS = 5 * 60_000;
/** A revoked key must not live longer by a generous header. */
const MAX_LIFETIME_MS = 15 * 60_000;
const DEADLINE_MS = 10_000;
/** URLs kept. */
const MAX_FILES = 1_000;

export interface KeyFilesOptions<T> {
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly maxBytes: number;
  /** Undefined for bytes that are no such file. */
  readonly read: (bytes: Uint8Array) => T | undefined;
}

/** A file, or the reason why it is unavailable. */
export type KeyFile<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

export interface KeyFiles<T> {
  /** The file, from memory while it is fresh. Failures are remembered for 30 s. */
  get(url: string): Promise<KeyFile<T>>;
  /**
   * The file, fetched again although it is fresh, for a reader who misses something in `seen`. Undefined when that
   * was done for this file less than 30 s ago, or when `seen` has only now been fetched. A failure changes nothing
   * for those who miss nothing.
   */
  again(url: string, seen: KeyFile<T>): Promise<KeyFile<T> | undefined>;
}

interface Entry<T> {
  readonly file: KeyFile<T>;
  readonly fetchedAt: number;
  /** How long it is fresh from then on, milliseconds. */
  readonly ttl: number;
}

/** Files that keys are found by: fetched with no redirect allowed, once for all who ask at the same time. */
export function createKeyFiles<T>(options: KeyFilesOptions<T>): KeyFiles<T> {
  const { clock } = options;
  const limits = { max: MAX_FILES, perf: elapsedBy(clock), ttlResolution: 0 };
  const entries = new LRUCache<string, Entry<T>>(limits);
  /** Files that were fetched again a short while ago. */
  const forced = new LRUCache<string, true>({ ...limits, ttl: COOLDOWN_MS });
  const fetchOnce = createShared((url: string) => fetchEntry(url, options));
  const keep = (url: string, entry: Entry<T>): KeyFile<T> => {
    entries.set(url, entry, { ttl: entry.ttl });
    return entry.file;
  };
  return {
    async get(url) {
      return entries.get(url)?.file ?? keep(url, await fetchOnce(url));
    },
    async again(url, seen) {
      const known = entries.get(url);
      if (known !== undefined && known.file !== seen) return known.file;
      if (known !== undefined && Math.abs(clock.now() - known.fetchedAt) < JUST_NOW_MS) return undefined;
      if (forced.has(url)) return undefined;
      forced.set(url, true);
      const entry = await fetchOnce(url);
      return entry.file.ok ? keep(url, entry) : entry.file;
    },
  };
}

/** Work that is done once for all who ask for it while it runs. */
function createShared<V>(work: (key: string) => Promise<V>): (key: string) => Promise<V> {
  const running = new Map<string, Promise<V>>();
  return (key) => {
    const known = running.get(key);
    if (known !== undefined) return known;
    const started = work(key).finally(() => running.delete(key));
    running.set(key, started);
    return started;
  };
}

async function fetchEntry<T>(url: string, options: KeyFilesOptions<T>): Promise<Entry<T>> {
  const capture = await options.fetcher.visit(
    { host: new URL(url).hostname, deadlineMs: DEADLINE_MS },
    (visit) => visit.get({ url, maxBytes: options.maxBytes, redirects: { allow: 'none' } }),
  );
  const fetchedAt = options.clock.now();
  const failed = (reason: string): Entry<T> => ({
    file: { ok: false, reason: `${url}: ${reason}` },
    fetchedAt,
    ttl: COOLDOWN_MS,
  });
  if (!capture.ok) return failed(capture.failure.detail);
  if (capture.status !== 200) return failed(`HTTP status ${capture.status}`);
  const value = options.read(capture.body);
  if (value === undefined) return failed('invalid content');
  return { file: { ok: true, value }, fetchedAt, ttl: lifetime(capture) };
}

function lifetime({ headers }: Answered): number {
  return Math.min(Math.max(cacheLifetime(headers) ?? DEFAULT_LIFETIME_MS, COOLDOWN_MS), MAX_LIFETIME_MS);
}
