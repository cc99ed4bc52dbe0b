/** How deep objects and lists stand inside each other, counted to one above `limit`; 0 for a single value. */
export function depthOf(value: unknown, limit: number): number {
  let level: readonly unknown[] = [value].filter(isNested);
  for (let depth = 0; ; depth += 1) {
    if (level.length === 0 || depth > limit) return depth;
    level = level.flatMap((item) => Object.values(item as object)).filter(isNested);
  }
}

/** True when there are more objects, lists and single values than `limit`; no more of them are looked at than that. */
export function hasMoreValues(root: unknown, limit: number): boolean {
  const open: unknown[] = [root];
  let seen = 0;
  while (open.length > 0) {
    const value = open.pop();
    seen += 1;
    if (seen > limit) return true;
    if (!isNested(value)) continue;
    const inside = Object.values(value as object);
    if (seen + open.length + inside.length > limit) return true;
    for (const item of inside) open.push(item);
  }
  return false;
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
