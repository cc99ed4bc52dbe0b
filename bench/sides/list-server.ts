import type { AddressInfo } from 'node:net';
import { createServer } from '../../src/api/server.ts';
import { systemClock } from '../../src/compose/clock.ts';
import { openSqliteIndex } from '../../src/index/embedded/sqlite-index.ts';
import { createLog } from '../../src/ops/log.ts';
import { createMetrics } from '../../src/ops/metrics.ts';
import { openSqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { asServer, sideInput } from '../support/as-side.ts';
import { fillRegistry } from '../support/fill-registry.ts';

export interface ListServerInput {
  readonly agents: number;
  /** Path of the store; made and filled. */
  readonly store: string;
}

/** What `agent-registry serve` serves, over synthetic agents. */
const { agents, store } = await sideInput<ListServerInput>();
const records = await openSqliteRecords({ path: store });
const index = await openSqliteIndex(records.store, { clock: systemClock });
await fillRegistry(records, index, agents);
const server = createServer({
  records,
  index,
  clock: systemClock,
  logger: createLog({ level: 'warn', pretty: false }),
  metrics: createMetrics(),
  config: { version: '0.0.0', trustedProxies: [], rateLimit: { max: 1e9, windowMs: 60_000 } },
});
await server.listen({ host: '127.0.0.1', port: 0 });
asServer({ port: (server.server.address() as AddressInfo).port }, cpu, () => void server.close());

function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
