import type { AddressInfo } from 'node:net';
import { createServer } from '../../src/api/server.ts';
import { openPageThread } from '../../src/cli/setup/page-thread.ts';
import { systemClock } from '../../src/compose/clock.ts';
import { openStore } from '../../src/compose/engines.ts';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/ops/log.ts';
import { createMetrics } from '../../src/ops/metrics.ts';
import { asServer, sideInput } from '../support/as-side.ts';
import { cpuMs } from '../support/cpu.ts';

export interface RegistryServerInput {
  /** As REGISTRY_STORE; the records are there. */
  readonly store: string;
  /** As REGISTRY_INDEX; absent: beside the records. */
  readonly index?: string;
}

/** What `agent-registry serve` serves, over whatever engines. */
const input = await sideInput<RegistryServerInput>();
const config = { ...readConfig({}), ...input };
const store = await openStore(config, { create: false });
const pages = openPageThread({ config });
const server = createServer({
  ...{ records: store.records, index: store.index, clock: systemClock, metrics: createMetrics() },
  logger: createLog({ level: 'warn', pretty: false }),
  pagesBeside: pages.beside,
  config: { version: '0.0.0', trustedProxies: [], rateLimit: { max: 1e9, windowMs: 60_000 } },
});
await server.listen({ host: '127.0.0.1', port: 0 });
asServer({ port: (server.server.address() as AddressInfo).port }, cpuMs, stop);

async function stop(): Promise<void> {
  await server.close();
  await pages.close();
  await store.close();
}
