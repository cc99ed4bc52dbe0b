import { outcomeOf } from '../domain/judged-run.ts';
import { FEWEST_TESTED } from '../domain/standing.ts';
import type { ComplianceStore } from '../records/runs/compliance-store.ts';

/** Of one storyboard: agents whose latest run had steps of it, and of these those that pass and those left incomplete. */
export interface StoryboardCount {
  readonly tested: number;
  readonly passing: number;
  readonly incomplete: number;
}

/** Agents that are counted before others get their turn. */
const PIECE = 500;

/** By id, of those that enough agents ran. */
export async function countStoryboards(
  compliance: Pick<ComplianceStore, 'standings'>,
): Promise<Readonly<Record<string, StoryboardCount>>> {
  const counts = new Map<string, { tested: number; passing: number; incomplete: number }>();
  for (let after = ''; ; ) {
    const page = await compliance.standings(after, PIECE);
    for (const { standing } of page) {
      for (const status of standing.storyboards) {
        const outcome = outcomeOf(status);
        if (outcome === 'skipped') continue;
        const { storyboard_id: id } = status;
        const count = counts.get(id) ?? { tested: 0, passing: 0, incomplete: 0 };
        count.tested += 1;
        if (outcome === 'pass') count.passing += 1;
        if (outcome === 'incomplete') count.incomplete += 1;
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
