import type { AskedRunBody, RunBody } from '../../api/render/compliance-runs.ts';

import type { EvidencedRun } from '../../ports/compliance.ts';
import { failedStepLines, type ShownEvidence } from './failed-step-lines.ts';
import type { FailedStep } from './failed-steps.ts';
import { inconclusiveLines } from './inconclusive.ts';
import { paint, printLine } from './print.ts';
import { shownText } from './show-value.ts';
import { visible } from './visible.ts';

/** A run that is not over, in two lines. */
export function printAskedRun({ agent_url, run_id, state, triggered_by, asked_at }: AskedRunBody): void {
  printLine(`${paint('bold', visible(agent_url))}  run ${visible(run_id)}`);
  printLine(`  ${state}: asked for ${asked_at} (${triggered_by})`);
  if (state === 'queued') printLine(`  ${WHO_TAKES_IT}`);
}

export const WHO_TAKES_IT = 'a worker takes it up (registry work); on one machine registry heartbeat does';

/** A run that is over: its verdict, and each failed step with what was expected, what came, and what shows it again. */
export function printKeptRun(
  run: RunBody,
  kept: EvidencedRun,
  failed: readonly FailedStep[],
  evidence: ShownEvidence,
): void {
  printLine(`${paint('bold', visible(run.agent_url))}  run ${visible(run.run_id)}  ${kindOf(run)}`);
  printLine(
    `  ${run.started_at} to ${run.finished_at}, ${run.triggered_by ?? 'nobody knows what set it off'}`,
  );
  printLine(`  ${paint('bold', run.status)}: ${shownText(run.headline ?? 'nothing is said of it', 600)}`);
  for (const [track, result] of Object.entries(run.tracks))
    if (result !== 'skipped') printLine(`    ${shownText(track, 64)}  ${shownText(result, 16)}`);
  if (kept.unreachable !== undefined)
    printLine(`  ${kept.unreachable.error_class}: ${shownText(kept.unreachable.message)}`);
  for (const line of inconclusiveLines(kept, run.agent_url)) printLine(`  ${line}`);
  for (const { step, again } of failed) {
    printLine();
    for (const line of failedStepLines(step, again, evidence)) printLine(line);
  }
  const missing = missingSteps(kept);
  if (missing !== undefined) printLine(`  ${missing}`);
}

/** Why a run shows no steps, or not all of them; undefined when all were kept. */
export function missingSteps({ report, imported }: EvidencedRun): string | undefined {
  if (imported) return 'it was recorded elsewhere: its steps were never here';
  if (report === null) return 'its steps are past their time and were deleted';
  if (report.shortened === 'steps') return 'it was too large to be kept with its steps';
  return report.shortened === 'evidence'
    ? 'it was too large to be kept with what went to and fro'
    : undefined;
}

function kindOf({ dry_run, partial, outcome }: RunBody): string {
  if (dry_run) return 'dry run';
  return partial ? 'some storyboards' : outcome;
}
