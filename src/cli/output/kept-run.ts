import type { AskedRunBody, RunBody } from '../../api/render/compliance-runs.ts';
import type { InconclusiveReason, JudgedRun } from '../../domain/judged-run.ts';
import { shellWord } from '../../domain/shell-word.ts';
import type { EvidencedRun } from '../../ports/compliance.ts';
import { type FailedStep, failedStepLines, type ShownEvidence, shellText } from './failed-steps.ts';
import { paint, printLine } from './print.ts';
import { shownText } from './show-value.ts';
import { visible } from './visible.ts';

/** A run that is not over, in two lines. */
export function printAskedRun({ agent_url, run_id, state, triggered_by, asked_at }: AskedRunBody): void {
  printLine(`${paint('bold', visible(agent_url))}  run ${visible(run_id)}`);
  printLine(`  ${state}: asked for ${asked_at} (${triggered_by})`);
  if (state === 'queued') printLine(`  ${WHO_TAKES_IT}`);
}

export const WHO_TAKES_IT =
  'a worker takes it up (agent-registry work); on one machine agent-registry heartbeat does';

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
  return report.shortened === 'evidence' ? 'it was too large to keep with the exchanged messages' : undefined;
}

function kindOf({ dry_run, partial, outcome }: RunBody): string {
  if (dry_run) return 'dry run';
  return partial ? 'some storyboards' : outcome;
}

interface InconclusiveWords {
  readonly why: string;
  /** What can be done about it, for an agent. */
  readonly todo: (agent: string, owner: string) => string;
}

/** Each reason in plain words. */
export const INCONCLUSIVE_WORDS: Readonly<Record<InconclusiveReason, InconclusiveWords>> = {
  own_deadline: {
    why: 'the time that a run may take was over before its last step',
    todo: (agent) => `see what takes so long: agent-registry check ${shellWord(agent)} --deadline 1800`,
  },
  own_network: {
    why: 'our own network did not work: the control probe failed too',
    todo: () => 'nothing is to be done for the agent; look at the network of the machine that tests',
  },
  own_fault: {
    why: 'an error of ours ended it',
    todo: () => 'nothing is to be done for the agent; the log of the worker says what went wrong',
  },
  request_budget: {
    why: 'all requests that one run may send were used up',
    todo: (agent) => `see what asks so often: agent-registry check ${shellWord(agent)}`,
  },
  auth_required: {
    why: 'the agent wants a credential or a signature, and none was given',
    todo: (agent, owner) =>
      `its owner stores one: agent-registry agents credential ${shellWord(agent)} --member ${owner} --auth-env NAME; then agent-registry runs start ${shellWord(agent)} tests it without waiting; a signature needs the key that runs are signed with (REGISTRY_TEST_KEY)`,
  },
  interrupted: {
    why: 'it was stopped before its end',
    todo: () => 'nothing is to be done: the next run takes its place',
  },
};

/** Why a run says nothing of the agent, and what can be done about it; nothing for one that does. */
export function inconclusiveLines(
  { inconclusive }: Pick<JudgedRun, 'inconclusive'>,
  agent: string,
  owner = 'SLUG',
): readonly string[] {
  if (inconclusive === undefined) return [];
  const { why, todo } = INCONCLUSIVE_WORDS[inconclusive.reason];
  return [
    `inconclusive (${inconclusive.reason}): ${why}; ${inconclusive.lacks === undefined ? 'nothing is held against the agent' : 'its status stays, and badges end when this lasts'}`,
    ...(inconclusive.detail === '' ? [] : [`  ${shownText(inconclusive.detail)}`]),
    `  what to do: ${todo(shellText(agent), owner)}`,
  ];
}

/** The reason of a badge's event where its kind stands before it: the sentences of the timeline begin with theirs. */
export function withoutKind(reason: string): string {
  return reason.replace(/^(?:Revoked|In grace): /, '');
}
