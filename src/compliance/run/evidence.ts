import type { JsonObject } from '../../base/json.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import { hideSecrets } from '../conversation/secrets.ts';
import type { CheckResult, StepEvidence } from '../step-result.ts';

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
