/**
 * A first read of the whole feed on the embedded store, beside its floor: the same rows, joined and written as JSON. Then the
 * field's unmodified JavaScript sync, if `npm run test:peers` has installed it. Server and client run in separate processes.
 *
 *   node bench/feed.ts [--publishers 100000, with ten edges each] [--store PATH to keep it] [--rounds 3] [--quick]
 */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { newApiKey } from '../src/owners/secrets.ts';
import { openSqliteRecords, type SqliteRecords } from '../src/records/sqlite/sqlite-records.ts';
import type { FeedReaderInput } from './sides/feed-reader.ts';
import type { RegistryServerInput } from './sides/registry-server.ts';
import { cpuMs } from './support/cpu.ts';
import { fillOnce } from './support/fill-edges.ts';
import { withStoreAt } from './support/scratch.ts';
import { runSide, type Serving, startSide } from './support/side.ts';
import { printTable, type Row } from './support/table.ts';

const { values: options } = parseArgs({
  options: {
    publishers: { type: 'string', default: '100000' },
    store: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    quick: { type: 'boolean', default: false },
  },
});
const publishers = options.quick ? 500 : Number(options.publishers);
const rounds = options.quick ? 1 : Number(options.rounds);
const SYNC = new URL('../test/peers/node_modules', import.meta.url);
const AT_ONCE = 10_000;
const LIMITS = [1_000, 10_000];

await withStoreAt(options.store, async (path) => {
  const records = await openSqliteRecords({ path });
  fillOnce(records.database, publishers);
  const rows = [
    await measured('numbering the rows', () => told(records)),
    await measured('floor: the rows as JSON', async () => floor(records)),
  ];
  const key = newApiKey();
  await records.members.import([{ slug: 'm', displayName: 'M', foundingMember: false }], Date.now());
  await records.keys.create({ id: key.id, hash: key.hash, member: 'm' }, Date.now());
  await records.close();
  const input: RegistryServerInput = { store: `sqlite:${path}` };
  const server = await startSide<{ port: number }, number>('registry-server', input);
  const reader = { baseUrl: `http://127.0.0.1:${server.ready.port}`, apiKey: key.key };
  for (let round = 0; round < rounds; round += 1)
    for (const limit of LIMITS)
      rows.push(await apart(`first read, limit ${limit}`, server, { ...reader, limit }));
  if (existsSync(SYNC)) rows.push(await apart('the JavaScript sync', server, reader));
  await server.stop();
  printTable(`the feed of ${publishers} publishers; µs are CPU of an event`, rows);
});

/** In this process, without HTTP. */
async function measured(what: string, work: () => Promise<number>): Promise<Row> {
  const [before, begun] = [cpuMs(), performance.now()];
  const count = await work();
  return rowOf(what, count, performance.now() - begun, { server: cpuMs() - before });
}

async function apart(what: string, server: Serving<number>, input: FeedReaderInput): Promise<Row> {
  const before = await server.ask('cpu');
  const { wallMs, cpuMs: client, result } = await runSide<number>('feed-reader', input);
  return rowOf(what, result, wallMs, { server: (await server.ask('cpu')) - before, client });
}

function rowOf(what: string, count: number, ms: number, cpu: { server: number; client?: number }): Row {
  // a kept store has nothing left to number
  const each = (of: number | undefined) => (of === undefined || count === 0 ? '' : (of * 1_000) / count);
  return {
    ...{ what, count, seconds: ms / 1_000, 'a second': Math.round((count * 1_000) / ms) },
    ...{ 'server µs': each(cpu.server), 'client µs': each(cpu.client) },
  };
}

async function told({ edgeLog }: SqliteRecords): Promise<number> {
  for (let count = 0; ; ) {
    const some = await edgeLog.appendPending(AT_ONCE, Date.now());
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
