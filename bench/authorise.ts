/**
 * May this agent sell this? On the embedded store, in process: questions of each kind, against their floor, which is the
 * three point reads that no answer can do without. The rows are filled in bulk.
 *
 *   node bench/authorise.ts [--publishers 1000000] [--rounds 2000] [--store PATH to keep it] [--quick]
 */
import { existsSync, statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openSqliteRecords } from '../src/adapters/sql/sqlite/sqlite-records.ts';
import { maySell } from '../src/discovery/may-sell.ts';
import type { Question } from '../src/domain/authorisation-question.ts';
import { agentAt, EDGES, fillEdges, NETWORK, publisherAt } from './support/fill-edges.ts';
import { withScratchStore } from './support/scratch.ts';
import { quantile } from './support/statistics.ts';
import { printTable, type Row } from './support/table.ts';

const { values: options } = parseArgs({
  options: {
    publishers: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '2000' },
    store: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
});
const publishers = options.quick ? 2_000 : Number(options.publishers);
const rounds = options.quick ? 100 : Number(options.rounds);
const AT = Date.UTC(2026, 0, 1, 1);

type Asked = Omit<Question, 'at'>;
const site = (n: number) => ({ type: 'domain', value: publisherAt(n) });

/** Name of the case, whether the answer is a yes, and the question about the n-th publisher. */
const CASES: readonly (readonly [string, boolean, (n: number) => Asked])[] = [
  ['a site', true, (n) => ({ agent: agentAt(n, 1), property: site(n) })],
  ['a site, in a country', true, (n) => ({ agent: agentAt(n, 2), property: site(n), country: 'DE' })],
  [
    'www. of a site',
    true,
    (n) => ({ agent: agentAt(n, 1), property: { type: 'domain', value: `www.${publisherAt(n)}` } }),
  ],
  [
    'an app by its bundle',
    true,
    (n) => ({ agent: agentAt(n, EDGES - 1), property: { type: 'ios_bundle', value: `com.p${n}` } }),
  ],
  [
    'a property by its id',
    true,
    (n) => ({ agent: agentAt(n, 1), publisher: publisherAt(n), property: { id: 'site' } }),
  ],
  ['the network', true, (n) => ({ agent: NETWORK, property: site(n - (n % 10)) })],
  ['no: another country', false, (n) => ({ agent: agentAt(n, 2), property: site(n), country: 'FR' })],
  ['no: another property', false, (n) => ({ agent: agentAt(n, EDGES - 1), property: site(n) })],
  ['no: not named', false, (n) => ({ agent: 'https://nobody.example/', property: site(n) })],
  [
    'no: never heard of',
    false,
    (n) => ({ agent: NETWORK, property: { type: 'domain', value: `x${n}.example` } }),
  ],
];

if (options.store === undefined) await withScratchStore(main);
else await main(options.store);

async function main(path: string): Promise<void> {
  const filled = existsSync(path);
  const records = await openSqliteRecords({ path });
  const started = performance.now();
  if (!filled) {
    fillEdges(records.database, publishers);
    console.log(`filled in ${((performance.now() - started) / 1_000).toFixed(0)} s`);
  }
  const bytes = statSync(path).size;
  const edges = publishers * EDGES;
  console.log(
    `${edges} edges of ${publishers} publishers, ${Math.round(bytes / 2 ** 20)} MiB, ${Math.round(bytes / edges)} bytes an edge with all that belongs to it`,
  );
  const rows: Row[] = [rowOf('floor: three point reads', floor(records.database))];
  for (const [name, expected, question] of CASES) {
    const times: Time[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const asked = { ...question(publisherOf(round)), at: AT };
      const begun = start();
      const { authorized } = await maySell(records.authorisations, asked, AT);
      times.push(begun());
      if (authorized !== expected)
        throw new Error(`${name}: ${JSON.stringify(asked)} was answered ${authorized}`);
    }
    rows.push(rowOf(name, times));
  }
  printTable(`may this agent sell this, ${edges} edges, milliseconds`, rows);
  await records.close();
}

/** Spread over all publishers, so that what is read is rarely in a cache of ours. */
function publisherOf(round: number): number {
  return (round * 7_919_003) % publishers;
}

function floor(database: Awaited<ReturnType<typeof openSqliteRecords>>['database']): Time[] {
  const texts = [
    "SELECT declaration FROM source WHERE kind = 'adagents' AND key = ?",
    'SELECT property FROM property_name WHERE name = ?',
    'SELECT covers, limits FROM authorisation WHERE agent = ? AND publisher = ? AND seen_until IS NULL',
  ].map((text) => database.statement(text));
  return Array.from({ length: rounds }, (_, round) => {
    const n = publisherOf(round + rounds);
    const begun = start();
    texts[0]?.get(publisherAt(n));
    texts[1]?.get(`domain:${publisherAt(n)}`);
    texts[2]?.get(agentAt(n, 1), publisherAt(n));
    return begun();
  });
}

/** Milliseconds: as the clock saw it, and of this process alone (what a machine busy with other work shows of it). */
interface Time {
  readonly wall: number;
  readonly cpu: number;
}

function start(): () => Time {
  const begun = performance.now();
  const cpu = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return { wall: performance.now() - begun, cpu: (user + system) / 1_000 };
  };
}

function rowOf(name: string, times: readonly Time[]): Row {
  const [wall, cpu] = [times.map((time) => time.wall), times.map((time) => time.cpu)];
  const [p50, p99] = [quantile(wall, 0.5), quantile(wall, 0.99)];
  return { question: name, p50, p99, 'CPU p50': quantile(cpu, 0.5), 'CPU p99': quantile(cpu, 0.99) };
}
