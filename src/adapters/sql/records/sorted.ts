/** The entries by their keys: whoever writes rows that others write too takes them in one order, so that none waits for the other crosswise. */
export function sortedByKey<Key extends string | number, Value>(
  entries: ReadonlyMap<Key, Value>,
): readonly (readonly [Key, Value])[] {
  return [...entries].sort(([a], [b]) => ascending(a, b));
}

/** Texts by their code units, numbers by their size. */
export function ascending<Key extends string | number>(a: Key, b: Key): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
