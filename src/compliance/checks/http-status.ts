import { type Check, notApplicable } from './check.ts';
import { allowedOf, expectedOf } from './places.ts';

/** `http_status` and `http_status_in`: the last answer had one of these statuses. */
export const httpStatus: Check = (input) => {
  const allowed = allowedOf(input).flat().map(Number);
  if (allowed.length === 0 || allowed.some(Number.isNaN)) return notApplicable('the check names no status');
  const { status } = input.answer;
  if (status !== undefined && allowed.includes(status))
    return { result: 'pass', message: `the http status is ${status}` };
  const message = status === undefined ? 'no http answer came' : 'the http status is another one';
  return {
    result: 'fail',
    message,
    expected: expectedOf(allowed),
    ...(status !== undefined && { actual: status }),
  };
};
