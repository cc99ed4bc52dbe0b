import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BudgetExceeded } from '../budgets/budgets.ts';
import { CheckRefused } from '../discovery/file-checks.ts';
import type { Refusal } from '../edge/request-form.ts';
import { PROBLEM_MEDIA_TYPE } from '../edge/request-form.ts';
import { engineFault, RegistryError } from '../errors.ts';
import { COMMON_HEADERS, REQUEST_ID, type TaggedAnswer } from './answers.ts';
import { ardError } from './ard/problems.ts';
import { HttpProblem, PROBLEMS, type ProblemCode, problemBody } from './problem.ts';

/** Fastify's own refusals that a caller can cause (its reference, Errors). */
const FASTIFY_PROBLEMS: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  FST_ERR_BAD_URL: [
    'bad_encoding',
    'the path contains an invalid percent-escape or bytes that are not UTF-8',
  ],
  FST_ERR_MAX_PARAM_LENGTH: ['bad_request', 'the path is too long'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'the body is larger than this operation accepts'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'the body must be application/json'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['bad_request', 'the length of the body differs from Content-Length'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['bad_request', 'the body is not valid JSON'],
};

const LATE_REQUEST = ['request_timeout', 'the request did not arrive in time'] as const;

const REASONS: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'the request line and header are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: LATE_REQUEST,
};

/** Answers bytes that are no HTTP request, on the bare socket: no request object exists for them. */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy(error);
    return;
  }
  const [code, detail] = REASONS[error.code ?? ''] ?? ['bad_request', 'the request is not valid HTTP'];
  socket.write(rawProblem(code, detail));
  socket.destroySoon(); // whoever never closes its side is not waited for
}

/** Answers an Expect header other than 100-continue (RFC 9110, section 10.1.1), which Node gives its own event. */
export function answerExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const body = problemBody('expectation_failed', 'only "Expect: 100-continue" is supported');
  response.writeHead(PROBLEMS.expectation_failed.status, rawHeaders(body)).end(body);
}

/** Answers what the edge refused, before there is a request of fastify. The connection ends with it. */
export function answerRefusal(
  { code, detail, retryAfter }: Refusal,
  request: IncomingMessage,
  response: ServerResponse,
  pageOf: PageOfProblem = () => undefined,
): void {
  const { status } = PROBLEMS[code];
  const page = pageOf(request, { status, code, message: detail, details: {} }, retryAfter ?? 0);
  const body = page?.body ?? problemBody(code, detail);
  const wait = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  const type = page && { ...page.headers, 'content-type': page.mediaType };
  response.writeHead(status, { ...rawHeaders(body), ...wait, ...type }).end(body);
}

function rawProblem(code: ProblemCode, detail: string): string {
  const body = problemBody(code, detail);
  const lines = Object.entries(rawHeaders(body)).map(([name, value]) => `${name}: ${value}`);
  const { status, title } = PROBLEMS[code];
  return `HTTP/1.1 ${status} ${title}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

function rawHeaders(body: string | Buffer): Readonly<Record<string, string>> {
  return {
    ...COMMON_HEADERS,
    'content-type': PROBLEM_MEDIA_TYPE,
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    connection: 'close',
  };
}

/** The HTML page and headers for a browser in place of a problem; undefined for other clients. */
export type PageOfProblem = (
  request: Pick<IncomingMessage, 'url' | 'headers'>,
  problem: Pick<HttpProblem, 'status' | 'code' | 'message' | 'details'>,
  retryAfter: number,
) => (Required<TaggedAnswer> & { readonly headers: Readonly<Record<string, string>> }) | undefined;

type SendProblem = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/** Fastify's, for a handler that took too long. */
const TOO_LATE = 'FST_ERR_HANDLER_TIMEOUT';

/** Other faults that many requests have in common. */
const REPEATED = [TOO_LATE, 'bundle_unavailable'];

/** Interval between log lines about an unavailable engine, milliseconds. */
const SAY_AGAIN_MS = 60_000;

/**
 * Makes what sends whatever was thrown as a problem (RFC 9457). What is our own fault is logged and never shown. An engine
 * that is away or slow fails every request alike: the log has it once a minute, and how many it stands for; a metric counts
 * all. Otherwise an overload would also fill the log.
 */
export function createSendProblem(
  pageOf: PageOfProblem = () => undefined,
  now = () => performance.now(),
): SendProblem {
  const said = new Map<string, { readonly at: number; silent: number }>();
  const isNews = (error: unknown): { readonly before?: number } | undefined => {
    const code = engineFault(error)?.code ?? REPEATED.find((one) => one === codeOf(error));
    if (code === undefined) return {};
    const last = said.get(code);
    if (last !== undefined && now() - last.at < SAY_AGAIN_MS) {
      last.silent += 1;
      return undefined;
    }
    said.set(code, { at: now(), silent: 0 });
    return last === undefined ? {} : { before: last.silent };
  };
  return (error, request, reply) => {
    const problem = thrownProblem(error, request);
    // intended answers of a route are not internal errors (501, an agent's no, a bound), and would fill the log
    const news = problem.status >= 500 && !(error instanceof HttpProblem) ? isNews(error) : undefined;
    if (news) request.log.error({ err: error, request_id: request.id, ...news }, 'request failed');
    const { 'retry-after': wait = reply.getHeader('retry-after') } = problem.headers;
    const page = pageOf(request, problem, Number(wait ?? 0));
    const other = page ?? ardError(request.url, problem);
    reply
      .code(problem.status)
      // Set here too: a refusal of the router passes no hook.
      .headers({ ...COMMON_HEADERS, [REQUEST_ID]: request.id, ...problem.headers, ...page?.headers })
      .header('cache-control', 'no-store')
      .removeHeader('link')
      .type(other?.mediaType ?? PROBLEM_MEDIA_TYPE)
      .send(other?.body ?? problemBody(problem.code, problem.message, problem.details));
    // its handler continues, and its late answer is dropped; otherwise fastify would log each of them
    if (codeOf(error) === TOO_LATE) reply.log = reply.log.child({}, { level: 'silent' });
  };
}

/** Converts any thrown value to the problem sent to the caller. */
export function thrownProblem(
  error: unknown,
  { id: requestId, raw }: Pick<FastifyRequest, 'id' | 'raw'>,
): HttpProblem {
  const refusal = refusalProblem(error);
  if (refusal !== undefined) return refusal;
  if (error instanceof RegistryError && error.code.startsWith('store_'))
    return unavailable('store', requestId);
  if (error instanceof RegistryError && error.code.startsWith('index_'))
    return unavailable('index', requestId);
  if (codeOf(error) === 'bundle_unavailable') return unavailable('bundle', requestId);
  if (codeOf(error) === 'keys_unavailable') return unavailable('keys', requestId);
  if (codeOf(error) === TOO_LATE)
    return isBodyAwaited(raw) ? new HttpProblem(...LATE_REQUEST) : unavailable('store', requestId);
  const known = FASTIFY_PROBLEMS[codeOf(error)];
  if (known !== undefined) return new HttpProblem(known[0], known[1]);
  if (isClientError(error)) return new HttpProblem('bad_request', 'the request is not valid');
  return new HttpProblem('internal', 'internal error; report the request_id to the operator', {
    requestId,
  });
}

/** Whether a body is being read that its sender has not sent whole: the time went there, and not into our store. */
function isBodyAwaited({ complete, readableFlowing }: IncomingMessage): boolean {
  return !complete && readableFlowing === true;
}

/**
 * The problem for a refused request or refused work; undefined for other errors. A refusal says when
 * to come back, and nothing about whatever was asked for.
 */
export function refusalProblem(error: unknown): HttpProblem | undefined {
  if (error instanceof HttpProblem) return error;
  if (error instanceof BudgetExceeded) {
    const seconds = Math.ceil(error.waitMs / 1_000);
    const code = error.isShared ? 'overloaded' : 'rate_limited';
    return new HttpProblem(
      code,
      `${error.message}; try again in ${seconds} s`,
      {},
      { 'retry-after': String(seconds) },
    );
  }
  if (!(error instanceof CheckRefused)) return undefined;
  const seconds = Math.max(1, Math.ceil(error.waitMs / 1_000));
  return new HttpProblem(
    'unavailable',
    `${error.message}; try again in ${seconds} s`,
    {},
    { 'retry-after': String(seconds) },
  );
}

function unavailable(part: 'store' | 'index' | 'keys' | 'bundle', requestId: string): HttpProblem {
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
