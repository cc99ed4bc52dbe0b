import { checkOptions, type RepeatFacts } from '../../api/render/check-options.ts';
import { failedStepBody, failedStepsOf } from '../../api/render/step-diagnostics.ts';
import type { CheckResult, StepEvidence, StepResult } from '../../compliance/step-result.ts';
import type { ErrorClass } from '../../domain/observation.ts';
import { shellWord } from '../../domain/shell-word.ts';
import type { EvidencedRun } from '../../records/runs/compliance-runs.ts';
import { counted, paint } from './print.ts';
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
export function failedSteps(run: EvidencedRun, agent: string, facts: RepeatFacts): readonly FailedStep[] {
  const given = checkOptions(agent, run, facts).flatMap(([name, value]) => [name, shellText(value)]);
  return failedStepsOf(run).map((step) => ({
    step,
    again: [againCommand(shellText(agent), ...selectionOf(step)), ...given].join(' '),
  }));
}

/** The same as JSON (schemas/cli/failed-step.json): without the exchanged messages; `report` has them. */
export function failedStepJson({ step, again }: FailedStep) {
  return { ...failedStepBody(step), again };
}

/** How much is shown of the exchanged messages: nothing, its beginning, or all that was kept. */
export type ShownEvidence = 'none' | 'beginning' | 'all';

const MAX_VALUE_LINES = 12;
/** Checks whose message says what was expected, in words and not by a value. */
const SAYS_WANTED: ReadonlySet<string> = new Set([
  'expect_success',
  'expect_error',
  'field_present',
  'field_absent',
  'envelope_field_present',
  'capture_path_not_resolvable',
]);
/** True for a check whose message says what was expected. */
export function saysWanted(check: string): boolean {
  return SAYS_WANTED.has(check);
}

const SAYS_CAME: ReadonlySet<string> = new Set(['expect_success', 'expect_error']);

/**
 * A failed step for people: each failed check with its expected and received value and their place, the exchanged messages,
 * where the bundle documents the step, and the command that repeats it. Texts of strangers are escaped.
 */
export function failedStepLines(step: StepResult, again: string, evidence: ShownEvidence): readonly string[] {
  const { storyboard_id: storyboard, phase_id: phase, step_id: id, title, task, checks } = step;
  return [
    `${paint('red', '✗')} ${paint('bold', shownText(`${storyboard}/${phase}/${id}`, 300))}  ${shownText(title)} (${shownText(task, 80)})`,
    ...(step.no_answer === undefined ? [] : [`  no valid answer: ${receivedInstead([step])}`]),
    ...(step.no_answer?.words === undefined
      ? []
      : [`  message of the agent: “${shownText(step.no_answer.words)}”`]),
    ...checks.filter(({ result }) => result === 'fail').flatMap(checkLines),
    ...(evidence === 'none' || step.evidence === undefined ? [] : evidenceLines(step.evidence, evidence)),
    ...(step.doc_ref === undefined ? [] : [`  docs: ${shownText(step.doc_ref)}`]),
    `  repeat: ${again}`,
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
      : [`    received ${SAYS_CAME.has(check) ? inWords(actual) : compact(actual)}`]),
  ];
}

function evidenceLines(
  { request, response, http_status: status, content_type: type, response_cut: isCut }: StepEvidence,
  shown: ShownEvidence,
): string[] {
  const http = status === undefined ? '' : ` (HTTP ${status}${type === undefined ? '' : ` ${type}`})`;
  const received = `received${shownText(http, 120)}`;
  return [
    ...valueLines('sent', request, shown),
    ...valueLines(
      isCut === true && shown === 'all' ? `${received}, its beginning` : received,
      response,
      shown,
    ),
  ];
}

function valueLines(name: string, value: unknown, shown: ShownEvidence): string[] {
  const lines = typeof value === 'string' ? [`    ${textOf(value, shown)}`] : jsonLines(value);
  if (lines.length === 0) return [`  ${name}: nothing`];
  const rest = shown === 'all' ? 0 : Math.max(lines.length - MAX_VALUE_LINES, 0);
  return [
    `  ${name}:`,
    ...lines.slice(0, lines.length - rest),
    ...(rest > 0 ? [`    … ${counted(rest, 'more line')}: --json shows them`] : []),
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

/** Without an HTTP response. */
const NO_RESPONSE: Readonly<Record<ErrorClass, string>> = {
  dns: 'host name not found',
  refused: 'connection refused or closed',
  tls: 'TLS handshake failed',
  timeout: 'no answer',
  auth_required: 'authentication required',
  wrong_path: 'no MCP or A2A endpoint at this path',
  not_protocol: 'not a valid answer of the protocol',
  http_error: 'HTTP error',
  blocked: 'not sent: the address is not public',
  other_origin: 'redirect to another origin',
  too_large: 'answer too large',
  input_required: 'the task waits for input',
};

/** What is wrong with an HTTP response whose status alone does not say it. */
const NOT_VALID: Partial<Readonly<Record<ErrorClass, string>>> = {
  refused: 'then the connection was closed',
  other_origin: NO_RESPONSE.other_origin,
  too_large: NO_RESPONSE.too_large,
  not_protocol: NO_RESPONSE.not_protocol,
};

/** Of steps without a valid answer that failed in the same way: the HTTP response or the failure, and after how long. */
export function receivedInstead(steps: readonly StepResult[]): string {
  const { error_class: errorClass, http_status: status, content_type: type } = steps[0]?.no_answer ?? {};
  if (errorClass === undefined) return NO_RESPONSE.not_protocol;
  const isRetried = steps.some(({ no_answer: none }) => none?.retried === true);
  const again = isRetried ? ', and again after a retry' : '';
  const seconds = steps.map(({ duration_ms: ms }) => Math.max(ms / 1_000, 0.1));
  const [least, most] = [Math.min(...seconds), Math.max(...seconds)];
  const http =
    status === undefined ? '' : shownText(`HTTP ${status}${type === undefined ? '' : ` ${type}`}`, 120);
  if (errorClass === 'timeout')
    return `${http === '' ? 'no answer' : `${http}, no complete answer`} within ${wholeSeconds(most)} s${again}`;
  const [from, to] = [least.toFixed(1), most.toFixed(1)];
  const after = `after ${from === to ? to : `${from} to ${to}`} s${again}`;
  if (http === '') return `${NO_RESPONSE[errorClass]} ${after}`;
  const isPlain = type !== undefined && !/json|event-stream/.test(type);
  const wrong = errorClass === 'not_protocol' && isPlain ? undefined : NOT_VALID[errorClass];
  return `${http}${wrong === undefined ? '' : ` (${wrong})`} ${after}`;
}

/** A limit in seconds, from the time after which the call was ended. */
function wholeSeconds(seconds: number): string {
  return seconds < 1 ? seconds.toFixed(1) : String(Math.round(seconds));
}

/** The flag that selects what repeats a step: the step where it builds on no other, else its storyboard. */
export function selectionOf(step: StepResult): readonly [flag: '--step' | '--only', name: string] {
  const { storyboard_id: storyboard, phase_id: phase, step_id: id } = step;
  return step.independent === true ? ['--step', `${storyboard}/${phase}/${id}`] : ['--only', storyboard];
}

/** `agent` as the command line has it: a URL for the shell, or `--replay DIR`. */
export function againCommand(agent: string, flag: '--step' | '--only', name: string): string {
  return `agent-registry check ${agent} ${flag} ${shellText(name)}`;
}

/** For a POSIX shell; a line end inside would not survive being shown. */
export function shellText(text: string): string {
  return shellWord(shownText(text, 2_000));
}
