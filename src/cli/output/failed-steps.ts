import type { StepResult } from '../../compliance/step-result.ts';
import type { EvidencedRun } from '../../ports/compliance.ts';
import { againAsKept, type KeptRunFacts } from './again-command.ts';

/** A failed step of a kept run, with what shows it again. */
export interface FailedStep {
  readonly step: StepResult;
  readonly again: string;
}

/**
 * The failed steps of a kept run, in their order; none of one that was imported, is past its time, or was too large to be
 * kept with its steps.
 */
export function failedSteps(
  { report, requested_compliance_target: target }: EvidencedRun,
  agent: string,
  { hasCredential, tester }: Pick<KeptRunFacts, 'hasCredential' | 'tester'>,
): readonly FailedStep[] {
  const steps = Array.isArray(report?.steps) ? (report.steps as readonly StepResult[]) : [];
  return steps
    .filter(({ result }) => result === 'fail')
    .map((step) => ({
      step,
      again: againAsKept(agent, step.storyboard_id, { target, hasCredential, tester }),
    }));
}

/** The same as JSON (schemas/cli/failed-step.json): without what went to and fro, of which the report is. */
export function failedStepJson({ step, again }: FailedStep) {
  const { storyboard_id, phase_id, step_id, title, task, checks } = step;
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
    again,
  };
}
