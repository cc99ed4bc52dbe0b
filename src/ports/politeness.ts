import type { RobotsRules } from '../domain/robots.ts';

/**
 * One process at a time visits a registrable domain, and leaves a pause before the next. A turn that is not given back
 * runs out by itself.
 */
export interface Politeness {
  /** Takes the turns of those domains that nobody else has; a holder may take its own again. */
  claim(
    registrableDomains: readonly string[],
    holder: string,
    now: number,
    leaseMs: number,
  ): Promise<ReadonlySet<string>>;
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
