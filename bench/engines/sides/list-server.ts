import type { AddressInfo } from 'node:net';
import { createServer } from '../../../src/api/server.ts';
import { systemClock } from '../../../src/compose/clock.ts';
import { openStore } from '../../../src/compose/engines.ts';
import { readConfig } from '../../../src/config.ts';
import { createLog } from '../../../src/ops/log.ts';
import { createMetrics } from '../../../src/ops/metrics.ts';
import { asServer, sideInput } from '../../support/as-side.ts';

export interface ListServerInput {
  /** Path of the records, which are there. */
  readonly store: string;
  /** Address of the OpenSearch. */
  readonly index: string;
}

/** What `agent-registry serve` serves, from records in SQLite and an index in OpenSearch. */
const { store: path, index: address } = await sideInput<ListServerInput>();
const config = { ...readConfig({}), store: `sqlite:${path}`, index: address };
const store = await openStore(config, { create: false });
const server = createServer({
  ...{ records: store.records, index: store.index, clock: systemClock, metrics: createMetrics() },
  logger: createLog({ level: 'warn', pretty: false }),
  config: { version: '0.0.0', trustedProxies: [], rateLimit: { max: 1e9, windowMs: 60_000 } },
});
await server.listen({ host: '127.0.0.1', port: 0 });
asServer({ port: (server.server.address() as AddressInfo).port }, cpu, stop);

async function stop(): Promise<void> {
  await server.close();
  await store.close();
}

function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
