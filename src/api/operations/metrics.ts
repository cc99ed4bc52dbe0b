import type { FastifyInstance } from 'fastify';
import { createDueLevels } from '../../ops/due-levels.ts';
import type { Metrics } from '../../ops/metrics.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import { describedBy, service } from './description.ts';

const OPERATION = service('Figures in the Prometheus text format', 'text/plain');

export interface MetricsParts {
  readonly records: Pick<Records, 'sources' | 'runs'>;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Whether the visits that are due are counted here; of many processes on the same records one does. */
  readonly countsDue?: boolean;
}

/** GET /metrics in the Prometheus text format. */
export function metricsOperation(server: FastifyInstance, parts: MetricsParts): void {
  const { metrics, countsDue = true } = parts;
  const countDue = countsDue ? createDueLevels(parts) : () => Promise.resolve();
  server.get('/metrics', describedBy(OPERATION), async (request, reply) => {
    await countDue().catch((err) => {
      // The other figures are wanted most when the store is in trouble.
      request.log.warn({ err }, 'due visits could not be counted');
    });
    return reply
      .type(metrics.contentType)
      .header('cache-control', 'no-store')
      .send(await metrics.text());
  });
}
