import type { RobotsRules } from '../domain/robots.ts';

/** The rules of a robots.txt, valid until `expiresAt` (epoch milliseconds). */
export interface RobotsEntry {
  readonly rules: RobotsRules;
  readonly expiresAt: number;
}

/** Caches robots.txt rules by origin. A lost entry costs one request. */
export interface RobotsCache {
  find(origin: string): RobotsEntry | undefined | Promise<RobotsEntry | undefined>;
  keep(origin: string, entry: RobotsEntry): void | Promise<void>;
}
