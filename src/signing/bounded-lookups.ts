import { type KeySource, unavailable } from './key-source.ts';

export interface LookupBounds {
  /** Lookups under way in this process. */
  readonly atOnce: number;
  /** For one of them, milliseconds; what it fetches may still arrive for the next one. */
  readonly deadlineMs: number;
}

/**
 * Bounds what looking for keys can cost us where strangers' messages bring it about: so many at once, each with a
 * deadline. Beyond that the keys are unavailable for now.
 */
export function createBoundedLookups({ atOnce, deadlineMs }: LookupBounds): (source: KeySource) => KeySource {
  let underWay = 0;
  return (source) => ({
    async find(keyid) {
      if (underWay >= atOnce) return unavailable('too many keys are being looked for at the moment');
      underWay += 1;
      const lookup = source.find(keyid).finally(() => {
        underWay -= 1;
      });
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
