import type { FinishedRun } from '../../../src/compliance/run-result.ts';
import { foldRun } from '../../../src/compliance/verdict/fold-run.ts';
import { NEVER_RUN, type Standing } from '../../../src/domain/standing.ts';
import { judgedRun, START } from './judged-runs.ts';

export type Story = readonly (readonly [at: number, run: Partial<FinishedRun>])[];

/** The standing after these runs, each folded in as it ended; `at` counts from the start. */
export function standingAfter(...story: Story): Standing {
  return story.reduce((standing, [at, more]) => {
    return foldRun(standing, judgedRun(START + at, more), START + at);
  }, NEVER_RUN);
}
