import { backOffMs } from '../base/back-off.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;

/** What leads to an engine, user and password included, as it is now. */
export interface LiveAddress<T> {
  current(): T;
  /** Reads it again. True when it is another one than `used` by now. */
  changed(used: T): boolean;
  /** The engine refused `used` for this reason. True when the address is another one by now. */
  refused(used: T, fault: unknown): boolean;
  /** Why the engine is not asked at the moment: it refused what we have a short while ago. Undefined: ask it. */
  cooldown(): unknown;
  /** The engine took it. */
  accepted(): void;
}

/**
 * An address that may be changed while the process runs: `readAgain` is asked when the engine refuses what is there. It
 * returns undefined for an address that cannot change, or that cannot be read just now. An engine that goes on refusing is
 * asked less and less, every 5 s at last: it may lock out whoever tries too often.
 */
export function liveAddress<T>(given: T, readAgain: () => T | undefined = () => undefined): LiveAddress<T> {
  let current = given;
  let failures = 0;
  let refusal: { readonly fault: unknown; readonly until: number } | undefined;
  const accepted = () => {
    failures = 0;
    refusal = undefined;
  };
  const changed = (used: T) => {
    if (used !== current) return true;
    const read = readAgain();
    if (read === undefined || String(read) === String(current)) return false;
    current = read;
    accepted();
    return true;
  };
  return {
    current: () => current,
    changed,
    refused(used, fault) {
      if (changed(used)) return true;
      failures += 1;
      refusal = { fault, until: performance.now() + backOffMs(failures, FIRST_WAIT_MS, LONGEST_WAIT_MS) };
      return false;
    },
    cooldown: () => (refusal !== undefined && performance.now() < refusal.until ? refusal.fault : undefined),
    accepted,
  };
}

/** Does some work again, as often as the engine refuses an address that has become another one. */
export async function withLiveAddress<T>(
  { current }: Pick<LiveAddress<unknown>, 'current'>,
  work: () => Promise<T>,
  isRefused: (error: unknown) => boolean,
): Promise<T> {
  for (;;) {
    const used = current();
    try {
      return await work();
    } catch (error) {
      if (!isRefused(error) || current() === used) throw error;
    }
  }
}
