import { type FoundKey, type KeySource, keysUnavailable } from './key-source.ts';

interface LookupBounds {
  /** Lookups under way in this process. */
  readonly atOnce: number;
  /** Of them for one name: a site that keeps us waiting must leave places for others. */
  readonly atOnceForOne: number;
  /** For one of them, milliseconds; what it fetches may still arrive for the next one. */
  readonly deadlineMs: number;
}

/** The same source under bounds; `name` is whose keys they are, a domain for example. */
type BoundLookups = (name: string, source: KeySource) => KeySource;

/**
 * Bounds what looking for keys can cost us where strangers' messages bring it about: so many at once, fewer for one
 * name, each with a deadline. Beyond that the keys are unavailable for now.
 */
export function createBoundedLookups({ atOnce, atOnceForOne, deadlineMs }: LookupBounds): BoundLookups {
  const underWay: string[] = [];
  return (name, source) => ({
    async find(keyid) {
      const isFull =
        underWay.length >= atOnce || underWay.filter((one) => one === name).length >= atOnceForOne;
      if (isFull) return keysUnavailable('too many keys are being looked for at the moment');
      underWay.push(name);
      const lookup = source.find(keyid).finally(() => underWay.splice(underWay.indexOf(name), 1));
      return inTime(lookup, deadlineMs);
    },
  });
}

async function inTime(lookup: Promise<FoundKey>, deadlineMs: number): Promise<FoundKey> {
  const late = Promise.withResolvers<FoundKey>();
  const timer = setTimeout(
    () => late.resolve(keysUnavailable(`the keys were not found within ${deadlineMs} ms`)),
    deadlineMs,
  );
  try {
    return await Promise.race([lookup, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
