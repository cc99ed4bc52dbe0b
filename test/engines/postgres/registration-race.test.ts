import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { createServer } from '../../../src/api/server.ts';
import type { ServerOptions } from '../../../src/api/server-options.ts';
import { createUrlFault } from '../../../src/crawl/fetch/url-fault.ts';
import { openSqliteIndex } from '../../../src/index/embedded/sqlite-index.ts';
import { createMetrics } from '../../../src/ops/metrics.ts';
import { openPostgresRecords } from '../../../src/records/postgres/postgres-records.ts';
import { openSqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';
import { describeRegistrationRaces } from '../../api/support/registration-races.ts';
import { addKey, PROBED_AT } from '../../api/support/registry.ts';
import { freshDatabase } from '../support/engines.ts';

/** A process that serves a registry, with connections of its own. */
async function process(url: string, findProof: NonNullable<ServerOptions['findProof']>) {
  const records = await openPostgresRecords({ url });
  const { store, close } = await openSqliteRecords({ path: ':memory:' });
  const clock = { now: () => PROBED_AT };
  const server = createServer({
    ...{ records, clock, index: await openSqliteIndex(store, { clock }), findProof },
    ...{ logger: pino({ level: 'silent' }), metrics: createMetrics({ version: '0.1.0' }) },
    urlFault: createUrlFault([]),
    config: { version: '0.1.0', trustedProxies: [] },
  });
  onTestFinished(async () => {
    await server.close();
    await records.close();
    await close();
  });
  return { records, server };
}

describeRegistrationRaces('PostgreSQL, over two processes', async (findProof) => {
  const url = await freshDatabase();
  const { records, server } = await process(url, findProof);
  const other = await process(url, findProof);
  return { records, servers: [server, other.server], addKey: (member) => addKey(records, member) };
});
