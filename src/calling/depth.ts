/** How deep objects and lists stand inside each other, counted to one above `limit`; 0 for a single value. */
export function depthOf(value: unknown, limit: number): number {
  let level: readonly unknown[] = [value].filter(isNested);
  for (let depth = 0; ; depth += 1) {
    if (level.length === 0 || depth > limit) return depth;
    level = level.flatMap((item) => Object.values(item as object)).filter(isNested);
  }
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
