import { withinBytes } from '../../../base/json-bytes.ts';
import type { StoryboardResult } from '../../../compliance/run-result.ts';
import type { StepResult } from '../../../compliance/step-result.ts';
import type { StoryboardStatus } from '../../../domain/judged-run.ts';
import type { RunStory, StoryboardTold } from '../../../pages/owner/run-story.ts';
import type { EvidencedRun } from '../../../ports/compliance.ts';

/** As much as a page has room for beside the failed steps, bytes. */
const MAX_BYTES = 40 * 1_024;

/**
 * A kept run from its first storyboard to its last, with the time of each step, bounded. Where its steps are not kept any
 * more, its verdict still has the storyboards.
 */
export function toldRun({ report, verdict }: Pick<EvidencedRun, 'report' | 'verdict'>): RunStory {
  const run = (report ?? {}) as Partial<ReportParts>;
  const { storyboards: kept = [], steps = [] } = run;
  const all: readonly StoryboardTold[] =
    kept.length > 0 ? kept.map((one) => begun(one, steps)) : verdict.storyboard_statuses.map(ofVerdict);
  const storyboards = withinBytes(all, MAX_BYTES);
  const without_steps = kept.length === 0 && all.length > 0;
  return { storyboards, is_cut: storyboards.length < all.length, without_steps };
}

interface ReportParts {
  readonly storyboards: readonly StoryboardResult[];
  readonly steps: readonly StepResult[];
}

function begun(
  { storyboard_id: id, title, result, duration_ms, skip_detail: why }: StoryboardResult,
  steps: readonly StepResult[],
): StoryboardTold {
  const own = steps
    .filter((step) => step.storyboard_id === id)
    .map((step) => ({ title: step.title, result: step.result, duration_ms: step.duration_ms }));
  return { id, title, result, duration_ms, steps: own, ...(why !== undefined && { why }) };
}

function ofVerdict({
  storyboard_id: id,
  title,
  duration_ms,
  steps_passed,
  steps_total,
}: StoryboardStatus): StoryboardTold {
  const result = steps_total === 0 ? 'skipped' : steps_passed < steps_total ? 'fail' : 'pass';
  return { id, title, result, steps: [], ...(duration_ms !== undefined && { duration_ms }) };
}
