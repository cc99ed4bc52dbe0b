import { FEWEST_TESTED } from '../domain/standing.ts';
import type { ComplianceStore } from '../ports/compliance.ts';

/** Of one storyboard: agents whose latest run had steps of it, and those where all of them passed. */
export interface StoryboardCount {
  readonly tested: number;
  readonly passing: number;
}

/** Agents that are counted before others get their turn. */
const PIECE = 500;

/** By id, of those that enough agents ran. */
export async function countStoryboards(
  compliance: Pick<ComplianceStore, 'standings'>,
): Promise<Readonly<Record<string, StoryboardCount>>> {
  const counts = new Map<string, { tested: number; passing: number }>();
  for (let after = ''; ; ) {
    const page = await compliance.standings(after, PIECE);
    for (const { standing } of page) {
      for (const { storyboard_id: id, steps_passed: passed, steps_total: all } of standing.storyboards) {
        if (all === 0) continue;
        const count = counts.get(id) ?? { tested: 0, passing: 0 };
        count.tested += 1;
        if (passed === all) count.passing += 1;
        counts.set(id, count);
      }
    }
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.agent;
  }
  const told = [...counts].filter(([, { tested }]) => tested >= FEWEST_TESTED);
  return Object.fromEntries(told.sort(([a], [b]) => (a < b ? -1 : 1)));
}
