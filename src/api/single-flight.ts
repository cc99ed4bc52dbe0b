/** Maximum number of checks per second; further callers get the last result. */
const LOOKS_A_SECOND = 10;

/**
 * The same look for many who ask: one at a time, and ten in a second at most, so that nobody makes it work hard. Whoever
 * asks while one is under way is given that one.
 */
export function singleFlight<T>(look: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined;
  let isUnderWay = false;
  let second = 0;
  let begun = 0;
  return () => {
    const now = Math.floor(performance.now() / 1_000);
    if (now !== second) [second, begun] = [now, 0];
    if (last !== undefined && (isUnderWay || begun >= LOOKS_A_SECOND)) return last;
    begun += 1;
    isUnderWay = true;
    last = look().finally(() => {
      isUnderWay = false;
    });
    return last;
  };
}
