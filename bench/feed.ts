/**
 * A first read of the whole feed on the embedded store, over HTTP in one process, beside its floor: the same rows, joined and
 * written as JSON. Then the field's JavaScript sync as it is, where `npm run test:peers` has installed it.
 *
 *   node bench/feed.ts [--publishers 100000, with ten edges each] [--quick]
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { createSqliteIndex } from '../src/adapters/sql/index/sqlite-index.ts';
import { openSqliteRecords, type SqliteRecords } from '../src/adapters/sql/sqlite/sqlite-records.ts';
import { createServer } from '../src/api/server.ts';
import { systemClock } from '../src/compose/clock.ts';
import { createMetrics } from '../src/ops/metrics.ts';
import { newApiKey } from '../src/owners/secrets.ts';
import { cpuMs } from './support/cpu.ts';
import { fillEdges } from './support/fill-edges.ts';
import { withScratchStore } from './support/scratch.ts';
import { printTable, type Row } from './support/table.ts';

const { values: options } = parseArgs({
  options: {
    publishers: { type: 'string', default: '100000' },
    quick: { type: 'boolean', default: false },
  },
});
const publishers = options.quick ? 500 : Number(options.publishers);
const SYNC = new URL('../test/peers/package.json', import.meta.url).pathname;
const AT_ONCE = 10_000;

await withScratchStore(async (path) => {
  const records = await openSqliteRecords({ path });
  fillEdges(records.database, publishers);
  const rows: Row[] = [await measured('numbering the rows', () => told(records))];
  rows.push(await measured('floor: the rows as JSON', async () => floor(records)));
  const index = createSqliteIndex(records.database, { clock: systemClock });
  const server = createServer({
    ...{ records, index, clock: systemClock, logger: pino({ level: 'silent' }), metrics: createMetrics() },
    config: { version: '0.0.0', trustedProxies: [] },
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  for (const limit of [1_000, 10_000])
    rows.push(await measured(`first read, limit ${limit}`, () => firstRead(url, limit)));
  if (existsSync(new URL('../test/peers/node_modules', import.meta.url)))
    rows.push(await measured('the JavaScript sync, and the server', () => sync(records, url)));
  const [, bare] = rows;
  printTable(
    `the feed of ${publishers} publishers`,
    rows.map((row) => ({ ...row, 'beside the floor': Number(row['CPU ms']) / Number(bare?.['CPU ms']) })),
  );
  await server.close();
  await records.close();
});

/** CPU time, as machines are shared; of both sides, where there are two. */
async function measured(what: string, work: () => Promise<number>): Promise<Row> {
  const [before, begun] = [cpuMs(), performance.now()];
  const count = await work();
  const [cpu, ms] = [cpuMs() - before, performance.now() - begun];
  return { what, count, 'CPU ms': cpu, ms, 'a second of CPU': Math.round((count * 1_000) / cpu) };
}

async function told({ edgeLog }: SqliteRecords): Promise<number> {
  for (let count = 0; ; ) {
    const some = await edgeLog.tellEdges(AT_ONCE, Date.now());
    if (some === 0) return count;
    count += some;
  }
}

function floor({ database }: SqliteRecords): number {
  const text = `SELECT edge_log.seq, edge_log.at, authorisation.* FROM edge_log
    LEFT JOIN authorisation ON authorisation.id = edge_log.authorisation WHERE seq > ? ORDER BY seq LIMIT ${AT_ONCE}`;
  const select = database.statement(text);
  for (let [count, after] = [0, 0]; ; ) {
    const rows = select.all(after);
    if (rows.length === 0) return count;
    count += rows.map((row) => JSON.stringify(row)).length;
    after = Number(rows.at(-1)?.seq);
  }
}

async function firstRead(url: string, limit: number): Promise<number> {
  for (let [count, cursor] = [0, '']; ; ) {
    const answer = await fetch(`${url}/api/registry/feed?limit=${limit}&cursor=${cursor}`);
    const page = (await answer.json()) as { events: unknown[]; cursor: string; has_more: boolean };
    count += page.events.length;
    if (!page.has_more) return count;
    cursor = page.cursor;
  }
}

async function sync(records: SqliteRecords, baseUrl: string): Promise<number> {
  const { RegistryClient, RegistrySync } = createRequire(SYNC)('@adcp/sdk');
  const key = newApiKey();
  await records.members.import([{ slug: 'm', displayName: 'M', foundingMember: false }], Date.now());
  await records.keys.create({ id: key.id, hash: key.hash, member: 'm' }, Date.now());
  const follower = new RegistrySync({ client: new RegistryClient({ baseUrl, apiKey: key.key }) });
  await follower.start();
  follower.stop();
  return follower.getStats().authorizations;
}
