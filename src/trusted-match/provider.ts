import type { IncomingMessage, ServerResponse } from 'node:http';
import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import type { ContentTargets, LeakKind, MatchOperation, MatchResult } from '../domain/trusted-match.ts';
import { createGuardedServer } from '../edge/guarded-server.ts';
import type { Refusal } from '../edge/request-form.ts';
import { PROBLEM_MEDIA_TYPE } from '../edge/request-form.ts';
import {
  contextAnswer,
  exposureAnswer,
  type FindMatch,
  type IdentitySide,
  identityAnswer,
} from './answers.ts';
import { asProblem, leakIn, refuseUnrouted } from './http-refusals.ts';
import { MatchProblem, matchProblemBody } from './problem.ts';
import { isPublicForm, publicProblemBody } from './public-form.ts';

/** What a provider counts. No count has anything of a request in it but the operation. */
export interface MatchCounts {
  matchRequest(operation: MatchOperation, result: MatchResult): void;
  matchLeak(operation: MatchOperation, kind: LeakKind): void;
}

export interface MatchProviderOptions {
  /** Answers POST /context. Absent: this process does not. */
  readonly context?: { readonly packages: readonly ContentTargets[] };
  /** Answers POST /identity and POST /exposure. Absent: this process does not. */
  readonly identity?: IdentitySide;
  readonly counts?: MatchCounts;
  /** Told of what is our own fault: a store that does not answer. Never of a request. */
  readonly onFault?: (error: unknown) => void;
}

/** Many times what a request of either schema takes. */
const MAX_BODY_BYTES = 262_144;
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Makes the provider of trusted match. The two sides share this HTTP server and nothing else; for a process each,
 * make one with `context` and one with `identity`. It logs no request and reads no client address.
 */
export function createMatchProvider(options: MatchProviderOptions): FastifyInstance {
  const server = fastify({
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    forceCloseConnections: 'idle',
    // no address of a caller is read, so connections are not counted by it
    serverFactory: (listener) =>
      createGuardedServer(listener, { bounds: { ofAddress: Number.POSITIVE_INFINITY }, refuse }),
    routerOptions: { ignoreTrailingSlash: false },
  });
  // kept as text: the reader has to see whether a name stands twice
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    done(null, text);
  });
  if (options.context) addOperation(server, 'context', contextAnswer(options.context.packages), options);
  if (options.identity) {
    addOperation(server, 'identity', identityAnswer(options.identity), options);
    addOperation(server, 'exposure', exposureAnswer(options.identity), options);
  }
  refuseUnrouted(server);
  server.setErrorHandler((error, request, reply) => {
    const problem = asProblem(error);
    count(options, operationOf(request), problem);
    if (problem.status >= 500) options.onFault?.(error);
    const { body } = request;
    const isPublic = isPublicForm(body);
    reply
      .code(problem.status)
      .header('cache-control', 'no-store')
      .type(isPublic ? JSON_TYPE : PROBLEM_MEDIA_TYPE)
      .serializer((text: string) => text)
      .send(isPublic ? publicProblemBody(problem, body) : matchProblemBody(problem));
  });
  return server;
}

/** Answers what the edge does not let in, in the words of this server. */
function refuse({ code, detail }: Refusal, _request: IncomingMessage, response: ServerResponse): void {
  const problem = new MatchProblem(code === 'overloaded' ? 'unavailable' : code, detail);
  const headers = { 'content-type': PROBLEM_MEDIA_TYPE, 'cache-control': 'no-store', connection: 'close' };
  response.writeHead(problem.status, headers).end(matchProblemBody(problem));
}

function addOperation(
  server: FastifyInstance,
  operation: MatchOperation,
  answer: FindMatch,
  { counts }: MatchProviderOptions,
): void {
  server.post(`/${operation}`, { config: { operation } }, (request, reply) => {
    const leak = leakIn(request.raw, operation);
    if (leak !== undefined) throw leak;
    const body = answer(request.body);
    counts?.matchRequest(operation, 'ok');
    reply.header('cache-control', 'no-store').type(JSON_TYPE).send(body);
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly operation?: MatchOperation;
  }
}

function operationOf(request: FastifyRequest): MatchOperation | undefined {
  return request.routeOptions.config.operation;
}

function count(
  { counts }: MatchProviderOptions,
  operation: MatchOperation | undefined,
  { status, leak }: MatchProblem,
): void {
  if (operation === undefined) return;
  counts?.matchRequest(operation, status >= 500 ? 'error' : 'refused');
  if (leak !== undefined) counts?.matchLeak(operation, leak);
}
