import { maySell } from '../../src/discovery/may-sell.ts';
import type { Question } from '../../src/domain/authorisation-question.ts';
import type { AuthorisationStore } from '../../src/records/agents/authorisations.ts';
import { agentAt, EDGES, NETWORK, publisherAt } from './fill-edges.ts';
import { quantile } from './statistics.ts';
import type { Row } from './table.ts';

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

/** A row for each kind of question, each asked so often. Throws when an answer is not the one that is expected. */
export async function askAll(
  store: AuthorisationStore,
  { rounds, publishers }: { readonly rounds: number; readonly publishers: number },
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, expected, question] of CASES) {
    const times: Time[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const asked = { ...question(publisherOf(round, publishers)), at: AT };
      const begun = start();
      const { authorized } = await maySell(store, asked, AT);
      times.push(begun());
      if (authorized !== expected)
        throw new Error(`${name}: ${JSON.stringify(asked)} was answered ${authorized}`);
    }
    rows.push(rowOf(name, times));
  }
  return rows;
}

/** Spread over all publishers, so that what is read is rarely in a cache of ours. */
export function publisherOf(round: number, publishers: number): number {
  return (round * 7_919_003) % publishers;
}

/** Milliseconds: as the clock saw it, and of this process alone (what a machine busy with other work shows of it). */
export interface Time {
  readonly wall: number;
  readonly cpu: number;
}

export function start(): () => Time {
  const begun = performance.now();
  const cpu = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return { wall: performance.now() - begun, cpu: (user + system) / 1_000 };
  };
}

export function rowOf(name: string, times: readonly Time[]): Row {
  const [wall, cpu] = [times.map((time) => time.wall), times.map((time) => time.cpu)];
  const [p50, p99] = [quantile(wall, 0.5), quantile(wall, 0.99)];
  return { question: name, p50, p99, 'CPU p50': quantile(cpu, 0.5), 'CPU p99': quantile(cpu, 0.99) };
}
