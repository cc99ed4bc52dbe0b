import type { ComplianceRun, StoryboardResult } from '../../../compliance/run-result.ts';
import type { StepResult } from '../../../compliance/step-result.ts';
import type { Result, Unreachable, Verdict } from '../../../domain/judged-run.ts';
import { failedStepLines } from '../../output/failed-steps.ts';
import { counted, duration, paint, printJson, printLine, table } from '../../output/print.ts';
import { failureHint } from '../../output/probe-answer.ts';
import { shownText } from '../../output/show-value.ts';
import { visible } from '../../output/visible.ts';
import { againAsHere } from './again.ts';
import { failureLines, skipLines, wrapped } from './causes.ts';
import type { CheckFlags } from './flags.ts';
import type { RecordedRun } from './record.ts';

const MAX_FAILED_STEPS = 20;

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
  printSummary(run, verdict);
  if (run.unreachable !== undefined) printUnreachable(run.unreachable, run.agent_url);
  if (flags.verbose === true) {
    printTracks(run);
    printFailedSteps(run, flags);
  } else {
    printTrackLines(run);
    for (const line of [...failureLines(run, flags), ...skipLines(run)]) printLine(line);
  }
  printRemarks(run);
  if (recorded !== undefined)
    printLine(`recorded as ${run.run_id}; its standing: GET ${recorded.compliance_path}`);
}

function printHead(
  { agent_url: url, agent, outcome, dry_run: dry, duration_ms: ms, ...run }: ComplianceRun,
  { specialism_status: came }: Verdict,
): void {
  const how = agent === null ? [] : [`${agent.protocol} at ${visible(agent.endpoint)}`];
  const bundle = run.proto_version === null ? [] : [`bundle ${run.proto_version}`];
  if (run.schemas) bundle.push(`schemas ${shownText(run.schemas.version ?? run.schemas.digest, 32)}`);
  const marks = [...(dry ? ['dry run'] : []), ...(outcome === 'complete' ? [] : [outcome])];
  for (const line of wrapped(
    [paint('bold', visible(url)), ...how, ...bundle, duration(ms), ...marks].join('  '),
    '',
    '  ',
  ))
    printLine(line);
  if (agent === null) return;
  const declared = [
    ...(agent.supported_protocols.length > 0 ? [`protocols ${agent.supported_protocols.join(', ')}`] : []),
    ...(agent.specialisms.length > 0
      ? [`specialisms ${agent.specialisms.map((name) => withStatus(name, came[name])).join(', ')}`]
      : []),
    `sandbox ${agent.sandbox ? 'yes' : 'no'}`,
    `test controller ${agent.test_controller ? 'yes' : 'no'}`,
  ];
  for (const line of wrapped(shownText(declared.join('; '), 600), '  ')) printLine(line);
}

/** First of all what it came to. */
function printSummary(run: ComplianceRun, verdict: Verdict): void {
  const { storyboards, steps } = run.totals;
  const says = run.dry_run || run.partial === true ? 'the agent would be' : 'the agent is';
  for (const line of wrapped(
    `${says} ${paint('bold', verdict.status)}: ${shownText(verdict.headline, 600)}`,
    '',
    '  ',
  ))
    printLine(line);
  printLine(
    `${counted(storyboards.total, 'storyboard')}: ${storyboards.passed} passed, ${storyboards.failed} failed, ${storyboards.skipped} skipped`,
  );
  printLine(
    `${counted(steps.total, 'step')}: ${steps.passed} passed, ${steps.failed} failed, ${steps.skipped} skipped; ${counted(run.requests, 'request')}`,
  );
}

/** A line for each track; `--verbose` has its storyboards. */
function printTrackLines({ storyboards }: ComplianceRun): void {
  const byTrack = Map.groupBy(storyboards, ({ track }) => track);
  const rows = [...byTrack].map(([track, own]) => {
    const of = (result: Result) => own.filter((one) => one.result === result).length;
    const result = of('fail') > 0 ? 'fail' : of('pass') > 0 ? 'pass' : 'skipped';
    const gaps = own.filter(({ coverage_gap: gap }) => gap).length;
    const told = (['pass', 'fail', 'skipped'] as const).flatMap((one) =>
      of(one) > 0 ? [`${of(one)} ${one}`] : [],
    );
    return [
      `${paint(COLOURS[result], MARKS[result])} ${shownText(track, 32)}`,
      `${told.join(', ')}${gaps === 0 ? '' : `; ${counted(gaps, 'coverage gap')}`}`,
    ];
  });
  if (rows.length > 0) printLine(table(rows));
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

function printRemarks(run: ComplianceRun): void {
  const { notices, observations } = run;
  for (const { severity, message } of [...notices, ...observations])
    for (const line of wrapped(`${shownText(severity, 32)}: ${shownText(message)}`, '', '  '))
      printLine(line);
  if (run.inconclusive !== undefined) {
    const told = `${paint('yellow', 'inconclusive')}: ${shownText(run.inconclusive.detail)}; nothing is held against the agent`;
    for (const line of wrapped(told, '', '  ')) printLine(line);
    if (run.inconclusive.reason === 'auth_required')
      printLine(
        '  hint: give a token with --auth-env NAME, and a key for what it wants signed with --sign KEY',
      );
  }
}
