import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SavedDocument } from '../../../src/domain/agent-document.ts';
import type { FoundAgent, FoundBlock, SearchQuery } from '../../../src/domain/agent-search.ts';
import { AGENT_TYPES } from '../../../src/domain/agent-type.ts';
import { VERIFICATION_AXES } from '../../../src/domain/compliance.ts';
import { wordsOf } from '../../../src/domain/text.ts';
import { openSqliteIndex } from '../../../src/index/embedded/sqlite-index.ts';
import type { AgentIndex } from '../../../src/ports/agent-index.ts';
import { openSqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';
import { NASTY_QUERIES } from '../../contract/agent-index-nasty.ts';
import { livePut, pages, reference } from '../../contract/agent-index-reference.ts';
import { anyFilter, documentOf } from '../../contract/agent-index-samples.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { type OpenedOpenSearch, openFresh } from './support.ts';

const AGENTS = 500;
/** Random searches by words; `REGISTRY_RUNS` asks for more. */
const RUNS = Number(process.env.REGISTRY_RUNS ?? 60);
const PATIENCE_MS = 120_000 + RUNS * 1_000;
const nasty = fc.constantFrom(...NASTY_QUERIES);
const metricId = fc.oneof(
  nasty,
  fc.tuple(nasty, nasty).map(([a, b]) => a + b),
  nasty.map((text) => text.toUpperCase()),
  fc.string({ unit: anyCharacter, minLength: 1, maxLength: 256 }),
);
/** Many are near each other, so that a mistake may mean several. */
const WORDS = [
  ...[
    'view',
    'views',
    'viewable',
    'viewability',
    'review',
    'attention',
    'attend',
    'reach',
    'reached',
    'news',
    'new',
  ],
  ...[
    'great',
    'get',
    'gate',
    'copper',
    'cupboard',
    'cardboard',
    'measure',
    'measurement',
    'morning',
    'mourning',
  ],
  ...['straße', 'évening', '広告', 'ctv', 'dv', 'a1', 'iab17'],
];
const parts = fc.record({
  names: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }),
  sign: fc.constantFrom(' ', '-', ' & '),
  type: fc.oneof(fc.constant('measurement' as const), fc.constantFrom(...AGENT_TYPES)),
  metricIds: fc.uniqueArray(metricId, { maxLength: 4 }),
  accreditations: fc.uniqueArray(fc.constantFrom('MRC', 'mrc', 'ABC', "O'Neil", '%', '*'), { maxLength: 2 }),
  badges: fc.array(
    fc.record({
      role: fc.constantFrom('measurement', 'creative'),
      axes: fc.subarray([...VERIFICATION_AXES]),
    }),
    { maxLength: 2 },
  ),
});

describe('the reference predicate, SQL and OpenSearch', () => {
  const writes: readonly SavedDocument[] = fc.sample(parts, AGENTS).map(({ names, sign, ...sample }, at) => {
    const agent = `https://a${(at * 7_919) % 997}.example/${at % 3 === 0 ? 'X' : 'x'}${at}`;
    const document = documentOf({ url: agent, ...sample });
    const base = { ...document.base, name: names.join(sign) };
    return { agent, version: at + 1, document: { ...document, base } };
  });
  let search: OpenedOpenSearch;
  let sql: AgentIndex;
  let closeRecords: () => Promise<void>;
  beforeAll(async () => {
    search = await openFresh();
    const records = await openSqliteRecords({ path: ':memory:', create: true });
    closeRecords = () => records.close();
    sql = await openSqliteIndex(records.store, { clock: { now: () => 0 } });
    await livePut(search.index)(...writes);
    await livePut(sql)(...writes);
  });
  afterAll(async () => {
    await search.close();
    await sql.close();
    await closeRecords();
  });

  const agree = async (filter: Parameters<typeof reference>[1], limit: number) => {
    const expected = reference(writes, filter);
    expect(await pages((query) => search.index.search(query), filter, limit)).toEqual(expected);
    expect(await pages((query) => sql.search(query), filter, limit)).toEqual(expected);
    expect([await search.index.count(filter), await sql.count(filter)]).toEqual([
      expected.length,
      expected.length,
    ]);
  };

  it(`give the same agents in the same order for each of ${NASTY_QUERIES.length} nasty texts`, async () => {
    for (const text of NASTY_QUERIES) await agree({ q: text.toLowerCase() }, 20);
  });

  it('give the same agents in the same order for any filters, page by page', async () => {
    const filters = fc.tuple(
      anyFilter(),
      fc.option(nasty),
      fc.option(fc.array(nasty, { minLength: 1, maxLength: 3 })),
    );
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 5, max: 200 }), async ([filter, q, metricIds], limit) => {
        const given = { ...filter, ...(q && { q: q.toLowerCase() }), ...(metricIds && { metricIds }) };
        await agree(given, limit);
      }),
      { numRuns: 150 },
    );
  });

  it('give the same agents for any text at all', async () => {
    const text = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 64 });
    await fc.assert(
      fc.asyncProperty(text, async (q) => agree({ q: q.toLowerCase().toWellFormed() }, 100)),
      { numRuns: 50 },
    );
  });

  it(
    'find the same agents by any words, right or mistaken, with the same counts and offers',
    async () => {
      const word = fc.constantFrom(...WORDS);
      const written = fc.oneof(
        word,
        fc.tuple(word, fc.nat(), fc.constantFrom(...'abet1é'), fc.nat({ max: 3 })).map(mistaken),
        nasty,
        fc.tuple(word, word, fc.constantFrom('', '-', "'")).map(([a, b, sign]) => a + sign + b),
      );
      const texts = fc.array(written, { maxLength: 3 }).map((all) => all.join(' '));
      const filters = anyFilter().map(({ q: _, ...listed }) => ({ listed, labels: {} }));
      const filter = fc.oneof(fc.constant({ listed: {}, labels: {} }), filters);
      const sorts = fc.constantFrom('relevance' as const, 'name' as const, 'properties' as const);
      await fc.assert(
        fc.asyncProperty(texts, filter, sorts, async (text, wanted, sort) => {
          const query = { words: [...new Set(wordsOf(text))], filter: wanted, sort };
          expect(await wholeOf(search.index, query)).toEqual(await wholeOf(sql, query));
        }),
        // two mistakes in a short word, beside a word with one
        { numRuns: RUNS, examples: [['neews', { listed: {}, labels: {} }, 'relevance']] },
      );
    },
    PATIENCE_MS,
  );
});

/** A word with one mistake: two letters swapped, one left out, doubled, or replaced. */
function mistaken([word, n, letter, kind]: readonly [string, number, string, number]): string {
  const letters = [...word];
  const at = n % letters.length;
  const [here = '', next = ''] = letters.slice(at, at + 2);
  const [changed, length] = [
    [next + here, 2],
    ['', 1],
    [here + here, 1],
    [letter, 1],
  ][kind] as [string, number];
  letters.splice(at, length, changed);
  return letters.join('');
}

/** All that a search finds, without what each engine has of its own: relevance, and the order of agents that are alike. */
async function wholeOf(index: AgentIndex, query: SearchQuery) {
  const first = await index.find({ ...query, facets: true });
  const found: FoundAgent[] = [];
  for (let block: FoundBlock | undefined = first; block !== undefined; ) {
    found.push(...block.agents);
    const place: string | undefined = block.next;
    block = place === undefined ? undefined : await index.find({ ...query, place });
  }
  const { total, facets, counted, corrected, nearest } = first;
  const names = found.map(({ card }) => (JSON.parse(card) as { name: string }).name);
  const urls = found.map(({ url }) => url).toSorted();
  const rest = { total, facets, counted, corrected, nearest };
  return { urls, ...rest, ...(query.sort === 'name' && { names }) };
}
