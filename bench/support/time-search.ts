import type { AgentIndex } from '../../src/ports/agent-index.ts';
import { readSearchQuery } from '../../src/query/search-query.ts';

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
];

interface Timed {
  readonly p50: number;
  readonly p99: number;
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

/** Milliseconds. */
export async function timed(rounds: number, work: () => Promise<unknown>): Promise<Timed> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  const sorted = times.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}
