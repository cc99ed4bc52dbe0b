import { elements, member } from '../../base/json.ts';
import { unmarkedError } from '../../calling/agent-error.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import { type Check, notApplicable } from './check.ts';
import { allowedOf, expectedOf } from './places.ts';

/** `error_code`: the agent refused with one of these codes, wherever its transport puts them. */
export const errorCode: Check = (input) => {
  const allowed = allowedOf(input);
  if (allowed.length === 0) return notApplicable('the check names no code');
  const expected = expectedOf(allowed);
  const { answer } = input;
  const code = codeOf(answer);
  if (code !== undefined && allowed.includes(code))
    return { result: 'pass', message: `it is refused with ${String(code)}` };
  if (code !== undefined)
    return { result: 'fail', message: 'it is refused with another code', expected, actual: code };
  const told =
    answer.outcome === 'answered' ? 'it was accepted, and has to be refused' : 'the refusal has no code';
  return {
    result: 'fail',
    message: told,
    expected,
    ...(answer.outcome === 'failed' && { actual: answer.failure.message }),
  };
};

/** The code of a refusal, also of one that came as data, as some agents of the public protocol do. */
export function codeOf(answer: TaskAnswer): string | undefined {
  if (answer.outcome === 'refused') return answer.error.code;
  if (answer.outcome === 'failed') return undefined;
  const code = unmarkedError(answer.data)?.code ?? member(elements(member(answer.data, 'errors'))[0], 'code');
  return typeof code === 'string' ? code : undefined;
}

/** Whether the agent said no, in whatever form. */
export function saidNo(answer: TaskAnswer): boolean {
  if (answer.outcome === 'refused') return true;
  if (answer.outcome === 'answered')
    return codeOf(answer) !== undefined || member(answer.data, 'success') === false;
  const { status = 0 } = answer.failure;
  return status >= 400 && status < 500;
}
