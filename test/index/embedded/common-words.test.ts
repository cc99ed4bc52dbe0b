import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSqliteIndex } from '../../../src/index/embedded/sqlite-index.ts';
import type { AgentIndex } from '../../../src/ports/agent-index.ts';
import { openSqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';
import { documentOf } from '../../contract/agent-index-samples.ts';

/** More than are counted one by one. */
const AGENTS = 10_200;
const MOST_COUNTED = 10_000;
const BATCH = 2_000;

/** Who has each word, by the number of the agent. Of a hundred agents 99 have those that are looked for in the texts. */
const HOLDERS: Readonly<Record<string, (at: number) => boolean>> = {
  every: () => true,
  almost: (at) => at % 2_000 !== 1_999,
  nearly: (at) => at % 150 !== 7,
  mostly: (at) => at % 300 !== 8,
  usually: (at) => at % 1_000 !== 9,
  often: (at) => at % 50 !== 3,
  half: (at) => at % 2 === 0,
  rare: (at) => at % 1_000 === 7 || at % 1_000 === 999,
};
const WORDS = Object.keys(HOLDERS);
const TYPES = ['sales', 'measurement', 'buying'] as const;
const typeOf = (at: number) => TYPES[at % 7] ?? 'signals';

function fits(at: number, words: readonly string[], type?: string): boolean {
  return words.every((word) => HOLDERS[word]?.(at)) && (type === undefined || typeOf(at) === type);
}

describe('words that nearly every agent has', () => {
  let records: Awaited<ReturnType<typeof openSqliteRecords>>;
  let index: AgentIndex;
  let generation: number;

  beforeAll(async () => {
    records = await openSqliteRecords({ path: ':memory:' });
    index = createSqliteIndex(records.database, { clock: { now: () => 0 } });
    ({ id: generation } = await index.generations.begin(0));
    const all = Array.from({ length: AGENTS }, (_, at) => {
      const document = documentOf({ url: `https://a${at}.test/`, type: typeOf(at) });
      const description = WORDS.filter((word) => HOLDERS[word]?.(at)).join(' ');
      return {
        ...{ agent: document.url, version: at + 1 },
        document: { ...document, base: { ...document.base, description } },
      };
    });
    for (let at = 0; at < AGENTS; at += BATCH)
      await index.generations.write(generation, all.slice(at, at + BATCH));
  });
  afterAll(() => records.close());

  const segments = () =>
    records.database.statement(`SELECT DISTINCT segid FROM index_text_${generation}_idx`).all().length;

  it('are kept in one piece when a copy is complete', async () => {
    expect(segments()).toBeGreaterThan(1);
    await index.generations.built(generation);
    expect(segments()).toBe(1);
    await index.generations.promote(generation, 0);
  });

  async function found(words: readonly string[], type?: (typeof TYPES)[number]) {
    const listed = type === undefined ? {} : { type };
    const query = { words, filter: { listed, labels: {} }, sort: 'name' } as const;
    const { total, agents, next } = await index.find(query);
    expect(await index.find({ ...query, totalOnly: true })).toMatchObject({ total, agents: [] });
    const urls = agents.map(({ url }) => url);
    for (let place = next; place !== undefined; ) {
      const block = await index.find({ ...query, place });
      urls.push(...block.agents.map(({ url }) => url));
      expect(block.total).toEqual(total);
      place = block.next;
    }
    return { total, urls };
  }

  it('narrow a search as any other word does, and its total', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 1 }),
        fc.option(fc.constantFrom(...TYPES), { nil: undefined }),
        async (words, type) => {
          const { total, urls } = await found(words, type);
          const expected = Array.from({ length: AGENTS }, (_, at) => at)
            .filter((at) => fits(at, words, type))
            .map((at) => `https://a${at}.test/`);
          expect(urls.toSorted()).toEqual(expected.toSorted());
          expect(total).toEqual({
            agents: Math.min(MOST_COUNTED, expected.length),
            isExact: expected.length <= MOST_COUNTED,
          });
        },
      ),
      { numRuns: 30 },
    ));
});
