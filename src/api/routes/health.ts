import type { FastifyInstance } from 'fastify';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Records } from '../../ports/records.ts';
import { HttpProblem } from '../problem.ts';

/** GET /healthz: the process answers. GET /readyz: its records and its index can be read. */
export function healthRoutes(
  server: FastifyInstance,
  records: Pick<Records, 'check'>,
  index: Pick<AgentIndex, 'check'>,
): void {
  server.get('/healthz', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    return { status: 'ok' };
  });
  server.get('/readyz', async (request, reply) => {
    const [store, search] = await Promise.allSettled([records.check(), index.check()]);
    const failed = [
      ...(store.status === 'rejected' ? [['records', store.reason] as const] : []),
      ...(search.status === 'rejected' ? [['index', search.reason] as const] : []),
    ];
    for (const [part, err] of failed) request.log.error({ err, part }, 'not ready');
    if (failed.length > 0) {
      throw new HttpProblem('not_ready', `cannot be read: ${failed.map(([part]) => part).join(', ')}`);
    }
    reply.header('cache-control', 'no-store');
    return { status: 'ready', checks: { records: 'ok', index: 'ok' } };
  });
}
