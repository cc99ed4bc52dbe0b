import type { CheckResult, ComplianceRun, StepEvidence, StepResult } from '../../compliance/run-result.ts';
import { type CheckFlags, DESK } from '../commands/check.ts';
import { paint, printLine } from './print.ts';
import { shownText, showValue } from './show-value.ts';

const MAX_SHOWN = 20;
const MAX_VALUE_LINES = 12;

/** For each failed step what was expected, what came, where, and the one command that shows it again. */
export function printFailedSteps(run: ComplianceRun, flags: CheckFlags): void {
  const failed = run.steps.filter(({ result }) => result === 'fail');
  for (const step of failed.slice(0, MAX_SHOWN)) printStep(step, run, flags);
  if (failed.length > MAX_SHOWN)
    printLine(`… and ${failed.length - MAX_SHOWN} more failed steps: --json shows all`);
}

function printStep(step: StepResult, { agent_url: url }: ComplianceRun, flags: CheckFlags): void {
  const { storyboard_id: storyboard, phase_id: phase, step_id: id, title, task, checks, evidence } = step;
  printLine();
  printLine(
    `${paint('red', '✗')} ${paint('bold', shownText(`${storyboard}/${phase}/${id}`, 300))}  ${shownText(title)} (${shownText(task, 80)})`,
  );
  for (const check of checks.filter(({ result }) => result === 'fail')) printCheck(check);
  if (evidence !== undefined) printEvidence(evidence);
  printLine(`  again: ${againCommand(url, storyboard, flags)}`);
}

function printCheck({ check, message, pointer, expected, actual }: CheckResult): void {
  printLine(`  ${paint('red', shownText(check, 64))}: ${shownText(message)}`);
  if (pointer) printLine(`    at       ${shownText(pointer)}`);
  if (expected !== undefined) printLine(`    expected ${compact(expected)}`);
  if (actual !== undefined) printLine(`    came     ${compact(actual)}`);
}

function printEvidence({ request, response, http_status: status }: StepEvidence): void {
  printValue('sent', request);
  printValue(status === undefined ? 'came' : `came (http ${status})`, response);
}

function printValue(name: string, value: unknown): void {
  printLine(`  ${name}:`);
  const lines = typeof value === 'string' ? [`    ${shownText(value)}`] : showValue(value, '    ');
  for (const line of lines.slice(0, MAX_VALUE_LINES)) printLine(line);
  if (lines.length > MAX_VALUE_LINES)
    printLine(`    … ${lines.length - MAX_VALUE_LINES} more lines: --json shows them`);
}

function compact(value: unknown): string {
  return shownText(JSON.stringify(value) ?? 'nothing', 200);
}

/** Credentials are named, never written out. */
function againCommand(url: string, storyboard: string, flags: CheckFlags): string {
  if (flags.replay !== undefined)
    return `registry check --replay ${quoted(flags.replay)} --only ${quoted(storyboard)}`;
  const options: readonly (readonly [string, string | undefined])[] = [
    ['--storyboards', flags.storyboards],
    ['--target', flags.target === '3.0' ? undefined : flags.target],
    ['--protocol', flags.protocol],
    ['--auth-env', flags.authEnv],
    ['--auth', flags.auth?.startsWith('@') === true ? flags.auth : flags.auth && '@FILE'],
    ['--sign', flags.sign],
    ['--keys', flags.sign === undefined ? undefined : flags.keys],
    ['--as', flags.as === DESK.agentUrl ? undefined : flags.as],
    ['--operator', flags.operator],
    ['--brand', flags.brand === DESK.brand ? undefined : flags.brand],
    ...flags.connectTo.map((mapping) => ['--connect-to', mapping] as const),
    ['--connect-to-file', flags.connectToFile],
    ['--ca', flags.ca],
  ];
  const given = options.flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [name, quoted(value)],
  );
  return ['registry check', quoted(url), '--only', quoted(storyboard), ...given].join(' ');
}

/** For a POSIX shell; a line end inside would not survive being shown. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${shownText(text, 2_000).replaceAll("'", `'\\''`)}'`;
}
