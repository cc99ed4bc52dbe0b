/** The longest wait after a failure, milliseconds. */
const LONGEST_MS = 30_000;

/** The wait after so many failures in a row, milliseconds: none without one, then doubling from the first to the longest. */
export function backOffMs(failures: number, firstMs: number, longestMs: number): number {
  return failures <= 0 ? 0 : Math.min(firstMs * 2 ** (failures - 1), longestMs);
}

export interface BackedOff {
  /** Does the work, unless it failed a short while ago. */
  run(): Promise<void>;
  /** Why the last try failed; undefined while all is well. */
  fault(): unknown;
}

/**
 * Work that may fail and is tried again later: after each failure in a row it is left alone twice as long, from
 * `firstMs` up to half a minute. `tolerate` hears of each failure, and throws what is to end the caller. `recovered` hears
 * of the first success after failures, and how many these were.
 */
export function backOff(
  work: () => Promise<unknown>,
  firstMs: number,
  tolerate: (error: unknown) => void,
  recovered: (failures: number) => void = () => {},
): BackedOff {
  let failures = 0;
  let notBefore = 0;
  let fault: unknown;
  return {
    async run() {
      if (performance.now() < notBefore) return;
      try {
        await work();
        if (failures > 0) recovered(failures);
        failures = 0;
        fault = undefined;
      } catch (error) {
        fault = error;
        failures += 1;
        notBefore = performance.now() + backOffMs(failures, firstMs, LONGEST_MS);
        tolerate(error);
      }
    },
    fault: () => fault,
  };
}

/** Waits for so many milliseconds, or until the signal. The wait keeps no process alive when it is `unref`. */
export function pause(
  ms: number,
  signal?: AbortSignal,
  { unref = false }: { readonly unref?: boolean } = {},
): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (unref) timer.unref();
    signal?.addEventListener('abort', end, { once: true });
  });
}
