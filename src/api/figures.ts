import type { FastifyInstance } from 'fastify';
import { countFault } from '../ops/count-fault.ts';
import type { Metrics } from '../ops/metrics.ts';

/** The route label of whatever no route took: addresses of strangers never become labels. */
export const UNMATCHED = 'unmatched';

/** Counts every answer and every fault of an engine behind one, and logs one line for each at level debug. */
export function registerFigures(
  server: FastifyInstance,
  metrics: Pick<Metrics, 'httpRequest' | 'fault'>,
): void {
  server.addHook('onError', (_request, _reply, error, done) => {
    countFault(metrics, error);
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? UNMATCHED;
    metrics.httpRequest(route, request.method, reply.statusCode, reply.elapsedTime / 1_000);
    request.log.debug(
      {
        request_id: request.id,
        method: request.method,
        route,
        status: reply.statusCode,
        ms: reply.elapsedTime,
      },
      'request answered',
    );
    done();
  });
}
