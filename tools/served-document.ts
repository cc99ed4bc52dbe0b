import { createServer } from '../src/api/server.ts';
import { openSqliteIndex } from '../src/index/embedded/sqlite-index.ts';
import { createLog } from '../src/ops/log.ts';
import { createMetrics } from '../src/ops/metrics.ts';
import { openSqliteRecords } from '../src/records/sqlite/sqlite-records.ts';

/** `/openapi.json`, as a registry with nothing in it serves it; whoever reads it says which of it he needs. */
export async function servedDocument() {
  const clock = { now: () => 0 };
  const records = await openSqliteRecords({ path: ':memory:' });
  const server = createServer({
    records,
    index: await openSqliteIndex(records.store, { clock }),
    clock,
    logger: createLog({ level: 'silent', pretty: false }),
    metrics: createMetrics(),
    config: { version: '0', trustedProxies: [] },
  });
  const answer = await server.inject('/openapi.json');
  await server.close();
  await records.close();
  return answer.json();
}
