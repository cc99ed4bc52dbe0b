import { isObject, type JsonObject } from '../../base/json.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import { CallFailure } from '../../calling/failure.ts';
import type { CheckResult, StepEvidence } from '../step-result.ts';
import { createFindTraces, type Range } from './secret-traces.ts';

/** Takes secrets out of what an agent said or was sent. */
export type Redact = <T>(value: T) => T;

/** Stands where a secret was. */
export const HIDDEN = '[redacted]';
/** Members whose text is a secret whoever wrote it. */
const SECRET_NAMES =
  /^(proxy-)?(authori[sz]ation|cookie|set-cookie)$|^(x-)?api[_-]?key$|^((access|refresh|id|bearer|auth|client)[_-]?)?(token|secret)$|^pass(word|phrase)$|^(private|secret)[_-]?key$|^credentials?$/i;
/** `Bearer …` wherever it stands. */
const BEARER = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi;

/**
 * Hides the given credentials, and good parts of them, in every form in which an agent may echo them (secret-traces.ts),
 * in names too. A value in which nothing is hidden is given back as it is. The list may grow later.
 */
export function createRedact(secrets: readonly string[]): Redact {
  let known = 0;
  let find = createFindTraces([]);
  let numbers: ReadonlySet<number> = new Set();
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return withoutRanges(value, find(value));
    if (typeof value === 'number') return numbers.has(value) ? HIDDEN : value;
    if (typeof value !== 'object' || value === null) return value;
    return Array.isArray(value) ? cleanList(value, clean) : cleanObject(value, clean);
  };
  return (value) => {
    if (known !== secrets.length) {
      known = secrets.length;
      find = createFindTraces(secrets);
      numbers = new Set(secrets.filter((secret) => secret.length >= 8).map(Number));
    }
    return clean(value) as typeof value;
  };
}

type Clean = (value: unknown) => unknown;

function cleanList(list: readonly unknown[], clean: Clean): readonly unknown[] {
  const cleaned = list.map(clean);
  return cleaned.some((item, at) => !Object.is(item, list[at])) ? cleaned : list;
}

function cleanObject(object: object, clean: Clean): object {
  const members: [unknown, unknown][] = [];
  let changed = false;
  for (const [key, item] of Object.entries(object)) {
    const member: [unknown, unknown] = [clean(key), clean(item)];
    changed ||= member[0] !== key || !Object.is(member[1], item);
    members.push(member);
  }
  return changed ? Object.fromEntries(members) : object;
}

function withoutRanges(text: string, ranges: readonly Range[]): string {
  if (ranges.length === 0) return text;
  const kept = ranges.map(([from], n) => text.slice(ranges[n - 1]?.[1] ?? 0, from));
  return [...kept, text.slice(ranges.at(-1)?.[1])].join(HIDDEN);
}

/**
 * Hides what is a secret by its form or its name (`Bearer …`, `authorization`, `password`), for what is kept and shown:
 * a run itself may have to hand such a value on.
 */
export function hideSecrets(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(BEARER, `$1 ${HIDDEN}`);
  if (Array.isArray(value)) return value.map(hideSecrets);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      typeof item === 'string' && SECRET_NAMES.test(key) ? HIDDEN : hideSecrets(item),
    ]),
  );
}

/** The same failure without secrets. */
export function redactFailure(failure: CallFailure, redact: <T>(value: T) => T): CallFailure {
  const { errorClass, message, facts } = failure;
  return new CallFailure(errorClass, redact(message), redact(facts));
}

/** How much is kept of a request, of an answer, and of what a check expected and found, characters of JSON. */
const MAX_REQUEST_CHARACTERS = 16_000;
const MAX_RESPONSE_CHARACTERS = 32_000;
const MAX_VALUE_CHARACTERS = 2_000;

/** What went to and fro in a step, bounded. The answer has no secrets in it any more. */
export function evidenceOf(task: string, payload: JsonObject, answer: TaskAnswer): StepEvidence {
  const request = bounded(payload, MAX_REQUEST_CHARACTERS);
  const response = bounded(answerText(answer), MAX_RESPONSE_CHARACTERS);
  return {
    task,
    request: request.value,
    outcome: answer.outcome,
    ...(answer.status !== undefined && { http_status: answer.status }),
    ...(answer.contentType !== undefined && { content_type: answer.contentType }),
    response: response.value,
    ...(response.cut && { response_cut: true as const }),
  };
}

/** The same check with what it expected and found cut to what a page can show. */
export function boundedCheck(check: CheckResult): CheckResult {
  const { expected, actual } = check;
  return {
    ...check,
    ...(expected !== undefined && { expected: bounded(expected, MAX_VALUE_CHARACTERS).value }),
    ...(actual !== undefined && { actual: bounded(actual, MAX_VALUE_CHARACTERS).value }),
  };
}

/** An answer that is no data is told by its error, and by the beginning of what came instead. */
function answerText(answer: TaskAnswer): unknown {
  if (answer.outcome === 'answered') return answer.data;
  if (answer.outcome === 'refused')
    return answer.data ?? { error: { ...answer.error.object, message: answer.error.message } };
  const { errorClass, message, challenge } = answer.failure;
  return {
    error_class: errorClass,
    message,
    ...(challenge !== undefined && { www_authenticate: challenge }),
    ...(answer.raw !== '' && { body: answer.raw.slice(0, MAX_VALUE_CHARACTERS) }),
  };
}

function bounded(value: unknown, max: number): { readonly value: unknown; readonly cut: boolean } {
  const shown = hideSecrets(value);
  const text = JSON.stringify(shown) ?? 'null';
  if (text.length <= max) return { value: shown, cut: false };
  return { value: `${text.slice(0, max)}… (${text.length} characters)`, cut: true };
}
