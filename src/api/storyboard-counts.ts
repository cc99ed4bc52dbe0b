import { storyboardOf } from '../domain/badge.ts';
import type { ComplianceStore } from '../ports/compliance.ts';

/** Of one storyboard: agents whose latest run had steps of it, and those where all of them passed. */
export interface StoryboardCount {
  readonly tested: number;
  readonly passing: number;
}

/** Agents that are counted before others get their turn. */
const PIECE = 500;
/** What one agent did in one storyboard is its owner's alone, so nothing is told of a handful. */
const FEWEST = 5;

/** By id. What an agent makes of its own specialisms is public (specification, 2.5), so these are counted however few they are. */
export async function countStoryboards(
  compliance: Pick<ComplianceStore, 'standings'>,
): Promise<Readonly<Record<string, StoryboardCount>>> {
  const counts = new Map<string, { tested: number; passing: number }>();
  const open = new Set<string>();
  for (let after = ''; ; ) {
    const page = await compliance.standings(after, PIECE);
    for (const { standing } of page) {
      const { storyboards, latest } = standing;
      for (const name of Object.keys(latest?.verdict.specialism_status ?? {})) open.add(storyboardOf(name));
      for (const { storyboard_id: id, steps_passed: passed, steps_total: all } of storyboards) {
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
  const told = [...counts].filter(([id, { tested }]) => tested >= FEWEST || open.has(id));
  return Object.fromEntries(told.sort(([a], [b]) => (a < b ? -1 : 1)));
}
