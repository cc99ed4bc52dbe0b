import { readSearchQuery } from '../../src/index/query/search-query.ts';
import type { AgentIndex } from '../../src/ports/agent-index.ts';
import { start, type Time } from './ask-authorised.ts';
import { quantile } from './statistics.ts';
import type { Row } from './table.ts';

const CASES: readonly (readonly [string, string])[] = [
  ['a word that everybody has', 'q=agent'],
  ['a rare word', 'q=v1990'],
  ['both', 'q=agent+v1990'],
  ['a word with a mistake', 'q=viewabilitty'],
  ['a word that nobody has', 'q=zzzzzzzz'],
  ['filters alone', 'accreditation=MRC&tags=premium&min_properties=5'],
  ['a common word and filters', 'q=agent&accreditation=MRC&tags=premium&min_properties=5'],
  ['ten common words', 'q=sells+measures+or+describes+advertising+for+the+publishers+that+it'],
  ['everybody', ''],
  ['everybody, most properties first', 'sort=properties'],
  ['a common word, by name', 'q=agent&sort=name'],
  ['a common word, most properties first', 'q=agent&sort=properties'],
];

/** Searches of each kind before it is measured: what is compiled on first use is no cost of an answer. */
export const WARM_UP = 20;

/** Milliseconds: as the clock saw them, and of this process alone. */
interface Timed {
  readonly p50: number;
  readonly p99: number;
  readonly cpuP99: number;
}

/** Times each kind of search with facets; `agents` is how many were found. */
export async function timeSearches(
  index: Pick<AgentIndex, 'find'>,
  rounds: number,
): Promise<readonly (Timed & { readonly name: string; readonly agents: number })[]> {
  const all = [];
  for (const [name, text] of CASES) {
    const read = readSearchQuery(new URLSearchParams(text), Date.now());
    if (!read.ok) throw new Error(read.problem.detail);
    const query = { ...read.query, facets: true as const };
    const { total } = await index.find(query);
    all.push({ name, ...(await timed(rounds, () => index.find(query))), agents: total.agents });
  }
  return all;
}

export async function timed(rounds: number, work: () => Promise<unknown>): Promise<Timed> {
  const times: Time[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const begun = start();
    await work();
    times.push(begun());
  }
  const [wall, cpu] = [times.map((time) => time.wall), times.map((time) => time.cpu)];
  return { p50: quantile(wall, 0.5), p99: quantile(wall, 0.99), cpuP99: quantile(cpu, 0.99) };
}

/** A row of the table for each kind of search, below that of the floor. */
export async function searchRows(
  index: Pick<AgentIndex, 'find'>,
  rounds: number,
  floor: Timed & { readonly name: string; readonly agents: number },
): Promise<readonly Row[]> {
  return [floor, ...(await timeSearches(index, rounds))].map(({ name, p50, p99, cpuP99, agents }) => ({
    ...{ case: name, 'p50 ms': p50, 'p99 ms': p99, 'CPU p99 ms': cpuP99 },
    ...{ 'of the floor': p99 / floor.p99, agents },
  }));
}
