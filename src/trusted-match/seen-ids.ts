/** Ids that one operation had lately. Each operation has its own: comparing them would be the very link to avoid. */
export interface SeenIds {
  /** True the first time. Takes UUIDs. */
  remember(id: string): boolean;
}

/** Where the last part of a UUID starts: 48 bits, all of them random. */
const LAST_PART = 24;

/**
 * An id that came before is no random one: a user's id in the place of a request's would come again. The last `size`
 * ids at least are known, at most twice as many, by 48 bits of each; they are in memory only.
 */
export function createSeenIds(size = 50_000): SeenIds {
  let older = new Set<number>();
  let newer = new Set<number>();
  return {
    remember(id) {
      const bits = Number.parseInt(id.slice(LAST_PART), 16);
      if (newer.has(bits) || older.has(bits)) return false;
      if (newer.size >= size) {
        older = newer;
        newer = new Set();
      }
      newer.add(bits);
      return true;
    },
  };
}
