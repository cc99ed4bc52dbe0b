import { backOffMs } from '../base/back-off.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;

/** The address of an engine with its credentials, which may change. */
export interface LiveAddress<T> {
  current(): T;
  /** Reads it again. True if it differs from `used` now. */
  changed(used: T): boolean;
  /** The engine denied access with `used`. True if the address has changed since. */
  refused(used: T, fault: unknown): boolean;
  /** The last refusal, during the cooldown after it; undefined: call the engine. */
  cooldown(): unknown;
  /** The engine accepted the credentials. */
  accepted(): void;
}

/**
 * An address that may change while the process runs. `readAgain` is called when the engine denies access, and returns undefined for
 * an address that cannot change or cannot be read now. An engine that keeps denying access is retried with growing pauses, up to
 * 5 s, to avoid a lock-out.
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

/** Repeats work whenever the engine refuses an address that has changed since. */
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
