/**
 * The graph in both directions, through the API in process, on the embedded store of `bench/authorise.ts`: the cost of a
 * response beside reading its raw rows, and of the last page of a network beside the first.
 *
 *   node bench/graph.ts [--publishers 1000000] [--rounds 500] [--store PATH to keep it] [--quick]
 */
import { parseArgs } from 'node:util';
import { systemClock } from '../src/compose/clock.ts';
import { openSqliteIndex } from '../src/index/embedded/sqlite-index.ts';
import { openSqliteRecords, type SqliteRecords } from '../src/records/sqlite/sqlite-records.ts';
import { rowOf, start, type Time } from './support/ask-authorised.ts';
import { askGraph, getTimed, graphServer, timesOf, WARM_UP } from './support/ask-graph.ts';
import { EDGES, fillOnce, NETWORK, publisherAt } from './support/fill-edges.ts';
import { withStoreAt } from './support/scratch.ts';
import { median } from './support/statistics.ts';
import { printTable } from './support/table.ts';

const { values: options } = parseArgs({
  options: {
    publishers: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '500' },
    store: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
});
const publishers = options.quick ? 2_000 : Number(options.publishers);
const rounds = options.quick ? 50 : Number(options.rounds);
const pageSize = options.quick ? 4 : 200;
/** Of all pages of the network: the first so many, and the last. */
const SHARE = 0.1;

await withStoreAt(options.store, main);

async function main(path: string): Promise<void> {
  const records = await openSqliteRecords({ path });
  console.log(`filled in ${fillOnce(records.database, publishers).toFixed(0)} s`);
  records.database.exec(
    `INSERT OR IGNORE INTO agent (agent, first_seen_at, revision, authorised_from) VALUES ('${NETWORK}', 1, 1, 1)`,
  );
  const server = graphServer({
    records,
    index: await openSqliteIndex(records.store, { clock: systemClock }),
  });
  const rows = [
    rowOf('floor: the edges of a publisher, raw', await timesOf(rounds, publishers, rawEdges(records))),
    ...(await askGraph(server, { rounds, publishers })),
  ];
  printTable(`the graph, ${publishers * EDGES} edges, milliseconds (target: p99 15)`, rows);
  const get = (url: string) => getTimed(server, url);
  await walk(get, '');
  await walk(get, '&include=properties');
  await server.close();
  await records.close();
}

function rawEdges({ database }: SqliteRecords): (n: number) => Time {
  const select = database.statement(
    'SELECT agent, authorized_for, count_by_type FROM authorisation WHERE publisher = ? AND seen_until IS NULL',
  );
  return (n) => {
    const begun = start();
    select.all(publisherAt(n));
    return begun();
  };
}

type Get = (url: string) => Promise<{ readonly time: Time; readonly answer: { json(): unknown } }>;

/** Pages through all publishers of the network. */
async function walk(get: Get, more: string): Promise<void> {
  const path = `/v1/agents/${encodeURIComponent(NETWORK)}/publishers?limit=${pageSize}${more}`;
  for (let round = 0; round < WARM_UP; round += 1) await get(path);
  const times: Time[] = [];
  let seen = 0;
  for (let next: string | null = ''; next !== null; ) {
    const { time, answer } = await get(path + (next && `&cursor=${next}`));
    const page = answer.json() as { publishers: unknown[]; next_cursor: string | null };
    times.push(time);
    seen += page.publishers.length;
    next = page.next_cursor;
  }
  if (seen !== Math.ceil(publishers / 10)) throw new Error(`the network has ${seen} publishers`);
  if (times.length > 1) times.pop(); // the last page is a part of one
  const many = Math.max(1, Math.floor(times.length * SHARE));
  const [first, last] = [times.slice(0, many), times.slice(-many)];
  const cpuOf = (some: readonly Time[]) => median(some.map(({ cpu }) => cpu));
  const name = `pages of ${pageSize}${more === '' ? '' : ', with property ids'}`;
  printTable(`${seen} publishers of one agent, ${times.length} ${name}, milliseconds`, [
    rowOf('the first tenth', first),
    rowOf('the last tenth', last),
  ]);
  console.log(
    `\nThe last page beside the first, by CPU: ${(cpuOf(last) / cpuOf(first)).toFixed(2)} (target: at most 1.2)`,
  );
}
