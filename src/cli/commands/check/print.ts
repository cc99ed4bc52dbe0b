import type { ComplianceRun, StoryboardResult } from '../../../compliance/run-result.ts';
import type { StepResult } from '../../../compliance/step-result.ts';
import type { Bundle } from '../../../compliance/storyboards/bundle.ts';
import { hasErrors } from '../../../domain/finding.ts';
import type { Result, Unreachable, Verdict } from '../../../domain/judged-run.ts';
import { failedStepLines } from '../../output/failed-steps.ts';
import { failureHint } from '../../output/failure-hints.ts';
import { counted, duration, note, paint, printJson, printLine, table } from '../../output/print.ts';
import { shownText } from '../../output/show-value.ts';
import { visible } from '../../output/visible.ts';
import { againAsHere } from './again.ts';
import type { CheckFlags } from './flags.ts';
import type { RecordedRun } from './record.ts';

const MAX_FAILED_STEPS = 20;
const MAX_FINDINGS = 40;

const MARKS: Readonly<Record<Result, string>> = { pass: '✓', fail: '✗', skipped: '–' };
const COLOURS = { pass: 'green', fail: 'red', skipped: 'dim' } as const;

/** Prints what a run came to, with its verdict and where it was recorded; the JSON follows schemas/cli/check.json. */
export function printCheckRun(
  run: ComplianceRun,
  verdict: Verdict,
  flags: CheckFlags,
  recorded?: RecordedRun,
): void {
  if (flags.json === true) {
    printJson({ ...run, verdict, ...(recorded && { recorded }) });
    return;
  }
  printHead(run, verdict);
  if (run.unreachable !== undefined) printUnreachable(run.unreachable, run.agent_url);
  printTracks(run);
  printFailedSteps(run, flags);
  printEnd(run, verdict);
  if (recorded !== undefined)
    printLine(`recorded as ${run.run_id}; its standing: GET ${recorded.compliance_path}`);
}

function printHead(
  { agent_url: url, agent, outcome, dry_run: dry, duration_ms: ms, ...run }: ComplianceRun,
  { specialism_status: came }: Verdict,
): void {
  const how = agent === null ? [] : [`${agent.protocol} at ${visible(agent.endpoint)}`];
  const bundle = run.proto_version === null ? [] : [`bundle ${run.proto_version}`];
  const marks = [...(dry ? ['dry run'] : []), ...(outcome === 'complete' ? [] : [outcome])];
  printLine([paint('bold', visible(url)), ...how, ...bundle, duration(ms), ...marks].join('  '));
  if (agent === null) return;
  const declared = [
    ...(agent.supported_protocols.length > 0 ? [`protocols ${agent.supported_protocols.join(', ')}`] : []),
    ...(agent.specialisms.length > 0
      ? [`specialisms ${agent.specialisms.map((name) => withStatus(name, came[name])).join(', ')}`]
      : []),
    `sandbox ${agent.sandbox ? 'yes' : 'no'}`,
    `test controller ${agent.test_controller ? 'yes' : 'no'}`,
  ];
  printLine(`  ${shownText(declared.join('; '), 600)}`);
}

/** Only what is left to be done is told of a specialism. */
function withStatus(name: string, status: string | undefined): string {
  return status === undefined || status === 'pass' ? name : `${name} (${status})`;
}

function printUnreachable({ error_class: errorClass, message }: Unreachable, url: string): void {
  printLine(`  ${paint('red', errorClass)}: ${shownText(message)}`);
  const hint = failureHint(errorClass, url);
  if (hint !== undefined) printLine(`  hint: ${hint}`);
}

function printTracks({ storyboards, steps }: ComplianceRun): void {
  const tracks = [...new Set(storyboards.map(({ track }) => track))];
  for (const track of tracks) {
    const own = storyboards.filter((storyboard) => storyboard.track === track);
    const failed = own.some(({ result }) => result === 'fail');
    const result = failed ? 'fail' : own.some((one) => one.result === 'pass') ? 'pass' : 'skipped';
    printLine(`${paint(COLOURS[result], MARKS[result])} ${paint('bold', shownText(track, 64))}`);
    const lines = table(own.map((one) => [one.storyboard_id, outcomeOf(one, steps)])).split('\n');
    for (const [index, line] of lines.entries()) {
      const mark = own[index]?.result ?? 'skipped';
      printLine(`    ${paint(COLOURS[mark], MARKS[mark])}  ${line}`);
    }
  }
}

function outcomeOf({ title, ...storyboard }: StoryboardResult, steps: readonly StepResult[]): string {
  const {
    steps_passed: passed,
    steps_failed: failed,
    steps_skipped: skipped,
    skip_detail: detail,
  } = storyboard;
  if (detail !== undefined) return shownText(detail, 160) + gapOf(storyboard.coverage_gap);
  const counts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  const why = storyboard.result === 'skipped' ? whySkipped(storyboard.storyboard_id, steps) : '';
  return `${shownText(title, 80)}: ${counts.join(', ')}${gapOf(storyboard.coverage_gap)}${why}`;
}

/** Of the first step, which is what most of the others say too. */
function whySkipped(storyboard: string, steps: readonly StepResult[]): string {
  const first = steps.find(({ storyboard_id: id }) => id === storyboard);
  return first?.skip_detail === undefined ? '' : `: ${shownText(first.skip_detail, 160)}`;
}

function gapOf(coverageGap: boolean): string {
  return coverageGap ? ' (coverage gap)' : '';
}

/** For each failed step what was expected, what came, where, and the one command that shows it again. */
function printFailedSteps(run: ComplianceRun, flags: CheckFlags): void {
  const failed = run.steps.filter(({ result }) => result === 'fail');
  for (const step of failed.slice(0, MAX_FAILED_STEPS)) {
    printLine();
    const again = againAsHere(run.agent_url, step.storyboard_id, flags);
    for (const line of failedStepLines(step, again, 'beginning')) printLine(line);
  }
  if (failed.length > MAX_FAILED_STEPS)
    printLine(`… and ${failed.length - MAX_FAILED_STEPS} more failed steps: --json shows all`);
}

function printEnd(run: ComplianceRun, verdict: Verdict): void {
  const { totals, notices, observations, requests } = run;
  for (const { severity, message } of [...notices, ...observations])
    printLine(`${shownText(severity, 32)}: ${shownText(message)}`);
  if (run.inconclusive !== undefined) {
    printLine(
      `${paint('yellow', 'inconclusive')}: ${shownText(run.inconclusive.detail)}; nothing is held against the agent`,
    );
    if (run.inconclusive.reason === 'auth_required')
      printLine(
        '  hint: give a token with --auth-env NAME, and a key for what it wants signed with --sign KEY',
      );
  }
  const { storyboards, steps } = totals;
  printLine(
    `${counted(storyboards.total, 'storyboard')}: ${storyboards.passed} passed, ${storyboards.failed} failed, ${storyboards.skipped} skipped; ` +
      `${counted(steps.total, 'step')}: ${steps.passed} passed, ${steps.failed} failed, ${steps.skipped} skipped; ${counted(requests, 'request')}`,
  );
  const says = run.dry_run || run.partial === true ? 'the agent would be' : 'the agent is';
  printLine(`${says} ${paint('bold', verdict.status)}: ${shownText(verdict.headline, 600)}`);
}

/** What is wrong in the files of a bundle, on stderr: a file with errors is not run. */
export function printBundleFindings({ findings }: Bundle): void {
  const lines = findings.flatMap(({ file, findings: found }) =>
    found.flatMap(({ severity, line = 1, column = 1, message, hint }) => [
      `${shownText(file)}:${line}:${column}  ${severity}: ${shownText(message)}${hint === undefined ? '' : `; ${shownText(hint)}`}`,
    ]),
  );
  for (const line of lines.slice(0, MAX_FINDINGS)) note(line);
  if (lines.length > MAX_FINDINGS) note(`… and ${lines.length - MAX_FINDINGS} more findings`);
  const left = findings.filter((one) => hasErrors(one.findings)).length;
  if (left > 0) note(`${left} of the files cannot be run`);
}
