/**
 * The list operation's search on the embedded index, in process: each filter, with pages from the start and from places
 * spread over the list.
 *
 *   node bench/list-sql.ts [--agents 100000] [--rounds 100] [--store PATH to keep it]
 */
import { parseArgs } from 'node:util';
import { readListQuery } from '../src/index/query/list-query.ts';
import { withFilledIndex } from './support/filled-index.ts';
import { printTable, type Row } from './support/table.ts';
import { timed } from './support/time-search.ts';
import { BODIES, METRIC_COUNT, metricId } from './synthetic-agents.ts';

const LIMIT = 50;
const EVERY_GROUP = { health: true, capabilities: true, properties: true, compliance: true };

const { values: options } = parseArgs({
  options: {
    agents: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '100' },
    store: { type: 'string' },
  },
});
const agents = Number(options.agents);
const rounds = Number(options.rounds);

const ranks = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => `metric_id=${metricId(from + at)}`).join('&');
/** Name and query of each case. */
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
  ['q, in every metric', 'q=.V'],
  ['q, in one of eight', 'q=attention'],
  ['q, in some', 'q=V199'],
  ['q, in one', `q=${metricId(METRIC_COUNT - 3)}`],
  ['q, in none', 'q=%25'],
  ['q and common body', 'q=reach&accreditation=MRC'],
  ['q and body, disjoint', 'q=left&accreditation=right%20body'],
  ['q and rare body', 'q=reach&accreditation=rare%20body'],
  ['q, in every metric, both axes', 'q=.v&verification_mode=spec&verification_mode=live'],
  ['q, metric, body, verified', `q=reach&${ranks(0, 1)}&accreditation=MRC&verified=true`],
];

await withFilledIndex({ agents, store: options.store }, async (index) => {
  const rows: Row[] = [];
  for (const [name, query] of CASES) {
    const read = readListQuery(new URLSearchParams(query), Date.now());
    if (!read.ok) throw new Error(read.problem.detail);
    const { filter } = read.query;
    let round = 0;
    const page = await timed(rounds, () => {
      round += 1;
      const after = round % 2 === 0 ? urlBefore((round * 7_919) % agents) : '';
      return index.search({ filter, limit: LIMIT, shown: EVERY_GROUP, after });
    });
    const count = await timed(5, () => index.count(filter));
    const found = await index.count(filter);
    const times = { 'p50 ms': page.p50, 'p99 ms': page.p99, 'CPU p99 ms': page.cpuP99 };
    rows.push({ case: name, ...times, 'count ms': count.p50, agents: found });
  }
  printTable(`List, ${agents} agents, limit=${LIMIT} (target: p99 under 25 ms)`, rows);
});

function urlBefore(at: number): string {
  return `https://agent-${String(at).padStart(8, '0')}.`;
}
