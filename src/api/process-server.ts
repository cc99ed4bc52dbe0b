import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify';
import { createGuardedServer } from '../edge/guarded-server.ts';
import { watchEventLoop } from '../edge/watchdog.ts';
import type { Metrics } from '../ops/metrics.ts';
import { singleFlight } from './single-flight.ts';

export interface ProcessServerOptions {
  readonly logger: FastifyBaseLogger;
  readonly metrics: Pick<Metrics, 'text' | 'contentType' | 'connectionCut' | 'watchBlocks'>;
  /** Brings the levels up to date that are only counted when they are asked for. */
  readonly refresh: () => Promise<void>;
  /** Health checks of the dependencies, by name; each rejects if the dependency does not answer. */
  readonly checks: Readonly<Record<string, () => Promise<unknown>>>;
}

/** A check that has not answered by then has failed, milliseconds. */
const CHECK_MS = 2_000;

/** The HTTP side of a process that serves no registry: GET /metrics, GET /health, and GET /healthz, which only says that it answers. */
export function createProcessServer(options: ProcessServerOptions): FastifyInstance {
  const { logger, metrics, refresh, checks } = options;
  const server = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
    serverFactory: (listener) => createGuardedServer(listener, { onCut: metrics.connectionCut }),
  });
  metrics.watchBlocks(watchEventLoop(server.server).longestBlockMs);
  server.get('/metrics', async (request, reply) => {
    // the other metrics are wanted most when the database is in trouble
    await inTime(refresh()).catch((err) => request.log.warn({ err }, 'gauges could not be updated'));
    return reply
      .type(metrics.contentType)
      .header('cache-control', 'no-store')
      .send(await metrics.text());
  });
  const look = singleFlight(() =>
    Promise.all(Object.entries(checks).map(([name, check]) => answerOf(name, check))),
  );
  server.get('/healthz', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    return { status: 'ok' };
  });
  server.get('/health', async (_request, reply) => {
    const entries = await look();
    const isWell = entries.every(([, answer]) => answer === 'ok');
    reply.code(isWell ? 200 : 503).header('cache-control', 'no-store');
    return { status: isWell ? 'ok' : 'unavailable', checks: Object.fromEntries(entries) };
  });
  return server;
}

async function answerOf(name: string, check: () => Promise<unknown>): Promise<readonly [string, string]> {
  const answer = await inTime(check()).then(
    () => 'ok',
    () => 'failed',
  );
  return [name, answer];
}

function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${CHECK_MS} ms`)), CHECK_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
