import { checkOptions, type Tester } from '../../api/render/check-options.ts';
import { failedStepBody, failedStepsOf } from '../../api/render/step-diagnostics.ts';
import type { CheckResult, StepEvidence, StepResult } from '../../compliance/step-result.ts';
import { shellWord } from '../../domain/shell-word.ts';
import type { EvidencedRun } from '../../ports/compliance.ts';
import { paint } from './print.ts';
import { shownText } from './show-value.ts';

/** A failed step of a kept run, with what shows it again. */
export interface FailedStep {
  readonly step: StepResult;
  readonly again: string;
}

/**
 * The failed steps of a kept run, in their order; none of one that was imported, is past its time, or was too large to be
 * kept with its steps.
 */
export function failedSteps(run: EvidencedRun, agent: string, facts: KeptRunFacts): readonly FailedStep[] {
  const given = checkOptions(agent, run, facts).flatMap(([name, value]) => [name, shellText(value)]);
  return failedStepsOf(run).map((step) => ({
    step,
    again: [againCommand(agent, step.storyboard_id), ...given].join(' '),
  }));
}

/** The same as JSON (schemas/cli/failed-step.json): without the exchanged messages; `report` has them. */
export function failedStepJson({ step, again }: FailedStep) {
  return { ...failedStepBody(step), again };
}

/** How much is shown of what went to and fro: nothing, its beginning, or all that was kept. */
export type ShownEvidence = 'none' | 'beginning' | 'all';

const MAX_VALUE_LINES = 12;
/** Checks that say in words, not by a value, what they wanted, and what came. */
const SAYS_WANTED: ReadonlySet<string> = new Set([
  'expect_success',
  'expect_error',
  'field_present',
  'field_absent',
  'envelope_field_present',
  'context_output',
]);
/** True for a check whose message says what it wanted. */
export function saysWanted(check: string): boolean {
  return SAYS_WANTED.has(check);
}

const SAYS_CAME: ReadonlySet<string> = new Set(['expect_success', 'expect_error']);

/**
 * A failed step for people: for each failed check what was expected, what came and where, then what went to and fro, and
 * the one command that shows it again. Texts of strangers are escaped.
 */
export function failedStepLines(step: StepResult, again: string, evidence: ShownEvidence): readonly string[] {
  const { storyboard_id: storyboard, phase_id: phase, step_id: id, title, task, checks } = step;
  return [
    `${paint('red', '✗')} ${paint('bold', shownText(`${storyboard}/${phase}/${id}`, 300))}  ${shownText(title)} (${shownText(task, 80)})`,
    ...checks.filter(({ result }) => result === 'fail').flatMap(checkLines),
    ...(evidence === 'none' || step.evidence === undefined ? [] : evidenceLines(step.evidence, evidence)),
    `  again: ${again}`,
  ];
}

function checkLines({ check, message, pointer, expected, actual }: CheckResult): string[] {
  return [
    `  ${paint('red', shownText(check, 64))}: ${shownText(message)}`,
    ...(pointer ? [`    at       ${shownText(pointer)}`] : []),
    ...(expected === undefined
      ? []
      : [`    expected ${saysWanted(check) ? inWords(expected) : compact(expected)}`]),
    ...(actual === undefined
      ? []
      : [`    came     ${SAYS_CAME.has(check) ? inWords(actual) : compact(actual)}`]),
  ];
}

function evidenceLines(
  { request, response, http_status: status, response_cut: isCut }: StepEvidence,
  shown: ShownEvidence,
): string[] {
  const came = status === undefined ? 'came' : `came (http ${status})`;
  return [
    ...valueLines('sent', request, shown),
    ...valueLines(isCut === true && shown === 'all' ? `${came}, its beginning` : came, response, shown),
  ];
}

function valueLines(name: string, value: unknown, shown: ShownEvidence): string[] {
  const lines = typeof value === 'string' ? [`    ${textOf(value, shown)}`] : jsonLines(value);
  if (lines.length === 0) return [`  ${name}: nothing`];
  const rest = shown === 'all' ? 0 : Math.max(lines.length - MAX_VALUE_LINES, 0);
  return [
    `  ${name}:`,
    ...lines.slice(0, lines.length - rest),
    ...(rest > 0 ? [`    … ${rest} more lines: --json shows them`] : []),
  ];
}

/** As JSON, so that a list of one is seen to be a list. */
function jsonLines(value: unknown): readonly string[] {
  const text = JSON.stringify(value, null, 2) ?? '';
  return text === '' || text === '{}' ? [] : text.split('\n').map((line) => `    ${shownText(line)}`);
}

function textOf(value: string, shown: ShownEvidence): string {
  return shown === 'all' ? shownText(value, value.length) : shownText(value);
}

function inWords(value: unknown): string {
  return typeof value === 'string' ? shownText(value, 200) : compact(value);
}

function compact(value: unknown): string {
  return shownText(JSON.stringify(value) ?? 'nothing', 200);
}

/** What is known of a run that was made elsewhere, of which nothing is here but what was kept. */
interface KeptRunFacts {
  /** The owner has stored a test credential. */
  readonly hasCredential: boolean;
  /** As whom this registry tests. */
  readonly tester: Tester;
}

export function againCommand(url: string, storyboard: string): string {
  return `agent-registry check ${shellText(url)} --only ${shellText(storyboard)}`;
}

/** For a POSIX shell; a line end inside would not survive being shown. */
export function shellText(text: string): string {
  return shellWord(shownText(text, 2_000));
}
