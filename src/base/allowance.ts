export interface AllowanceOptions {
  readonly clock: { now(): number };
  /** For one name in a window. */
  readonly max: number;
  /** Milliseconds. */
  readonly windowMs: number;
}

interface Window {
  readonly endsAt: number;
  used: number;
}

/** Names remembered at once; beyond it the one that began first is forgotten. */
const MAX_NAMES = 20_000;

/** Counts uses of a name: milliseconds to wait when it has been used too often, else 0. */
export interface Allowance {
  (name: string): number;
  /** Takes back a use that came to nothing. */
  giveBack(name: string): void;
}

/** What one caller may do, counted in this process alone. */
export function createAllowance({ clock, max, windowMs }: AllowanceOptions): Allowance {
  const windows = new Map<string, Window>();
  const use = (name: string) => {
    const now = clock.now();
    const known = windows.get(name);
    // a window that ends later than any can is of a clock that was put back
    if (known === undefined || known.endsAt <= now || known.endsAt > now + windowMs) {
      windows.delete(name);
      const [oldest] = windows.keys();
      if (windows.size >= MAX_NAMES && oldest !== undefined) windows.delete(oldest);
      windows.set(name, { endsAt: now + windowMs, used: 1 });
      return 0;
    }
    if (known.used >= max) return known.endsAt - now;
    known.used += 1;
    return 0;
  };
  return Object.assign(use, {
    giveBack(name: string) {
      const known = windows.get(name);
      if (known !== undefined && known.used > 0) known.used -= 1;
    },
  });
}
