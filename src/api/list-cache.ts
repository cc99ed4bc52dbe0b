import { LRUCache } from 'lru-cache';
import type { Records } from '../ports/records.ts';
import type { TaggedAnswer } from './answers.ts';

/** A rendered answer, ready to be sent. */
export interface RenderedBody extends TaggedAnswer {
  /** The value of the Link header; absent on the last page. */
  readonly link?: string;
  /** The last moment, epoch milliseconds, at which the same data yield the same bytes. */
  readonly validUntil: number;
}

type Versioned = Record<'records' | 'index', Pick<Records, 'version'>>;

/** Differs whenever anything that an answer may show has changed. */
export async function dataVersion({ records, index }: Versioned): Promise<string> {
  return (await Promise.all([records.version(), index.version()])).join(' ');
}

/** Rendered answers by the key of their request. */
export interface BodyCache<Body extends RenderedBody = RenderedBody> {
  /** The answer, if the data are still of this version and the answer is valid at `now`. Call it once for each request. */
  get(key: string, version: string, now: number): Body | undefined;
  /** The same for a request that called `get` before. */
  getAgain(key: string, version: string, now: number): Body | undefined;
  /** `version` is that of the data before they were read. */
  set(key: string, version: string, rendered: Body): void;
}

/**
 * Caches an answer from its second request on. Most pages of a list are requested once, by a client that walks through it, and
 * must not evict what others request again and again.
 */
export function cachedWhenRequestedAgain<Body extends RenderedBody>(cache: BodyCache<Body>): BodyCache<Body> {
  const requests = new LRUCache<string, number>({
    maxSize: MAX_KEY_CHARACTERS,
    sizeCalculation: (_, key) => key.length + 1, // the key of a list without parameters is empty
  });
  return {
    get(key, version, now) {
      const kept = cache.get(key, version, now);
      if (kept === undefined) requests.set(key, (requests.get(key) ?? 0) + 1);
      return kept;
    },
    getAgain: cache.getAgain,
    set(key, version, rendered) {
      if ((requests.get(key) ?? 0) > 1) cache.set(key, version, rendered);
    },
  };
}

/** Of the keys whose requests are counted: about 20,000 pages of a list. */
const MAX_KEY_CHARACTERS = 4_000_000;

/** What an entry costs beside its body: key, tag, link and the objects around them, bytes. */
const OVERHEAD_BYTES = 1_024;

/**
 * Makes a cache of at most `maxBytes` bytes; the least recently used answers are dropped first. An answer larger than that is
 * not kept.
 */
export function createBodyCache<Body extends RenderedBody = RenderedBody>(maxBytes: number): BodyCache<Body> {
  const entries = new LRUCache<string, { readonly version: string; readonly rendered: Body }>({
    maxSize: maxBytes,
    sizeCalculation: ({ rendered }, key) => rendered.body.length + key.length * 2 + OVERHEAD_BYTES,
  });
  const get: BodyCache<Body>['get'] = (key, version, now) => {
    const entry = entries.get(key);
    const isValid = entry?.version === version && now <= entry.rendered.validUntil;
    return isValid ? entry.rendered : undefined;
  };
  return {
    get,
    getAgain: get,
    set: (key, version, rendered) => void entries.set(key, { version, rendered }),
  };
}
