import type { ComplianceRun } from '../../compliance/run-result.ts';
import type { CheckFlags } from '../commands/check.ts';
import { againAsHere } from './again-command.ts';
import { failedStepLines } from './failed-step-lines.ts';
import { printLine } from './print.ts';

const MAX_SHOWN = 20;

/** For each failed step what was expected, what came, where, and the one command that shows it again. */
export function printFailedSteps(run: ComplianceRun, flags: CheckFlags): void {
  const failed = run.steps.filter(({ result }) => result === 'fail');
  for (const step of failed.slice(0, MAX_SHOWN)) {
    printLine();
    const again = againAsHere(run.agent_url, step.storyboard_id, flags);
    for (const line of failedStepLines(step, again, 'beginning')) printLine(line);
  }
  if (failed.length > MAX_SHOWN)
    printLine(`… and ${failed.length - MAX_SHOWN} more failed steps: --json shows all`);
}
