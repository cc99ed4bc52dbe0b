import type { SqliteDatabase } from '../../../src/records/sqlite/database.ts';
import { markOf } from './load-rows.ts';

/** Each set lacks other agents than the one before, one in so many. */
const GAP = 20;

/** Whether an agent, by its number from 0, is not in a set. */
export function isMissing(agent: number, set: number): boolean {
  return agent % GAP === set % GAP;
}

/** The URLs of synthetic agents by their numbers. */
export function urlsOf(agents: number): readonly string[] {
  return Array.from(
    { length: agents },
    (_, at) => `https://agent-${String(at).padStart(8, '0')}.vendor${at % 97}.example/mcp`,
  );
}

/** Makes the stored documents those of the next set: another name for each, and other agents that are not listed. */
export function nextSet(database: SqliteDatabase, set: number): void {
  database
    .statement(
      `UPDATE document SET value = replace(value, ?, ?),
         hash = CASE WHEN (version - 1) % ${GAP} = ? THEN NULL ELSE 'bench' END`,
    )
    .run(markOf(set), markOf(set + 1), (set + 1) % GAP);
}
