/** The longest wait after a failure, milliseconds. */
const LONGEST_MS = 30_000;

export interface BackedOff {
  /** Does the work, unless it failed a short while ago. */
  run(): Promise<void>;
  /** Why the last try failed; undefined while all is well. */
  fault(): unknown;
}

/**
 * Work that may fail and is tried again later: after each failure in a row it is left alone twice as long, from
 * `firstMs` up to half a minute. `tolerate` hears of each failure, and throws what is to end the caller.
 */
export function backOff(
  work: () => Promise<unknown>,
  firstMs: number,
  tolerate: (error: unknown) => void,
): BackedOff {
  let failures = 0;
  let notBefore = 0;
  let fault: unknown;
  return {
    async run() {
      if (performance.now() < notBefore) return;
      try {
        await work();
        failures = 0;
        fault = undefined;
      } catch (error) {
        fault = error;
        notBefore = performance.now() + Math.min(LONGEST_MS, firstMs * 2 ** failures);
        failures += 1;
        tolerate(error);
      }
    },
    fault: () => fault,
  };
}
