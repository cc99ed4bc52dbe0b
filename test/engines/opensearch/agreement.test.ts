import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSqliteIndex } from '../../../src/adapters/sql/index/sqlite-index.ts';
import { openSqliteRecords } from '../../../src/adapters/sql/sqlite/sqlite-records.ts';
import { AGENT_TYPES } from '../../../src/domain/agent-type.ts';
import { VERIFICATION_AXES } from '../../../src/domain/compliance.ts';
import type { AgentIndex } from '../../../src/ports/agent-index.ts';
import type { SavedDocument } from '../../../src/ports/agent-store.ts';
import { NASTY_QUERIES } from '../../contract/agent-index-nasty.ts';
import { livePut, pages, reference } from '../../contract/agent-index-reference.ts';
import { anyFilter, documentOf } from '../../contract/agent-index-samples.ts';
import { type OpenedOpenSearch, openFresh } from './support.ts';

const AGENTS = 500;
const nasty = fc.constantFrom(...NASTY_QUERIES);
const metricId = fc.oneof(
  nasty,
  fc.tuple(nasty, nasty).map(([a, b]) => a + b),
  nasty.map((text) => text.toUpperCase()),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 256 }),
);
const parts = fc.record({
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
  const writes: readonly SavedDocument[] = fc.sample(parts, AGENTS).map((sample, at) => {
    const agent = `https://a${(at * 7_919) % 997}.example/${at % 3 === 0 ? 'X' : 'x'}${at}`;
    return { agent, version: at + 1, document: documentOf({ url: agent, ...sample }) };
  });
  let search: OpenedOpenSearch;
  let sql: AgentIndex;
  let closeRecords: () => Promise<void>;
  beforeAll(async () => {
    search = await openFresh();
    const records = await openSqliteRecords({ path: ':memory:', create: true });
    closeRecords = () => records.close();
    sql = createSqliteIndex(records.database, { clock: { now: () => 0 } });
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
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 64 });
    await fc.assert(
      fc.asyncProperty(text, async (q) => agree({ q: q.toLowerCase().toWellFormed() }, 100)),
      { numRuns: 50 },
    );
  });
});
