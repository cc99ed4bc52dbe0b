import type { HttpProblem } from '../problem.ts';

/** Where the operations of a registry are (ARD v0.91, 5.3); `/.well-known/ard.json` says so. */
export const ARD_PATH = '/api/ard';

/** The error codes of ARD v0.91, Appendix B; it has none for what it does not name. */
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

/** What a caller of the ARD operations is told in place of a problem; undefined for everybody else. */
export function ardError(address: string, problem: Pick<HttpProblem, 'status' | 'message' | 'details'>) {
  if (!address.startsWith(`${ARD_PATH}/`)) return undefined;
  const { parameter } = problem.details;
  const message = parameter === undefined ? problem.message : `${parameter}: ${problem.message}`;
  const errorCode = CODES[problem.status] ?? 'INTERNAL_ERROR';
  return { body: JSON.stringify({ errorCode, message }), mediaType: 'application/json; charset=utf-8' };
}
