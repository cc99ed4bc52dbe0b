/** The server of a registry in a file, in a process that can be killed: `serve-feed.ts PATH PORT NOW EXPORTS`; whoever started it says what time it is. */
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { createServer } from '../../src/api/server.ts';
import { openSqliteIndex } from '../../src/index/embedded/sqlite-index.ts';
import { createMetrics } from '../../src/ops/metrics.ts';
import { openSqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';

const [path = '', port, start, exports = ''] = process.argv.slice(2);
const clock = { value: Number(start), now: () => clock.value };
process.on('message', (now: number) => {
  clock.value = now;
  process.send?.('set');
});
process.on('disconnect', () => process.exit());
const records = await openSqliteRecords({ path });
const server = createServer({
  ...{ records, index: await openSqliteIndex(records.store, { clock }), clock },
  ...{ logger: pino({ level: 'silent' }), metrics: createMetrics({ version: '0.1.0' }) },
  config: { version: '0.1.0', trustedProxies: [], exports },
});
await server.listen({ port: Number(port), host: '127.0.0.1' });
process.send?.((server.server.address() as AddressInfo).port);
