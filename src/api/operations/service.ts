import type { FastifyInstance } from 'fastify';
import { RegistryError } from '../../errors.ts';
import { createDueLevels } from '../../ops/level-counts.ts';
import type { Metrics } from '../../ops/metrics.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import { entityTag, sendTagged, type TaggedAnswer } from '../answers.ts';
import { type OpenApiInfo, type OpenApiPaths, openapiDocument, operationIndex } from '../openapi.ts';
import { HttpProblem } from '../problem.ts';
import { describedBy, problems, service } from './description.ts';

const OPERATION = service('Figures in the Prometheus text format', 'text/plain');

interface MetricsParts {
  readonly records: Pick<Records, 'sources' | 'runs'>;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Whether the visits that are due are counted here; of many processes on the same records one does. */
  readonly countsDue?: boolean;
}

const LIVE = service('The process answers', 'application/json');

const READY = service('The store and the index can be read', 'application/json', problems(503));

interface HealthParts {
  readonly records: Pick<Records, 'check' | 'checkRoom'>;
  readonly index: Pick<AgentIndex, 'check'>;
  /** Why the last writes failed, of the records and of the index; empty while they succeed. */
  readonly writeFaults?: () => readonly unknown[];
}

/**
 * GET /healthz: the process answers. GET /readyz: its records and its index can be read; `writes` says whether what is
 * found can be kept too, which does not make it less ready to answer.
 */
export function healthOperations(
  server: FastifyInstance,
  { records, index, writeFaults }: HealthParts,
): void {
  server.get('/healthz', describedBy(LIVE), async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    return { status: 'ok' };
  });
  server.get('/readyz', describedBy(READY), async (request, reply) => {
    const [store, search, room] = await Promise.allSettled([
      records.check(),
      index.check(),
      records.checkRoom(),
    ]);
    const writing = [...(writeFaults?.() ?? []), ...(room.status === 'rejected' ? [room.reason] : [])];
    const writes = [...new Set(writing.map(codeOf))].join(', ');
    const failed = [
      ...(store.status === 'rejected' ? [['records', store.reason] as const] : []),
      ...(search.status === 'rejected' ? [['index', search.reason] as const] : []),
    ];
    for (const [part, err] of failed) request.log.error({ err, part }, 'not ready');
    if (failed.length > 0) {
      const parts = failed.map(([part, error]) => `${part} (${codeOf(error)})`).join(', ');
      const also = writes === '' ? '' : `; cannot be written: ${writes}`;
      throw new HttpProblem('not_ready', `cannot be read: ${parts}${also}`, {}, { 'retry-after': '5' });
    }
    reply.header('cache-control', 'no-store');
    return { status: 'ready', checks: { records: 'ok', index: 'ok', writes: writes === '' ? 'ok' : writes } };
  });
}

function codeOf(error: unknown): string {
  return error instanceof RegistryError ? error.code : 'internal';
}

/** GET /metrics in the Prometheus text format. */
export function metricsOperation(server: FastifyInstance, parts: MetricsParts): void {
  const { metrics, countsDue = true } = parts;
  const countDue = countsDue ? createDueLevels(parts) : () => Promise.resolve();
  server.get('/metrics', describedBy(OPERATION), async (request, reply) => {
    await countDue().catch((err) => {
      // The other metrics are wanted most when the store is in trouble.
      request.log.warn({ err }, 'due visits could not be counted');
    });
    return reply
      .type(metrics.contentType)
      .header('cache-control', 'no-store')
      .send(await metrics.text());
  });
}

/** GET /openapi.json, and GET / with one line for each operation. Made once: they change with the program only. */
export function documentOperations(server: FastifyInstance, info: OpenApiInfo, paths: OpenApiPaths): void {
  serveConstant(server, '/openapi.json', 'This document', () => openapiDocument(info, paths));
  serveConstant(server, '/', 'The operations', () => ({
    name: 'agent-registry',
    version: info.version,
    operations: operationIndex(paths),
  }));
}

function serveConstant(server: FastifyInstance, path: string, summary: string, make: () => object): void {
  let answer: TaggedAnswer | undefined;
  // all routes are registered when the server is ready
  server.addHook('onReady', async () => {
    const body = Buffer.from(JSON.stringify(make()));
    answer = { body, etag: entityTag(body) };
  });
  server.get(path, describedBy(service(summary, 'application/json')), async (request, reply) => {
    if (answer === undefined) throw new Error('the server is not ready');
    reply.header('cache-control', 'public, no-cache');
    return sendTagged(request, reply, answer);
  });
}
