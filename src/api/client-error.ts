import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { COMMON_HEADERS } from './headers.ts';
import { PROBLEM_MEDIA_TYPE, PROBLEMS, type ProblemCode, problemBody } from './problem.ts';

const REASONS: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'the request line and header are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'the request did not arrive in time'],
};

/** Answers bytes that are no HTTP request, on the bare socket: no request object exists for them. */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy(error);
    return;
  }
  const [code, detail] = REASONS[error.code ?? ''] ?? ['bad_request', 'the request is not valid HTTP'];
  socket.end(rawProblem(code, detail));
}

/** Answers an Expect header other than 100-continue (RFC 9110, section 10.1.1), which Node gives its own event. */
export function answerExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const body = problemBody('expectation_failed', 'only "Expect: 100-continue" is understood');
  response.writeHead(PROBLEMS.expectation_failed.status, rawHeaders(body)).end(body);
}

function rawProblem(code: ProblemCode, detail: string): string {
  const body = problemBody(code, detail);
  const lines = Object.entries(rawHeaders(body)).map(([name, value]) => `${name}: ${value}`);
  const { status, title } = PROBLEMS[code];
  return `HTTP/1.1 ${status} ${title}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

function rawHeaders(body: string): Readonly<Record<string, string>> {
  return {
    ...COMMON_HEADERS,
    'content-type': PROBLEM_MEDIA_TYPE,
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    connection: 'close',
  };
}
