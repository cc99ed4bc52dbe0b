import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { JsonObject } from '../../base/json.ts';
import { once } from '../../base/once.ts';
import type { Budgets } from '../../budgets/budgets.ts';
import { RegistryError } from '../../errors.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Records } from '../../ports/records.ts';
import { entityTag, prefersHtml, sendPublic, type TaggedAnswer } from '../answers.ts';
import { partyOf } from '../callers.ts';
import { type OpenApiInfo, type OpenApiPaths, openapiDocument, operationIndex } from '../openapi.ts';
import type { Operation } from '../operation.ts';
import { HttpProblem } from '../problem.ts';
import { singleFlight } from '../single-flight.ts';
import { describedBy, IF_NONE_MATCH, NOT_MODIFIED, problems } from './description.ts';

const LIVE = service('getHealth', 'Check that the process is running');

const READY = service('getReadiness', 'Check that the store and the index can be read', problems(503));

interface HealthParts {
  readonly budgets: Budgets;
  readonly records: Pick<Records, 'check' | 'checkRoom'>;
  readonly index: Pick<AgentIndex, 'check' | 'checkWrites'>;
  /** Answers what callers ask for, as they are answered; rejects when they are not. */
  readonly answer: () => Promise<unknown>;
  /** Why the last writes failed, of the records and of the index; empty while they succeed. */
  readonly writeFaults?: () => readonly unknown[];
}

/**
 * GET /healthz: the process answers. GET /readyz: its records and its index can be read, and callers are answered from
 * them; `writes` says whether what is found can be kept too, which does not make it less ready to answer.
 */
export function healthOperations(server: FastifyInstance, parts: HealthParts): void {
  const look = singleFlight(() => lookAt(parts));
  // a budget of its own, so that a busy proxy hides no probe
  server.addHook('onRequest', async (request) => {
    await parts.budgets.spend('healthProbes', { party: partyOf(request) });
  });
  server.get('/healthz', describedBy(LIVE), async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    return { status: 'ok' };
  });
  server.get('/readyz', describedBy(READY), async (request, reply) => {
    const { failed, writes } = await look();
    for (const [part, err] of failed) request.log.error({ err, part }, 'not ready');
    if (failed.length > 0) {
      const parts = failed.map(([part, error]) => `${part} (${codeOf(error)})`).join(', ');
      const also = writes === '' ? '' : `; not writable: ${writes}`;
      throw new HttpProblem('not_ready', `not readable: ${parts}${also}`, {}, { 'retry-after': '5' });
    }
    reply.header('cache-control', 'no-store');
    return { status: 'ready', checks: { records: 'ok', index: 'ok', writes: writes === '' ? 'ok' : writes } };
  });
}

interface Look {
  /** What cannot be read, and why. */
  readonly failed: readonly (readonly [part: 'records' | 'index', fault: unknown])[];
  /** Codes of engines that reject writes; empty if all accept them. */
  readonly writes: string;
}

async function lookAt({ records, index, answer, writeFaults }: HealthParts): Promise<Look> {
  const [store, search, room, open] = await Promise.allSettled([
    records.check(),
    index.check(),
    records.checkRoom(),
    index.checkWrites(),
  ]);
  const [answered] = await Promise.allSettled([answer()]);
  const writing = [...(writeFaults?.() ?? []), ...(room.status === 'rejected' ? [room.reason] : [])];
  // an index that is away is said to be away, and no more
  if (open.status === 'rejected' && codeOf(open.reason) === 'index_read_only') writing.push(open.reason);
  const faults = new Map<'records' | 'index', unknown>();
  if (answered.status === 'rejected') faults.set(partOf(answered.reason), answered.reason);
  if (store.status === 'rejected') faults.set('records', store.reason);
  if (search.status === 'rejected') faults.set('index', search.reason);
  const failed = [...faults].toSorted(([a], [b]) => (a > b ? -1 : 1));
  return { failed, writes: [...new Set(writing.map(codeOf))].join(', ') };
}

function partOf(error: unknown): 'records' | 'index' {
  return codeOf(error).startsWith('index_') ? 'index' : 'records';
}

function codeOf(error: unknown): string {
  return error instanceof RegistryError ? error.code : 'internal';
}

/**
 * GET /openapi.json, and GET / with one line for each operation. Made once: they change with the program only. Whoever
 * prefers HTML at / gets the page for people.
 */
export function documentOperations(
  server: FastifyInstance,
  info: OpenApiInfo,
  paths: OpenApiPaths,
  sendHome: SendHome,
): void {
  serveConstant(server, '/openapi.json', ['getOpenApi', 'Get this OpenAPI document'], () =>
    openapiDocument(info, paths),
  );
  const index = () => ({
    name: 'agent-registry',
    version: info.version,
    documentation: `${info.baseUrl ?? ''}/docs`,
    operations: operationIndex(paths),
  });
  serveConstant(server, '/', ['listOperations', 'List the operations'], index, sendHome);
}

/** The directory page, for clients that prefer HTML. */
const HTML_TOO = { 'text/html': { schema: { type: 'string' } } };

type SendHome = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** GET /api, for the field's clients. */
export function apiIndexOperation(server: FastifyInstance, info: OpenApiInfo, paths: OpenApiPaths): void {
  serveConstant(server, '/api', ['getApi', 'List the endpoints and their documentation'], () =>
    apiIndex(info, paths),
  );
}

/** In the field's words: endpoints by their operation id. */
function apiIndex({ version, baseUrl = '' }: OpenApiInfo, paths: OpenApiPaths): object {
  const named = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).map(({ operationId }) => [operationId, `${baseUrl}${path}`] as const),
  );
  return {
    name: 'agent-registry',
    version,
    documentation: `${baseUrl}/docs`,
    openapi: `${baseUrl}/openapi.json`,
    endpoints: Object.fromEntries(named.filter(([id]) => id !== undefined)),
  };
}

/** An operation of the service itself, without parameters, that needs no key; `content` is what it answers in besides JSON. */
function service(
  operationId: string,
  summary: string,
  others: JsonObject = {},
  content: JsonObject = {},
): Operation {
  const ok = {
    description: summary,
    content: { 'application/json': { schema: { type: 'object' } }, ...content },
  };
  return { operationId, summary, security: [{}], responses: { 200: ok, ...others, ...problems(429) } };
}

function serveConstant(
  server: FastifyInstance,
  path: string,
  [operationId, summary]: readonly [string, string],
  make: () => object,
  sendHtml?: SendHome,
): void {
  // for the first who asks: all routes are registered by then
  const answer = once(() => tagged(make()));
  const operation = service(operationId, summary, { 304: NOT_MODIFIED }, sendHtml && HTML_TOO);
  const described = describedBy({ ...operation, parameters: [IF_NONE_MATCH] });
  server.get(path, described, async (request, reply) => {
    if (sendHtml !== undefined) reply.header('vary', 'Accept');
    if (sendHtml !== undefined && prefersHtml(request.headers.accept)) return sendHtml(request, reply);
    reply.header('cache-control', 'public, no-cache');
    return sendPublic(request, reply, answer());
  });
}

function tagged(made: object): TaggedAnswer {
  const body = Buffer.from(JSON.stringify(made));
  return { body, etag: entityTag(body) };
}
