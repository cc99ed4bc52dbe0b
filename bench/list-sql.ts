/**
 * The list operation's search on the embedded index, in process: each filter at `limit=50`, against its floor,
 * which is fetching 50 agents by URL with one bare prepared statement.
 *
 *   node bench/list-sql.ts [--agents 100000] [--rounds 300] [--reuse]
 */
import { existsSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { AgentFilter } from '../src/domain/agent-query.ts';
import { createSqliteIndex } from '../src/index/embedded/sqlite-index.ts';
import { readListQuery } from '../src/index/query/list-query.ts';
import type { AgentIndex } from '../src/ports/agent-index.ts';
import type { SavedDocument } from '../src/ports/agent-store.ts';
import type { SqliteDatabase } from '../src/records/sqlite/sqlite-database.ts';
import { openSqliteRecords } from '../src/records/sqlite/sqlite-records.ts';
import { BODIES, METRIC_COUNT, metricId, syntheticAgents } from './synthetic-agents.ts';

const LIMIT = 50;
const EVERY_GROUP = { health: true, capabilities: true, properties: true, compliance: true };
const BATCH = 2_000;

const { values: options } = parseArgs({
  options: {
    agents: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '300' },
    reuse: { type: 'boolean', default: false },
  },
});
const agents = Number(options.agents);
const rounds = Number(options.rounds);

const ranks = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => `metric_id=${metricId(from + at)}`).join('&');
/** Name and query of each case; `*` in front of those that search by `q`. */
const CASES: readonly (readonly [string, string])[] = [
  ['no filter', ''],
  ['type, common', 'type=sales'],
  ['type=measurement', 'type=measurement'],
  ['verified', 'verified=true'],
  ['verified, one type', 'verified=true&type=brand'],
  ['both axes (rare)', 'verification_mode=spec&verification_mode=live'],
  ['both axes, one type', 'verification_mode=spec&verification_mode=live&type=rights'],
  ['metric, the commonest', ranks(0, 1)],
  ['metric, middling', ranks(40, 1)],
  ['metric, rare', ranks(METRIC_COUNT - 3, 1)],
  ['metric, unheard of', 'metric_id=nothing'],
  ['20 metrics, common', ranks(0, 20)],
  ['20 metrics, rare', ranks(METRIC_COUNT - 21, 20)],
  ['accreditation, common', 'accreditation=MRC'],
  ['accreditation, rare', 'accreditation=rare%20body'],
  ['common metric and common body', `${ranks(0, 1)}&accreditation=MRC`],
  ['rare metric and common body', `${ranks(METRIC_COUNT - 3, 1)}&accreditation=MRC`],
  ['common metric and rare body', `${ranks(0, 1)}&accreditation=rare%20body`],
  [
    '20 metrics and 5 bodies',
    `${ranks(10, 20)}&${BODIES.slice(0, 5)
      .map((body) => `accreditation=${encodeURIComponent(body)}`)
      .join('&')}`,
  ],
  ['20 rare metrics, rare body', `${ranks(METRIC_COUNT - 21, 20)}&accreditation=rare%20body`],
  ['common metric, verified', `${ranks(0, 1)}&verified=true`],
  ['common metric, both axes', `${ranks(0, 1)}&verification_mode=spec&verification_mode=live`],
  [
    'metric, body, both axes',
    `${ranks(0, 3)}&accreditation=MRC&verification_mode=spec&verification_mode=live`,
  ],
  ['common metric and body, disjoint', 'metric_id=left%20side&accreditation=right%20body'],
  ['the same, verified', 'metric_id=left%20side&accreditation=right%20body&verified=true'],
  ['* q, in every metric', 'q=.V'],
  ['* q, in one of eight', 'q=attention'],
  ['* q, in some', 'q=V199'],
  ['* q, in one', `q=${metricId(METRIC_COUNT - 3)}`],
  ['* q, in none', 'q=%25'],
  ['* q and common body', 'q=reach&accreditation=MRC'],
  ['* q and body, disjoint', 'q=left&accreditation=right%20body'],
  ['* q and rare body', 'q=reach&accreditation=rare%20body'],
  ['* q, in every metric, both axes', 'q=.v&verification_mode=spec&verification_mode=live'],
  ['* q, metric, body, verified', `q=reach&${ranks(0, 1)}&accreditation=MRC&verified=true`],
];

await main();

async function main(): Promise<void> {
  const path = join(tmpdir(), `registry-bench-list-${agents}.sqlite`);
  const filled = options.reuse && existsSync(path);
  if (!filled) for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  const records = await openSqliteRecords({ path });
  const { database } = records;
  const index = createSqliteIndex(database, { clock: { now: () => 0 } });
  if (!filled) await fill(index);
  console.log(
    `\n${agents} agents, ${Math.round(statSync(path).size / 2 ** 20)} MiB, limit=${LIMIT}, ${rounds} rounds a case, milliseconds\n`,
  );
  report('floor: 50 agents by URL', floor(database), 0);
  for (const [name, query] of CASES) await measureCase(index, name, query);
  await records.close();
  if (!options.reuse) for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}

async function fill(index: AgentIndex): Promise<void> {
  const [live] = await index.generations.list();
  const put = (documents: readonly SavedDocument[]) => index.generations.write(live?.id ?? 0, documents);
  const started = performance.now();
  let batch: SavedDocument[] = [];
  for (const agent of syntheticAgents(agents)) {
    if (batch.push(agent) < BATCH) continue;
    await put(batch);
    batch = [];
  }
  await put(batch);
  const seconds = (performance.now() - started) / 1_000;
  console.log(`filled ${agents} agents in ${seconds.toFixed(1)} s, ${Math.round(agents / seconds)} a second`);
}

/** Pages from the start and from places spread over the whole list, in turn. */
async function measureCase(index: AgentIndex, name: string, query: string): Promise<void> {
  const read = readListQuery(new URLSearchParams(query), Date.now());
  if (!read.ok) throw new Error(read.problem.detail);
  const { filter } = read.query;
  const times: Time[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const after = round % 2 === 0 ? undefined : urlBefore((round * 7_919) % agents);
    const started = performance.now();
    const cpu = process.cpuUsage();
    await index.search({ filter, limit: LIMIT, shown: EVERY_GROUP, ...(after !== undefined && { after }) });
    times.push({ cpu: spent(cpu), wall: performance.now() - started });
  }
  const { total, first } = await countTwice(index, filter);
  report(name, times, total, first);
}

async function countTwice(index: AgentIndex, filter: AgentFilter) {
  const started = performance.now();
  const total = await index.count(filter);
  return { total, first: performance.now() - started };
}

function floor(database: SqliteDatabase): Time[] {
  const statement = database.statement(
    `SELECT a.url, a.seq, r.* FROM index_agent_1 a CROSS JOIN index_record_1 r ON r.id = a.id WHERE a.url = ?`,
  );
  const urls = database.statement('SELECT url FROM index_agent_1 WHERE url > ? ORDER BY url LIMIT 50');
  return Array.from({ length: rounds }, (_, round) => {
    const page = urls.all(urlBefore((round * 7_919) % agents)) as { url: string }[];
    const started = performance.now();
    const cpu = process.cpuUsage();
    for (const { url } of page) statement.get(url);
    return { cpu: spent(cpu), wall: performance.now() - started };
  });
}

function urlBefore(at: number): string {
  return `https://agent-${String(at).padStart(8, '0')}.`;
}

/** Milliseconds: as the clock saw it, and of this process alone (what a machine busy with other work shows of it). */
interface Time {
  readonly wall: number;
  readonly cpu: number;
}

function spent(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}

function report(name: string, times: readonly Time[], total: number, counted?: number): void {
  const wall = times.map((time) => time.wall);
  const cpu = times.map((time) => time.cpu);
  const cells = [quantile(wall, 0.5), quantile(wall, 0.99), quantile(cpu, 0.5), quantile(cpu, 0.99)];
  const [p50, p99, cpu50, cpu99] = cells.map((value) => value.toFixed(2).padStart(7));
  const count =
    counted === undefined ? '' : `   ${String(total).padStart(8)} agents, first count ${counted.toFixed(1)}`;
  console.log(`${name.padEnd(34)} p50 ${p50}  p99 ${p99}   cpu p50 ${cpu50}  p99 ${cpu99}${count}`);
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0;
}
