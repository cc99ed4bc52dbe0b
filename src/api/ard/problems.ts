import type { HttpProblem } from '../problem.ts';

/** The base path of the ARD operations (ARD v0.91, 5.3), as in `/.well-known/ard.json`. */
export const ARD_PATH = '/api/ard';

/** The error codes of ARD v0.91, Appendix B. */
const CODES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'INVALID_ARGUMENT',
  413: 'INVALID_ARGUMENT',
  415: 'INVALID_ARGUMENT',
  429: 'RATE_LIMIT_EXCEEDED',
  503: 'UNAVAILABLE',
};

/** The error in the format of ARD, for its operations; undefined for others. */
export function ardError(address: string, problem: Pick<HttpProblem, 'status' | 'message' | 'details'>) {
  if (!address.startsWith(`${ARD_PATH}/`)) return undefined;
  const { parameter } = problem.details;
  const message = parameter === undefined ? problem.message : `${parameter}: ${problem.message}`;
  const errorCode = CODES[problem.status] ?? 'INTERNAL_ERROR';
  return { body: JSON.stringify({ errorCode, message }), mediaType: 'application/json; charset=utf-8' };
}
