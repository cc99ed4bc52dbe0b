import { withinBytes } from '../../base/json-bytes.ts';
import type { StepResult } from '../../compliance/step-result.ts';
import type { EvidencedRun } from '../../records/runs/compliance-runs.ts';

/** More than a page of an answer has room for, bytes. */
const MAX_BYTES = 250 * 1_024;

/**
 * The failed steps of a kept run in their order, those without a valid answer first. Empty for a run that was imported,
 * is past its time, or was too large to be kept with its steps.
 */
export function failedStepsOf(run: Pick<EvidencedRun, 'report'> | undefined): readonly StepResult[] {
  const steps = Array.isArray(run?.report?.steps) ? (run.report.steps as readonly StepResult[]) : [];
  const failed = steps.filter(({ result }) => result === 'fail');
  return failed.toSorted((one, other) => Number(isAnswered(one)) - Number(isAnswered(other)));
}

function isAnswered({ no_answer: none }: StepResult): boolean {
  return none === undefined;
}

/** A failed step without the exchanged messages; the run itself has them. */
export function failedStepBody(step: StepResult) {
  const { storyboard_id, phase_id, step_id, title, task, duration_ms, doc_ref, no_answer, checks } = step;
  return {
    ...{ storyboard_id, phase_id, step_id, title, task, duration_ms },
    doc_ref: doc_ref ?? null,
    no_answer: no_answer ?? null,
    independent: step.independent === true,
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

/** The failed steps of one run, bounded; empty for everybody but the owner. */
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
