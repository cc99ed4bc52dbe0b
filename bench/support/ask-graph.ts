import type { FastifyInstance } from 'fastify';
import { createServer } from '../../src/api/server.ts';
import type { ServerOptions } from '../../src/api/server-options.ts';
import { systemClock } from '../../src/compose/clock.ts';
import { createLog } from '../../src/ops/log.ts';
import { createMetrics } from '../../src/ops/metrics.ts';
import { publisherOf, rowOf, start, type Time } from './ask-authorised.ts';
import { agentAt, publisherAt } from './fill-edges.ts';
import type { Row } from './table.ts';

const agentOf = (n: number) => encodeURIComponent(agentAt(n, 1));
/** Names of the questions, with the path about the n-th publisher. */
const QUESTIONS: readonly (readonly [string, (n: number) => string])[] = [
  ['agents of a publisher', (n) => `/api/registry/lookup/domain/${publisherAt(n)}`],
  ['publishers of an agent', (n) => `/api/registry/lookup/agent/${agentOf(n)}/domains`],
  ['a publisher', (n) => `/api/registry/publisher?domain=${publisherAt(n)}`],
  [
    'what an agent may sell of it',
    (n) => `/api/registry/publisher/authorization?domain=${publisherAt(n)}&agent=${agentOf(n)}`,
  ],
  ['who may sell a site', (n) => `/api/registry/lookup/property?type=domain&value=${publisherAt(n)}`],
  [
    'may this agent sell this site',
    (n) =>
      `/api/registry/validate/property-authorization?agent_url=${agentOf(n)}&identifier_type=domain&identifier_value=${publisherAt(n)}`,
  ],
];

/** The API in process, over these records. */
export function graphServer(stores: Pick<ServerOptions, 'records' | 'index'>): FastifyInstance {
  return createServer({
    ...{ ...stores, clock: systemClock, metrics: createMetrics() },
    logger: createLog({ level: 'warn', pretty: false }),
    config: { version: '0.0.0', trustedProxies: [] },
  });
}

/** Asks once; throws for any answer but 200. */
export async function getTimed(server: FastifyInstance, url: string) {
  const begun = start();
  const answer = await server.inject(url);
  const time = begun();
  if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode} ${answer.body}`);
  return { time, answer };
}

/** The times of so many questions about publishers here and there. */
export async function timesOf(
  rounds: number,
  publishers: number,
  ask: (n: number) => Time | Promise<Time>,
): Promise<Time[]> {
  const times: Time[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await ask(publisherOf(round, publishers)));
  return times;
}

/** A row for a constant answer, and one for each question about the graph. */
export async function askGraph(
  server: FastifyInstance,
  { rounds, publishers }: { readonly rounds: number; readonly publishers: number },
): Promise<Row[]> {
  const all = [['floor: a constant answer', () => '/healthz'] as const, ...QUESTIONS];
  const rows: Row[] = [];
  for (const [name, path] of all) {
    const ask = async (n: number) => (await getTimed(server, path(n))).time;
    await timesOf(WARM_UP, publishers, ask);
    rows.push(rowOf(name, await timesOf(rounds, publishers, ask)));
  }
  return rows;
}

/** Questions of each kind before it is measured: what is compiled on first use is no cost of an answer. */
export const WARM_UP = 30;
