import type { FastifyReply, FastifyRequest } from 'fastify';
import { RegistryError } from '../errors.ts';
import { COMMON_HEADERS, REQUEST_ID } from './headers.ts';
import { HttpProblem, PROBLEM_MEDIA_TYPE, type ProblemCode, problemBody } from './problem.ts';

/** Fastify's own refusals that a caller can cause (its reference, Errors). */
const FASTIFY_PROBLEMS: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  FST_ERR_BAD_URL: ['bad_encoding', 'the path has a broken percent-escape, or bytes that are not UTF-8'],
  FST_ERR_MAX_PARAM_LENGTH: ['bad_request', 'the path is too long'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'the body is larger than this operation accepts'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'send the body as application/json'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['bad_request', 'the body is not as long as Content-Length says'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['bad_request', 'the body is not valid JSON'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['bad_request', 'the body is empty'],
};

/** Sends whatever was thrown as a problem (RFC 9457). What is our own fault is logged and never shown. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = asProblem(error, request.id);
  if (problem.status >= 500) request.log.error({ err: error, request_id: request.id }, 'request failed');
  reply
    .code(problem.status)
    // Set here too: a refusal of the router passes no hook.
    .headers({ ...COMMON_HEADERS, [REQUEST_ID]: request.id, ...problem.headers })
    .header('cache-control', 'no-store')
    .removeHeader('link')
    .type(PROBLEM_MEDIA_TYPE)
    .send(problemBody(problem.code, problem.message, problem.details));
}

function asProblem(error: unknown, requestId: string): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof RegistryError && error.code.startsWith('store_'))
    return unavailable('store', requestId);
  if (error instanceof RegistryError && error.code.startsWith('index_'))
    return unavailable('index', requestId);
  if (codeOf(error) === 'FST_ERR_HANDLER_TIMEOUT') return unavailable('store', requestId);
  const known = FASTIFY_PROBLEMS[codeOf(error)];
  if (known !== undefined) return new HttpProblem(known[0], known[1]);
  if (isClientError(error)) return new HttpProblem('bad_request', 'the request cannot be understood');
  return new HttpProblem(
    'internal',
    'something went wrong on our side; the operator can find it by the request id',
    {
      requestId,
    },
  );
}

function unavailable(part: 'store' | 'index', requestId: string): HttpProblem {
  const detail = `the registry cannot read its ${part} at the moment; try again later`;
  return new HttpProblem('unavailable', detail, { requestId }, { 'retry-after': '5' });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function isClientError(error: unknown): boolean {
  if (!(error instanceof Error) || !('statusCode' in error)) return false;
  return typeof error.statusCode === 'number' && error.statusCode >= 400 && error.statusCode < 500;
}
