import type { AskedRunBody, RunBody, RunSummary } from '../../api/render/compliance-runs.ts';
import {
  type Inconclusive,
  type InconclusiveReason,
  type JudgedRun,
  shownOutcome,
} from '../../domain/judged-run.ts';
import { shellWord } from '../../domain/shell-word.ts';
import type { EvidencedRun } from '../../records/runs/compliance-runs.ts';
import { type FailedStep, failedStepLines, type ShownEvidence, shellText } from './failed-steps.ts';
import { paint, printLine } from './print.ts';
import { incompleteLines, keptSteps, troubleLines } from './run-troubles.ts';
import { shownText } from './show-value.ts';
import { visible } from './visible.ts';

/** A run that has not finished, in two lines. */
export function printAskedRun(asked: AskedRunBody): void {
  const { agent_url, run_id, state, triggered_by, asked_at, compliance_target: target } = asked;
  printLine(`${paint('bold', visible(agent_url))}  run ${visible(run_id)}`);
  const what = target === undefined ? '' : `, target ${target}`;
  printLine(`  ${state}: requested ${asked_at} (${triggered_by})${what}`);
  if (state === 'queued') printLine(`  ${WHO_TAKES_IT}`);
}

export const WHO_TAKES_IT =
  'a worker (agent-registry work) executes the run, or agent-registry heartbeat on one machine';

/** A finished run: its verdict, and each failed step with its values and the command that repeats it. */
export function printKeptRun(
  run: RunBody,
  kept: EvidencedRun,
  failed: readonly FailedStep[],
  evidence: ShownEvidence,
): void {
  printLine(`${paint('bold', visible(run.agent_url))}  run ${visible(run.run_id)}  ${kindOfRun(run)}`);
  printLine(
    `  ${run.started_at} to ${run.finished_at}, ${run.triggered_by ?? 'unknown trigger'}, ${bundleOf(run)}`,
  );
  printLine(`  ${paint('bold', run.status)}: ${shownText(run.headline ?? 'no summary stored', 600)}`);
  const { track_details: tracks, storyboard_statuses: boards } = kept.verdict;
  const gaps = new Set([
    ...tracks.filter((one) => one.has_coverage_gap_skip).map(({ track }) => track),
    ...boards.filter((one) => shownOutcome(one) === 'incomplete').map(({ track }) => track),
  ]);
  for (const [track, result] of Object.entries(run.tracks)) {
    const shown = result === 'pass' && gaps.has(track) ? 'incomplete' : result;
    if (shown !== 'skipped') printLine(`    ${shownText(track, 64)}  ${shownText(shown, 16)}`);
  }
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
  if (imported) return 'the run was imported without its steps';
  if (report === null) return 'the steps were deleted after their retention period';
  if (report.shortened === 'steps') return 'the run was too large to store its steps';
  return report.shortened === 'evidence'
    ? 'the run was too large to store the exchanged messages'
    : undefined;
}

function bundleOf({ proto_version: version, requested_compliance_target: target }: RunBody): string {
  if (version === null) return 'unknown bundle';
  const label = target === null || target === version ? '' : ` (requested as ${visible(target)})`;
  return `bundle ${visible(version)}${label}`;
}

/** How a run ended, and why the status does not follow from it. */
export function kindOfRun({ dry_run, partial, preview, decides, outcome }: RunSummary): string {
  if (dry_run) return 'dry run';
  if (partial) return 'some storyboards';
  if (preview) return `${outcome}, preview`;
  return decides ? outcome : `${outcome}, other line`;
}

interface InconclusiveWords {
  readonly why: string;
  /** What can be done about it, for an agent. */
  readonly todo: (agent: string, owner: string) => string;
}

/** Each reason in words. */
const INCONCLUSIVE_WORDS: Readonly<Record<InconclusiveReason, InconclusiveWords>> = {
  own_deadline: {
    why: 'the run reached its time limit before its last step',
    todo: (agent) => `increase the time limit: agent-registry check ${shellWord(agent)} --deadline 1800`,
  },
  own_network: {
    why: 'the network of the test runner failed: no control site answered',
    todo: () =>
      'the operator must check the network of the machine that runs the tests; the agent needs no change',
  },
  own_fault: {
    why: 'an internal error of the test runner ended the run',
    todo: () => 'the operator must check the log of the worker; the agent needs no change',
  },
  request_budget: {
    why: 'the run reached its request limit',
    todo: (agent) => `see which steps send them: agent-registry check ${shellWord(agent)} --verbose`,
  },
  auth_required: {
    why: 'the agent requires a credential, and the run had none',
    todo: (agent, owner) =>
      `the owner must store a credential: agent-registry agents credential ${shellWord(agent)} --member ${owner} --auth-env NAME; then start a run: agent-registry runs start ${shellWord(agent)}`,
  },
  declaration_unread: {
    why: 'the tool list or the capabilities could not be read, so no storyboard could be selected',
    todo: (agent) => `see the answers of the agent: agent-registry probe ${shellWord(agent)}`,
  },
  interrupted: {
    why: 'the run was interrupted',
    todo: () => 'nothing; the next run replaces this one',
  },
};

const SIGNING_KEY_MISSING: InconclusiveWords = {
  why: 'the agent requires signed requests, and this registry has no signing key for tests',
  todo: () =>
    'the operator of this registry must set the signing key of the tests: REGISTRY_TEST_KEY; the agent needs no change',
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
    `inconclusive (${inconclusive.reason}): ${why}; ${endsBadges(inconclusive) ? 'the status is unchanged, but badges end if this persists' : 'the status is unchanged'}`,
    ...(inconclusive.detail === '' ? [] : [`  ${shownText(inconclusive.detail)}`]),
    `  what to do: ${todo(shellText(agent), owner)}`,
  ];
}

/** The reason of a badge's event without its kind, which the line already has. */
export function withoutKind(reason: string): string {
  return reason.replace(/^(?:Revoked|In grace): /, '');
}
