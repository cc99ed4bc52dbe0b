import { isObject, type JsonObject } from '../../base/json.ts';
import { HIDDEN } from '../../base/redact.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import { CallFailure } from '../../calling/failure.ts';
import type { CheckResult, StepEvidence } from '../step-result.ts';

/** Members whose text is a secret whoever wrote it. */
const SECRET_NAMES =
  /^(proxy-)?(authori[sz]ation|cookie|set-cookie)$|^(x-)?api[_-]?key$|^((access|refresh|id|bearer|auth|client)[_-]?)?(token|secret)$|^pass(word|phrase)$|^(private|secret)[_-]?key$|^credentials?$/i;
/** `Bearer …` wherever it stands. */
const BEARER = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi;

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
