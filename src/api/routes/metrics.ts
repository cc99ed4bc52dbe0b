import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../../ops/metrics.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';

/** GET /metrics in the Prometheus text format. The visits that are due are counted when they are asked for. */
export function metricsRoute(
  server: FastifyInstance,
  records: Pick<Records, 'sources'>,
  metrics: Metrics,
  clock: Clock,
): void {
  server.get('/metrics', async (request, reply) => {
    try {
      const due = await records.sources.countDue(clock.now());
      metrics.due('domain', due.domains);
      metrics.due('agent', due.agents);
    } catch (err) {
      // The other figures are wanted most when the store is in trouble.
      request.log.warn({ err }, 'due visits could not be counted');
    }
    return reply
      .type(metrics.contentType)
      .header('cache-control', 'no-store')
      .send(await metrics.text());
  });
}
