/**
 * The time for an `lru-cache` with a `ttl` whose clock somebody may set: `new LRUCache({ perf: elapsedBy(clock),
 * ttlResolution: 0 })`. A clock that is put back makes entries older, as it does when it is set forward; otherwise they
 * would stay fresh until it has caught up.
 */
export function elapsedBy(clock: { now(): number }): { now(): number } {
  let last: number | undefined;
  let elapsed = 1; // to lru-cache an entry of the time 0 has no age
  return {
    now() {
      const now = clock.now();
      elapsed += Math.abs(now - (last ?? now));
      last = now;
      return elapsed;
    },
  };
}
