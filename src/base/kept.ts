export interface KeepOptions {
  readonly clock: { now(): number };
  /** A value is kept for so many times as long as it took to make, from when it was made. */
  readonly times: number;
  /** But for so long at least, milliseconds. */
  readonly leastMs: number;
  /** And no longer: a clock that is set forward while a value is made seems to be long work. */
  readonly mostMs: number;
}

/** One value for all who ask. */
export interface KeptWork<T> {
  /** The kept value, or a new one when it is too old, which all who ask meanwhile wait for. */
  newest(): Promise<T>;
  /** The last value, however old, while a newer one is made. `onFault` is told why that one, begun for this caller, failed. */
  last(onFault: (error: unknown) => void): Promise<T>;
}

interface Ended<T> {
  readonly result: Promise<T>;
  readonly at: number;
  readonly keptMs: number;
}

/**
 * Keeps what is much work to make. One is made at a time, and the next one begins so late that the work takes a small
 * part of the time, however many ask.
 */
export function keep<T>(
  make: (now: number) => Promise<T>,
  { clock, times, leastMs, mostMs }: KeepOptions,
): KeptWork<T> {
  let underWay: Promise<T> | undefined;
  let ended: Ended<T> | undefined;
  let made: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    const begun = clock.now();
    const result = make(begun);
    const end = (keptMsOf: (tookMs: number) => number) => {
      const at = clock.now();
      ended = { result, at, keptMs: Math.min(mostMs, keptMsOf(at - begun)) };
      underWay = undefined;
    };
    underWay = result;
    result.then(
      () => {
        made = result;
        end((tookMs) => Math.max(leastMs, tookMs * times));
      },
      // soon again, as the reason may be gone; but work that fails late is not to go on without pause
      () => end((tookMs) => tookMs),
    );
    return result;
  };
  const kept = (): Promise<T> | undefined => {
    if (ended === undefined || Math.abs(clock.now() - ended.at) >= ended.keptMs) return undefined;
    return ended.result;
  };
  const newest = () => underWay ?? kept() ?? begin();
  return {
    newest,
    last(onFault) {
      if (made === undefined) return newest();
      if (underWay === undefined && kept() === undefined) begin().catch(onFault);
      return made;
    },
  };
}
