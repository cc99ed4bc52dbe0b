import type { FastifyInstance } from 'fastify';
import { RegistryError } from '../../errors.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Records } from '../../ports/records.ts';
import { HttpProblem } from '../problem.ts';
import { describedBy, problems, service } from './description.ts';

const LIVE = service('The process answers', 'application/json');
const READY = service('The store and the index can be read', 'application/json', problems(503));

export interface HealthParts {
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
