import type { RobotsRules } from '../domain/robots.ts';

/** How long a turn that work for a caller had is kept free for the visit of ours that wanted it, milliseconds. */
export const WANTED_MS = 60_000;

/**
 * One process at a time visits a registrable domain, and leaves a pause before the next. A turn that is not given back
 * runs out by itself. Work that callers ask for yields: it looks with `isWanted` whether a visit of the registry itself waits for
 * its turn, and gets no turn while one does.
 */
export interface Politeness {
  /**
   * Takes the turns of those domains that nobody else has; a holder may take its own again. `yields`: for work that a caller
   * asked for. A claim for a visit of the registry itself marks the turns it misses as wanted, where such work holds them.
   */
  claim(
    registrableDomains: readonly string[],
    holder: string,
    now: number,
    leaseMs: number,
    options?: { readonly yields?: boolean },
  ): Promise<ReadonlySet<string>>;
  /** Whether a visit of the registry itself waits for this turn. */
  isWanted(registrableDomain: string, now: number): Promise<boolean>;
  /** Gives turns back; nobody gets them before `freeAt` (epoch milliseconds). */
  release(registrableDomains: readonly string[], holder: string, freeAt: number): Promise<void>;
}

/** A robots.txt as it was read, good until `expiresAt` (epoch milliseconds). */
export interface RobotsEntry {
  readonly rules: RobotsRules;
  readonly expiresAt: number;
}

/** Where robots.txt rules are kept, by origin. Losing an entry costs one request. */
export interface RobotsCache {
  find(origin: string): RobotsEntry | undefined | Promise<RobotsEntry | undefined>;
  keep(origin: string, entry: RobotsEntry): void | Promise<void>;
}
