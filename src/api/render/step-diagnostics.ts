import { withinBytes } from '../../base/json-bytes.ts';
import type { StepResult } from '../../compliance/step-result.ts';
import type { EvidencedRun } from '../../ports/compliance.ts';

/** More than a page of an answer has room for, bytes. */
const MAX_BYTES = 250 * 1_024;

/**
 * The failed steps of a kept run, in their order; none of one that was imported, is past its time, or was too large to be
 * kept with its steps.
 */
export function failedStepsOf(run: Pick<EvidencedRun, 'report'> | undefined): readonly StepResult[] {
  const steps = Array.isArray(run?.report?.steps) ? (run.report.steps as readonly StepResult[]) : [];
  return steps.filter(({ result }) => result === 'fail');
}

/** A failed step without the messages that went to and fro; the run itself has them. */
export function failedStepBody({ storyboard_id, phase_id, step_id, title, task, checks }: StepResult) {
  return {
    ...{ storyboard_id, phase_id, step_id, title, task },
    checks: checks
      .filter(({ result }) => result === 'fail')
      .map(({ check, message, pointer, expected, actual }) => ({
        check,
        message,
        pointer: pointer ?? null,
        expected: expected ?? null,
        actual: actual ?? null,
      })),
  };
}

/** What failed in one run, bounded; empty for everybody but the owner. */
export function stepDiagnostics(agent: string, run: EvidencedRun | undefined, limit: number) {
  const failed = failedStepsOf(run);
  const steps = withinBytes(failed.slice(0, limit).map(failedStepBody), MAX_BYTES);
  return {
    agent_url: agent,
    run_id: run?.run_id ?? null,
    steps,
    count: steps.length,
    ...(steps.length < failed.length && { steps_truncated: true as const }),
  };
}
