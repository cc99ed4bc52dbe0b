import type { AskedRunBody, RunBody } from '../../api/render/compliance-runs.ts';
import type { Inconclusive, InconclusiveReason, JudgedRun } from '../../domain/judged-run.ts';
import { shellWord } from '../../domain/shell-word.ts';
import type { EvidencedRun } from '../../ports/compliance.ts';
import { type FailedStep, failedStepLines, type ShownEvidence, shellText } from './failed-steps.ts';
import { paint, printLine } from './print.ts';
import { incompleteLines, keptSteps, troubleLines } from './run-troubles.ts';
import { shownText } from './show-value.ts';
import { visible } from './visible.ts';

/** A run that has not finished, in two lines. */
export function printAskedRun({ agent_url, run_id, state, triggered_by, asked_at }: AskedRunBody): void {
  printLine(`${paint('bold', visible(agent_url))}  run ${visible(run_id)}`);
  printLine(`  ${state}: requested ${asked_at} (${triggered_by})`);
  if (state === 'queued') printLine(`  ${WHO_TAKES_IT}`);
}

export const WHO_TAKES_IT =
  'a worker makes the run (agent-registry work), or agent-registry heartbeat on one machine';

/** A finished run: its verdict, and each failed step with its values and the command that repeats it. */
export function printKeptRun(
  run: RunBody,
  kept: EvidencedRun,
  failed: readonly FailedStep[],
  evidence: ShownEvidence,
): void {
  printLine(`${paint('bold', visible(run.agent_url))}  run ${visible(run.run_id)}  ${kindOf(run)}`);
  printLine(`  ${run.started_at} to ${run.finished_at}, ${run.triggered_by ?? 'trigger not known'}`);
  printLine(`  ${paint('bold', run.status)}: ${shownText(run.headline ?? 'no headline is kept', 600)}`);
  for (const [track, result] of Object.entries(run.tracks))
    if (result !== 'skipped') printLine(`    ${shownText(track, 64)}  ${shownText(result, 16)}`);
  if (kept.unreachable !== undefined)
    printLine(`  ${kept.unreachable.error_class}: ${shownText(kept.unreachable.message)}`);
  for (const line of [
    ...inconclusiveLines(kept, run.agent_url),
    ...troubleLines(kept),
    ...incompleteLines(kept.verdict.storyboard_statuses, keptSteps(kept)),
  ])
    printLine(`  ${line}`);
  for (const { step, again } of failed) {
    printLine();
    for (const line of failedStepLines(step, again, evidence)) printLine(line);
  }
  const missing = missingSteps(kept);
  if (missing !== undefined) printLine(`  ${missing}`);
}

/** Why a run shows no steps, or not all of them; undefined when all were kept. */
export function missingSteps({ report, imported }: EvidencedRun): string | undefined {
  if (imported) return 'the run was imported: its steps are not kept here';
  if (report === null) return 'its steps were deleted after their retention time';
  if (report.shortened === 'steps') return 'the run was too large to keep its steps';
  return report.shortened === 'evidence' ? 'the run was too large to keep the exchanged messages' : undefined;
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

/** Each reason in words. */
const INCONCLUSIVE_WORDS: Readonly<Record<InconclusiveReason, InconclusiveWords>> = {
  own_deadline: {
    why: 'the time for a run ended before its last step',
    todo: (agent) => `give the run more time: agent-registry check ${shellWord(agent)} --deadline 1800`,
  },
  own_network: {
    why: 'our own network failed: no control site answered either',
    todo: () => 'check the network of the machine that runs the tests; the agent needs no change',
  },
  own_fault: {
    why: 'an error of ours ended the run',
    todo: () => 'see the log of the worker; the agent needs no change',
  },
  request_budget: {
    why: 'the run used all requests that it may send',
    todo: (agent) => `see which steps need them: agent-registry check ${shellWord(agent)} --verbose`,
  },
  auth_required: {
    why: 'the agent requires a credential that the run did not have',
    todo: (agent, owner) =>
      `store one for its owner: agent-registry agents credential ${shellWord(agent)} --member ${owner} --auth-env NAME; then start a run: agent-registry runs start ${shellWord(agent)}`,
  },
  declaration_unread: {
    why: 'the tool list or the capabilities could not be read, so no storyboard could be selected',
    todo: (agent) => `see what the agent answers: agent-registry probe ${shellWord(agent)}`,
  },
  interrupted: {
    why: 'the run was stopped before its end',
    todo: () => 'nothing; the next run replaces it',
  },
};

const SIGNING_KEY_MISSING: InconclusiveWords = {
  why: 'the agent requires signed requests, and this registry has no signing key',
  todo: () => 'set the key that tests are signed with: REGISTRY_TEST_KEY',
};

/** Why a run was inconclusive, and what to do. */
export function inconclusiveWords({ reason, lacks }: Omit<Inconclusive, 'detail'>): InconclusiveWords {
  return lacks === 'signing_key' ? SIGNING_KEY_MISSING : INCONCLUSIVE_WORDS[reason];
}

/** Whether badges end when runs stay inconclusive for this reason (docs/reference/badges.md, The life of a badge). */
function endsBadges({ reason, lacks }: Inconclusive): boolean {
  return reason === 'declaration_unread' || lacks === 'credential';
}

/** Why a run does not judge the agent, and what to do; nothing for a run that does. */
export function inconclusiveLines(
  { inconclusive }: Pick<JudgedRun, 'inconclusive'>,
  agent: string,
  owner = 'SLUG',
): readonly string[] {
  if (inconclusive === undefined) return [];
  const { why, todo } = inconclusiveWords(inconclusive);
  return [
    `inconclusive (${inconclusive.reason}): ${why}; ${endsBadges(inconclusive) ? 'its status stays, but badges end if this goes on' : 'nothing is held against the agent'}`,
    ...(inconclusive.detail === '' ? [] : [`  ${shownText(inconclusive.detail)}`]),
    `  what to do: ${todo(shellText(agent), owner)}`,
  ];
}

/** The reason of a badge's event without its kind, which the line already has. */
export function withoutKind(reason: string): string {
  return reason.replace(/^(?:Revoked|In grace): /, '');
}
