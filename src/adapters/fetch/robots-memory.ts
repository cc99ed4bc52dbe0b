import { NO_ROBOTS_RULES } from '../../domain/robots.ts';
import type { RobotsCache, RobotsEntry } from '../../ports/robots-cache.ts';

/** In this process only; the oldest entries go when there are more than `maxEntries`. */
export function createRobotsMemory(maxEntries = 100_000): RobotsCache {
  const entries = new Map<string, RobotsEntry>();
  return {
    find: (origin) => entries.get(origin),
    keep(origin, { rules, expiresAt }) {
      entries.delete(origin);
      // Nearly every entry has no rules: one shared object for all of them keeps the cache small.
      entries.set(origin, {
        rules: rules.rules.length === 0 && rules.crawlDelayMs === undefined ? NO_ROBOTS_RULES : rules,
        expiresAt,
      });
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    },
  };
}
