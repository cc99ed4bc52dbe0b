import { type KeySource, unavailable } from './key-source.ts';

export interface LookupBounds {
  /** Lookups under way in this process. */
  readonly atOnce: number;
  /** Of them for one name: a site that keeps us waiting must leave places for others. */
  readonly atOnceForOne: number;
  /** For one of them, milliseconds; what it fetches may still arrive for the next one. */
  readonly deadlineMs: number;
}

/** The same source under bounds; `name` is whose keys they are, a domain for example. */
export type BoundLookups = (name: string, source: KeySource) => KeySource;

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
      if (isFull) return unavailable('too many keys are being looked for at the moment');
      underWay.push(name);
      const lookup = source.find(keyid).finally(() => underWay.splice(underWay.indexOf(name), 1));
      return inTime(lookup, deadlineMs);
    },
  });
}

async function inTime(
  lookup: ReturnType<KeySource['find']>,
  deadlineMs: number,
): Promise<Awaited<typeof lookup>> {
  const late = Promise.withResolvers<Awaited<typeof lookup>>();
  const timer = setTimeout(
    () => late.resolve(unavailable(`the keys were not found within ${deadlineMs} ms`)),
    deadlineMs,
  );
  try {
    return await Promise.race([lookup, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
