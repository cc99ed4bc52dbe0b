import type { AgentError } from '../../../calling/agent-error.ts';
import type { TaskAnswer, TransportFailure } from '../../../calling/connection.ts';
import { inFull } from '../../../calling/failure.ts';
import type { Protocol } from '../../../domain/agent-type.ts';
import type { Finding } from '../../../domain/finding.ts';
import type { ProbeStep } from '../../../domain/observation.ts';
import type { Issue } from '../../../protocol/issues.ts';
import type { Problem } from '../../../protocol/problem.ts';
import {
  counted,
  duration,
  note,
  paint,
  printFindings,
  printJson,
  printLine,
  table,
} from '../../output/print.ts';
import { failureHint, stepJson } from '../../output/probe-answer.ts';
import { isCut, shownText, showValue } from '../../output/show-value.ts';
import { visible, visibleLines } from '../../output/visible.ts';

/** One call that was made. */
export interface MadeCall {
  /** As typed. */
  readonly url: string;
  /** The task by the name it was called with. */
  readonly name: string;
  readonly answer: TaskAnswer;
  /** Absent when no handshake succeeded. */
  readonly protocol?: Protocol;
  readonly endpoint?: string;
  readonly steps: readonly ProbeStep[];
  /** What is odd about the agent's card or its list of tasks. Default: nothing. */
  readonly findings?: readonly Finding[];
}

export interface CallReport extends MadeCall {
  /** Where the answer does not follow its schema. */
  readonly issues: readonly Issue[];
  /** The one that was made for this call. */
  readonly idempotencyKey?: string;
}

/** Prints what a call came to; the JSON follows schemas/cli/call.json. */
export function printCall(report: CallReport, format: 'text' | 'json' | 'raw'): void {
  if (format === 'json') printJson(callJson(report));
  else if (format === 'raw') printRaw(report);
  else printText(report);
}

/** Prints why a request was not sent. */
export function printUnsent(
  { url, task }: { readonly url: string; readonly task: string },
  problem: Problem,
  json: boolean,
): void {
  if (json) {
    printJson(unsentJson(url, task, problem));
    return;
  }
  printLine(`${paint('bold', visible(task))}  ${paint('red', 'not sent')}: invalid request`);
  const { code, message, pointer, recovery } = problem;
  const read = { code, message, recovery, ...(pointer !== undefined && { pointer }) };
  printRefusal({ ...read, object: { ...problem } });
}

/** The bytes go to a file or a pipe as they are; a terminal must not obey them. */
function printRaw({ answer, name, issues }: CallReport): void {
  process.stdout.write(process.stdout.isTTY ? `${visibleLines(answer.raw)}\n` : answer.raw);
  if (answer.outcome === 'failed') note(`${name}: ${visible(inFull(answer.failure))}`);
  if (answer.outcome === 'refused') note(`${name}: refused`);
  if (issues.length > 0)
    note(`${name}: the answer does not match the schema, ${counted(issues.length, 'error')}`);
}

function printText(report: CallReport): void {
  const { url, name, answer, protocol, endpoint, issues, steps, findings = [] } = report;
  const colour = answer.outcome === 'answered' && issues.length === 0 ? 'green' : 'red';
  const at = `${protocol} at ${visible(endpoint ?? '')}`;
  const reached = protocol === undefined ? [] : [at, duration(answer.durationMs)];
  printLine([paint('bold', visible(name)), paint(colour, answer.outcome), ...reached].join('  '));
  if (answer.outcome === 'answered') printValue(answer.data);
  if (answer.outcome === 'refused') printRefusal(answer.error);
  if (answer.outcome === 'failed')
    printFailure(url, answer.failure, answer.raw, protocol === undefined ? steps : []);
  printIssues(issues);
  printFindings(findings);
}

function printValue(value: unknown): void {
  const lines = showValue(value);
  for (const line of lines) printLine(line);
  if (lines.some(isCut)) printLine('  … long texts are shortened; --format json prints everything');
}

/** The same for a refusal over either transport, and for one of our own. */
function printRefusal({ code, message, pointer, recovery, retryAfter, rpcCode, object }: AgentError): void {
  const name = code ?? (rpcCode === undefined ? 'no code' : `JSON-RPC error ${rpcCode}`);
  printLine(`  ${paint('red', shownText(name, 80))}: ${shownText(withoutPlace(message, pointer), 2_000)}`);
  if (pointer) printLine(`  at ${shownText(pointer)}`);
  if (recovery !== undefined) printLine(`  ${RECOVERIES.get(recovery) ?? shownText(recovery)}`);
  if (retryAfter !== undefined) printLine(`  retry after ${retryAfter} s`);
  const rest = Object.entries(object).filter(([key]) => !READ.has(key));
  printValue(Object.fromEntries(rest));
}

/** Our own messages begin with the place, which has a line of its own here. */
function withoutPlace(message: string, pointer: string | undefined): string {
  if (!pointer || !message.startsWith(pointer)) return message;
  return /^:? +(.+)$/s.exec(message.slice(pointer.length))?.[1] ?? message;
}

const READ: ReadonlySet<string> = new Set(['code', 'message', 'pointer', 'recovery', 'retry_after']);

const RECOVERIES: ReadonlyMap<string, string> = new Map([
  ['correctable', 'correctable: correct the request and try again'],
  ['transient', 'transient: try the same request later'],
  ['terminal', 'terminal: do not retry'],
]);

function printFailure(
  url: string,
  failure: TransportFailure,
  raw: string,
  steps: readonly ProbeStep[],
): void {
  const { errorClass, challenge, words, contentType } = failure;
  printLine(`  ${errorClass}: ${shownText(inFull(failure), 600)}`);
  if (challenge !== undefined) printLine(`  WWW-Authenticate: ${shownText(challenge)}`);
  const isPage = contentType?.includes('html') === true;
  if (words === undefined && raw.trim() !== '' && !isPage)
    printLine(`  response body: ${shownText(raw.trim())}`);
  if (steps.length > 0)
    printLine(
      table(steps.map(({ step, url, detail = '' }) => ['  ', step, visible(url), shownText(detail)])),
    );
  const hint = challenge?.startsWith('Signature ') ? SIGN_HINT : hintOf(failure, url, steps.length > 0);
  if (hint !== undefined) printLine(`  hint: ${hint}`);
}

const SIGN_HINT = 'sign the request with --sign KEY; if you did, see the reason above';

/** Most hints of a probe are about finding the agent at all. */
function hintOf(failure: TransportFailure, url: string, isHandshake: boolean): string | undefined {
  const { errorClass } = failure;
  if (errorClass === 'timeout') return 'increase --timeout';
  return isHandshake || errorClass === 'auth_required' ? failureHint(errorClass, url, failure) : undefined;
}

function printIssues(issues: readonly Issue[]): void {
  if (issues.length === 0) return;
  printLine(`${paint('red', 'the answer does not match the schema')}, ${counted(issues.length, 'place')}:`);
  printLine(
    table(
      issues.map(({ pointer, message }) => ['  ', shownText(pointer || 'the answer'), shownText(message)]),
    ),
  );
}

/** A call as schemas/cli/call.json has it. */
function callJson(report: CallReport) {
  const { url, name, answer, protocol, endpoint, idempotencyKey, issues, steps, findings = [] } = report;
  return {
    url,
    task: name,
    outcome: answer.outcome,
    protocol: protocol ?? null,
    ...(endpoint !== undefined && { endpoint }),
    ...(idempotencyKey !== undefined && { idempotency_key: idempotencyKey }),
    ...(answer.status !== undefined && { http_status: answer.status }),
    duration_ms: answer.durationMs,
    ...(answer.retried && { retried: answer.retried }),
    ...(answer.outcome === 'answered' && { data: answer.data }),
    ...(answer.outcome === 'refused' && errorJson(answer.error)),
    ...(answer.outcome === 'failed' && {
      failure: failureJson(answer.failure),
    }),
    issues,
    ...(findings.length > 0 && { findings }),
    steps: steps.map(stepJson),
  };
}

/** A request that was not sent, by the same schema. */
function unsentJson(url: string, task: string, error: Problem) {
  return { url, task, outcome: 'not_sent', protocol: null, error, issues: [], steps: [] };
}

/** The object as it came; where it lacks a message, the words that came beside it. */
function errorJson({ object, message, rpcCode }: AgentError) {
  return {
    error: { ...object, message },
    ...(rpcCode !== undefined && { rpc_code: rpcCode }),
  };
}

function failureJson({ errorClass, message, challenge, words, contentType }: TransportFailure) {
  return {
    ...{ error_class: errorClass, message },
    ...(challenge !== undefined && { challenge }),
    ...(words !== undefined && { words }),
    ...(contentType !== undefined && { content_type: contentType }),
  };
}
