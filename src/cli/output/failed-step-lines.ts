import type { CheckResult, StepEvidence, StepResult } from '../../compliance/step-result.ts';
import { paint } from './print.ts';
import { shownText, showValue } from './show-value.ts';

/** How much is shown of what went to and fro: nothing, its beginning, or all that was kept. */
export type ShownEvidence = 'none' | 'beginning' | 'all';

const MAX_VALUE_LINES = 12;
/** Checks that say in words, not by a value, what they wanted, and what came. */
const SAYS_WANTED: ReadonlySet<string> = new Set([
  'expect_success',
  'expect_error',
  'field_present',
  'field_absent',
  'context_output',
]);
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
      : [`    expected ${SAYS_WANTED.has(check) ? inWords(expected) : compact(expected)}`]),
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
  const lines = typeof value === 'string' ? [`    ${textOf(value, shown)}`] : showValue(value, '    ');
  if (lines.length === 0) return [`  ${name}: nothing`];
  const rest = shown === 'all' ? 0 : Math.max(lines.length - MAX_VALUE_LINES, 0);
  return [
    `  ${name}:`,
    ...lines.slice(0, lines.length - rest),
    ...(rest > 0 ? [`    … ${rest} more lines: --json shows them`] : []),
  ];
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
