import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../../src/adapters/sql/database.ts';
import { createSqliteIndex } from '../../../../src/adapters/sql/index/sqlite-index.ts';
import type { AgentIndex } from '../../../../src/ports/agent-index.ts';
import type { SavedDocument } from '../../../../src/ports/agent-store.ts';
import { describeAgentIndex } from '../../../contract/agent-index.ts';
import { documentOf } from '../../../contract/agent-index-samples.ts';

const clock = { now: () => 0 };

describeAgentIndex('node:sqlite', async () => {
  const database = openDatabase(':memory:');
  const index = createSqliteIndex(database, { clock });
  return { index, close: async () => database.close() };
});

describe('the embedded index in one file of two connections', () => {
  let folder: string;
  let close: (() => void)[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'registry-index-'));
    close = [];
  });
  afterEach(() => {
    for (const one of close) one();
    rmSync(folder, { recursive: true });
  });

  const open = (readOnly = false): AgentIndex => {
    const database = openDatabase(join(folder, 'store.sqlite'), { readOnly });
    close.push(() => database.close());
    return createSqliteIndex(database, { clock });
  };

  it('shows to one what the other wrote, new values included', async () => {
    const [one, other] = [open(), open()];
    await one.put([agent(1, 'https://a.example/', ['first'])]);
    expect(await urls(other, { metricIds: ['first'] })).toEqual(['https://a.example/']);
    await other.put([agent(2, 'https://b.example/', ['second'])]);
    await one.put([agent(3, 'https://c.example/', ['third', 'second'])]);
    expect(await urls(one, { metricIds: ['second'] })).toEqual(['https://b.example/', 'https://c.example/']);
    expect(await urls(other, { q: 'thir' })).toEqual(['https://c.example/']);
    expect([await one.count({ q: 'd' }), await other.count({ q: 'd' })]).toEqual([2, 2]);
  });

  it('lets a reader follow a switch of generations', async () => {
    const [writer, reader] = [open(), open(true)];
    await writer.put([agent(1, 'https://a.example/', ['old'])]);
    expect(await urls(reader, { q: 'old' })).toHaveLength(1);
    for (const now of [1, 2, 3]) {
      const { id } = await writer.generations.begin(now);
      await writer.generations.copy(id, [agent(1, 'https://a.example/', [`new ${now}`])], undefined);
      await writer.generations.promote(id, now);
      expect(await urls(reader, { q: 'old' })).toEqual([]);
      expect(await urls(reader, { metricIds: [`new ${now}`] })).toHaveLength(1);
    }
  });

  it('forgets the values of a write that failed', async () => {
    const index = open();
    const broken = { ...agent(2, 'https://b.example/', ['lost']), seq: 'no number' as never };
    await expect(index.put([agent(1, 'https://a.example/', ['lost too']), broken])).rejects.toThrow();
    await index.put([agent(3, 'https://c.example/', ['kept'])]);
    expect(await urls(index, {})).toEqual(['https://c.example/']);
    expect(await urls(open(), { metricIds: ['kept'] })).toEqual(['https://c.example/']);
    expect(await urls(index, { q: 'lost' })).toEqual([]);
  });

  it('leaves no table of a generation that was dropped', async () => {
    const database = openDatabase(join(folder, 'store.sqlite'));
    close.push(() => database.close());
    const { generations } = createSqliteIndex(database, { clock });
    await generations.drop((await generations.begin(1)).id);
    const left = database.statement("SELECT name FROM sqlite_schema WHERE name GLOB 'index_*_2'").all();
    expect(left).toEqual([]);
  });

  it('says so when a store that may not be written has no index', () => {
    openDatabase(join(folder, 'store.sqlite')).close();
    expect(() => open(true)).toThrow(expect.objectContaining({ code: 'store_missing' }));
  });

  it('finds agents among 2,000 values and long lists', async () => {
    const index = open();
    const all = Array.from({ length: 3_000 }, (_, at) => `https://a${String(at).padStart(4, '0')}.example/`);
    await index.put(
      all.map((url, at) => agent(at + 1, url, [`m${at % 2_000}`, 'everyone', at % 2 ? 'odd' : 'even'])),
    );
    expect(await urls(index, { q: 'm' }, 5_000)).toEqual(all);
    expect(await urls(index, { q: 'm', metricIds: ['everyone'] }, 5_000)).toEqual(all);
    expect(await urls(index, { metricIds: ['odd'], q: 'even' }, 5_000)).toEqual([]);
    expect(await index.count({ metricIds: ['odd', 'even'] })).toBe(3_000);
    expect(await index.count({ metricIds: ['odd', 'everyone'], q: 'even' })).toBe(1_500);
    expect(await index.count({ metricIds: ['odd', 'everyone'], type: 'sales' })).toBe(0);
  });
});

function agent(seq: number, url: string, metricIds: readonly string[]): SavedDocument {
  return { agent: url, seq, document: documentOf({ url, metricIds }) };
}

async function urls(index: AgentIndex, filter: object, limit = 100): Promise<string[]> {
  return (await index.search({ filter, limit })).hits.map(({ url }) => url);
}
