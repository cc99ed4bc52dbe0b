import { withinBytes } from '../../../base/json-bytes.ts';
import type { ComplianceRun, StoryboardResult } from '../../../compliance/run-result.ts';
import type { StepResult } from '../../../compliance/step-result.ts';
import { outcomeOf, type StoryboardStatus, shownOutcome } from '../../../domain/judged-run.ts';
import type { RunStory, StoryboardTold } from '../../../pages/owner/run-story.ts';
import type { RunTroubles } from '../../../pages/owner/view.ts';
import type { EvidencedRun } from '../../../records/runs/compliance-runs.ts';

/** The maximum on a page beside the failed steps, bytes. */
const MAX_BYTES = 40 * 1_024;

/**
 * A stored run, storyboard by storyboard, with the duration of each step, bounded. If its steps were deleted, its verdict
 * still has the storyboards.
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

function begun(one: StoryboardResult, steps: readonly StepResult[]): StoryboardTold {
  const { storyboard_id: id, title, duration_ms } = one;
  const result = shownOutcome(one);
  const own = steps.filter((step) => step.storyboard_id === id);
  const skipped = result === 'incomplete' ? own.filter((step) => step.result === 'skipped') : [];
  const gap = skipped.find(({ coverage_gap: isGap }) => isGap === true) ?? skipped[0];
  const why = one.skip_detail ?? gap?.skip_detail;
  return {
    ...{ id, title, result, duration_ms },
    steps: own.map((step) => ({ title: step.title, result: step.result, duration_ms: step.duration_ms })),
    ran: { steps: one.steps_passed + one.steps_failed, of: one.steps_total },
    ...(result !== one.result && { counts_as_passing: true as const }),
    ...(why !== undefined && { why }),
  };
}

function ofVerdict(status: StoryboardStatus): StoryboardTold {
  const { storyboard_id: id, title, duration_ms, steps_total: ran, steps_skipped: skipped } = status;
  const result = shownOutcome(status);
  return {
    ...{ id, title, result, steps: [] },
    ...(result !== outcomeOf(status) && { counts_as_passing: true as const }),
    ...(duration_ms !== undefined && { duration_ms }),
    ...(skipped !== undefined && { ran: { steps: ran, of: ran + skipped } }),
  };
}

/** Why a run was inconclusive or incomplete. */
export function troublesOf(
  { report, inconclusive }: Pick<EvidencedRun, 'report' | 'inconclusive'>,
  credential: RunTroubles['credential'],
): RunTroubles {
  const { unread, blocked_by } = (report ?? {}) as Pick<ComplianceRun, 'unread' | 'blocked_by'>;
  return {
    credential,
    ...(inconclusive && { inconclusive }),
    ...(unread && { unread }),
    ...(blocked_by && { blocked_by }),
  };
}
