import type { RobotsRules } from '../domain/robots.ts';

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
