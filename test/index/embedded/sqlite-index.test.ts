import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createSqliteIndex } from '../../../src/index/embedded/sqlite-index.ts';
import { INDEX_LAYOUT } from '../../../src/index/query/index-fields.ts';
import type { AgentIndex } from '../../../src/ports/agent-index.ts';
import type { SavedDocument } from '../../../src/ports/agent-store.ts';
import { openDatabase } from '../../../src/records/sqlite/database.ts';
import { openSqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';
import { describeAgentIndex } from '../../contract/agent-index.ts';
import { livePut } from '../../contract/agent-index-reference.ts';
import { documentOf } from '../../contract/agent-index-samples.ts';

const clock = { now: () => 0 };

describeAgentIndex('node:sqlite', async () => {
  const records = await openSqliteRecords({ path: ':memory:' });
  return { index: createSqliteIndex(records.database, { clock }), close: () => records.close() };
});

describe('agents with texts as long as can be', () => {
  const words = Array.from({ length: 400 }, (_, n) => `same${String(n).padStart(3, '0')}`.padEnd(48, 'x'));
  const wordy = (at: number): SavedDocument => {
    const url = `https://a${100 + at}.example/`;
    const tools = words.map((name) => ({ name, description: '' }));
    const document = documentOf({
      ...{ url, metricIds: words, accreditations: words },
      capabilities: { tools_count: 400, tools },
    });
    return { agent: url, version: at + 1, document };
  };
  const search = (text: string) => ({
    ...{ words: [text], filter: { listed: {}, labels: {} }, sort: 'relevance' as const },
  });
  let index: AgentIndex;
  beforeEach(async () => {
    const records = await openSqliteRecords({ path: ':memory:' });
    onTestFinished(() => records.close());
    index = createSqliteIndex(records.database, { clock });
    await livePut(index)(...Array.from({ length: 80 }, (_, at) => wordy(at)));
  });

  // a thousand of them kept everybody from an answer for a second, with each search and each page of the directory
  it('let others be answered while they are ranked', async () => {
    let [rounds, isOver] = [0, false];
    const count = () => {
      rounds += 1;
      if (!isOver) setImmediate(count);
    };
    const found = index.find(search('same'));
    setImmediate(count);
    expect((await found).agents).toHaveLength(80);
    isOver = true;
    expect(rounds).toBeGreaterThan(3);
  });

  it('are found by the first 4,000 characters of each text', async () => {
    const [first = '', last = ''] = [words[0], words.at(-1)];
    expect((await index.find(search(first))).agents).toHaveLength(80);
    expect((await index.find(search(last))).corrected).toHaveProperty(last);
  });
});

describe('the embedded index in one file of two connections', () => {
  let folder: string;
  let close: (() => void)[];
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'registry-index-'));
    close = [];
    await (await openSqliteRecords({ path: join(folder, 'store.sqlite') })).close();
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

  /** With all groups: such a page needs one statement from the second time on. */
  const records = async (index: AgentIndex): Promise<readonly string[]> => {
    const shown = { health: true, capabilities: true, properties: true, compliance: true };
    return (await index.search({ filter: {}, limit: 10, shown })).hits.map(({ url }) => url);
  };
  /** Makes a generation live that has one other agent. */
  const replace = async ({ generations }: AgentIndex, now: number): Promise<void> => {
    const { id } = await generations.begin(now);
    await generations.write(id, [agent(1, 'https://b.example/', ['new'])]);
    await generations.built(id);
    await generations.promote(id, now);
  };

  it('shows to one what the other wrote, new values included', async () => {
    const [one, other] = [open(), open()];
    await livePut(one)(agent(1, 'https://a.example/', ['first']));
    expect(await urls(other, { metricIds: ['first'] })).toEqual(['https://a.example/']);
    await livePut(other)(agent(2, 'https://b.example/', ['second']));
    await livePut(one)(agent(3, 'https://c.example/', ['third', 'second']));
    expect(await urls(one, { metricIds: ['second'] })).toEqual(['https://b.example/', 'https://c.example/']);
    expect(await urls(other, { q: 'thir' })).toEqual(['https://c.example/']);
    expect([await one.count({ q: 'd' }), await other.count({ q: 'd' })]).toEqual([2, 2]);
  });

  it('lets a reader follow a switch of generations', async () => {
    const [writer, reader] = [open(), open(true)];
    await livePut(writer)(agent(1, 'https://a.example/', ['old']));
    expect(await urls(reader, { q: 'old' })).toHaveLength(1);
    for (const now of [1, 2, 3]) {
      const { id } = await writer.generations.begin(now);
      await writer.generations.write(id, [agent(1, 'https://a.example/', [`new ${now}`])]);
      await writer.generations.built(id);
      await writer.generations.promote(id, now);
      expect(await urls(reader, { q: 'old' })).toEqual([]);
      expect(await urls(reader, { metricIds: [`new ${now}`] })).toHaveLength(1);
    }
  });

  it('finds the generation that is live when the one that it read last is gone', async () => {
    const [writer, reader] = [open(), open(true)];
    await livePut(writer)(agent(1, 'https://a.example/', ['old']));
    expect([await records(reader), await records(reader)]).toEqual([
      ['https://a.example/'],
      ['https://a.example/'],
    ]);
    for (const now of [1, 2]) await replace(writer, now);
    expect([await records(reader), await records(reader)]).toEqual([
      ['https://b.example/'],
      ['https://b.example/'],
    ]);
  });

  it('finds the agents of another file that stands in the place of the one that it read', async () => {
    const path = join(folder, 'store.sqlite');
    const store = await openSqliteRecords({ path });
    close.push(() => void store.close());
    const index = createSqliteIndex(store.database, { clock });
    await livePut(index)(agent(1, 'https://a.example/', ['old']));
    expect([await records(index), await records(index)]).toEqual([
      ['https://a.example/'],
      ['https://a.example/'],
    ]);
    const restored = join(folder, 'restored.sqlite');
    await (await openSqliteRecords({ path: restored })).close();
    const other = openDatabase(restored);
    for (const now of [1, 2]) await replace(createSqliteIndex(other, { clock }), now);
    other.close();
    for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
    renameSync(restored, path);
    store.database.checkFile();
    expect([await records(index), await records(index)]).toEqual([
      ['https://b.example/'],
      ['https://b.example/'],
    ]);
  });

  it('forgets the values of a write that failed', async () => {
    const index = open();
    const broken = { ...agent(2, 'https://b.example/', ['lost']), version: 'no number' as never };
    await expect(livePut(index)(agent(1, 'https://a.example/', ['lost too']), broken)).rejects.toThrow();
    await livePut(index)(agent(3, 'https://c.example/', ['kept']));
    expect(await urls(index, {})).toEqual(['https://c.example/']);
    expect(await urls(open(), { metricIds: ['kept'] })).toEqual(['https://c.example/']);
    expect(await urls(index, { q: 'lost' })).toEqual([]);
  });

  it('leaves no table and no trigger of a generation that was dropped', async () => {
    const database = openDatabase(join(folder, 'store.sqlite'));
    close.push(() => database.close());
    const { generations } = createSqliteIndex(database, { clock });
    await generations.drop((await generations.begin(1)).id);
    const left = database.statement("SELECT name FROM sqlite_schema WHERE name GLOB 'index_*_2*'").all();
    expect(left).toEqual([]);
  });

  it('lists what a process left that was killed while it dropped a generation, until it is dropped', async () => {
    const database = openDatabase(join(folder, 'store.sqlite'));
    close.push(() => database.close());
    const { generations } = createSqliteIndex(database, { clock });
    const { id } = await generations.begin(1);
    database.statement('DELETE FROM index_generation WHERE id = ?').run(id);
    expect((await generations.list()).map((one) => one.state)).toEqual(['live', 'building']);
    await generations.drop(id);
    expect((await generations.list()).map((one) => one.state)).toEqual(['live']);
  });

  it('takes over the generations of the first release, and their numbers', async () => {
    const path = join(folder, 'store.sqlite');
    const old = openDatabase(path);
    const { generations } = createSqliteIndex(old, { clock });
    for (const now of [1, 2]) await generations.drop((await generations.begin(now)).id);
    old.exec(FIRST_RELEASE);
    old.close();
    const [one, other] = [open(), open()];
    expect(await one.generations.list()).toMatchObject([{ id: 1, state: 'live', appliedSeq: 7 }]);
    const { id } = await other.generations.begin(3);
    await other.generations.built(id);
    expect(await other.generations.list()).toMatchObject([{ id: 1 }, { id: 4, state: 'built' }]);
    await other.generations.promote(id, 4);
    await livePut(one)(agent(8, 'https://a.example/', ['kept']));
    expect(await urls(other, { q: 'kept' })).toHaveLength(1);
  });

  describe('of the layout before', () => {
    const mustBeRebuilt = expect.objectContaining({
      code: 'index_missing',
      message: `generation 1 has layout 1, but this version writes layout ${INDEX_LAYOUT}`,
      hint: expect.stringContaining('agent-registry index rebuild'),
    });
    beforeEach(() => {
      const old = openDatabase(join(folder, 'store.sqlite'));
      old.exec(LAYOUT_1);
      old.close();
    });

    it.each([false, true])('says that it must be built again (read-only: %j)', async (readOnly) => {
      const index = open(readOnly);
      const query = { filter: { type: 'sales' }, limit: 10 } as const;
      await expect(index.search(query)).rejects.toEqual(mustBeRebuilt);
      await expect(index.count({})).rejects.toEqual(mustBeRebuilt);
      await expect(index.check()).rejects.toEqual(mustBeRebuilt);
      await expect(index.generations.searchIn(1, query)).rejects.toEqual(mustBeRebuilt);
      expect(await index.generations.list()).toMatchObject([{ id: 1, state: 'live', documents: 2 }]);
    });

    it('is not written to, and answers again once a new generation is live', async () => {
      const index = open();
      const written = agent(3, 'https://c.example/', []);
      await expect(index.generations.write(1, [written])).rejects.toEqual(mustBeRebuilt);
      const { id } = await index.generations.begin(1);
      await index.generations.write(id, [written]);
      await index.generations.built(id);
      await index.generations.promote(id, 2);
      expect(await urls(index, { type: 'measurement' })).toEqual(['https://c.example/']);
      await expect(index.generations.promote(1, 3)).rejects.toEqual(mustBeRebuilt);
    });

    it('is not gone on with when its copy was interrupted', async () => {
      const path = join(folder, 'store.sqlite');
      const old = openDatabase(path);
      old.exec("INSERT INTO index_generation (id, state, created_at) VALUES (2, 'building', 0)");
      old.close();
      const index = open();
      expect(await index.generations.begin(5)).toMatchObject({ id: 3, createdAt: 5 });
      expect((await index.generations.list()).map(({ id }) => id)).toEqual([1, 3]);
    });
  });

  it('says so when a store that may not be written has no index', () => {
    openDatabase(join(folder, 'store.sqlite')).close();
    expect(() => open(true)).toThrow(expect.objectContaining({ code: 'index_missing' }));
  });

  it('finds agents among 2,000 values and long lists', async () => {
    const index = open();
    const all = Array.from({ length: 3_000 }, (_, at) => `https://a${String(at).padStart(4, '0')}.example/`);
    await livePut(index)(
      ...all.map((url, at) => agent(at + 1, url, [`m${at % 2_000}`, 'everyone', at % 2 ? 'odd' : 'even'])),
    );
    expect(await urls(index, { q: 'm' }, 5_000)).toEqual(all);
    expect(await urls(index, { q: 'm', metricIds: ['everyone'] }, 5_000)).toEqual(all);
    expect(await urls(index, { metricIds: ['odd'], q: 'even' }, 5_000)).toEqual([]);
    expect(await index.count({ metricIds: ['odd', 'even'] })).toBe(3_000);
    expect(await index.count({ metricIds: ['odd', 'everyone'], q: 'even' })).toBe(1_500);
    expect(await index.count({ metricIds: ['odd', 'everyone'], type: 'sales' })).toBe(0);
  });
});

/** An index as it was written before generations had a layout: a sales agent and a brand with a badge. */
const LAYOUT_1 = `
  CREATE TABLE index_generation (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    state TEXT NOT NULL CHECK (state IN ('building', 'built', 'live', 'previous')),
    created_at INTEGER NOT NULL,
    promoted_at INTEGER,
    applied_seq INTEGER NOT NULL DEFAULT 0,
    copied_up_to TEXT,
    changes INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE UNIQUE INDEX index_generation_state ON index_generation (state) WHERE state <> 'built';
  INSERT INTO index_generation VALUES (1, 'live', 0, 0, 2, NULL, 1);
  CREATE TABLE index_agent_1 (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL UNIQUE,
    seq INTEGER NOT NULL,
    flags INTEGER NOT NULL,
    base TEXT NOT NULL,
    properties TEXT,
    capabilities TEXT,
    compliance TEXT NOT NULL
  ) STRICT;
  INSERT INTO index_agent_1 (url, seq, flags, base, compliance)
    VALUES ('https://a.example/', 1, 96, '{}', '{}'), ('https://b.example/', 2, 17, '{}', '{}');
  CREATE TABLE index_term_1 (
    term INTEGER NOT NULL,
    url TEXT NOT NULL,
    flags INTEGER NOT NULL,
    sig INTEGER NOT NULL,
    PRIMARY KEY (term, url)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO index_term_1 VALUES (30, 'https://a.example/', 96, 0), (1, 'https://b.example/', 17, 0),
    (5, 'https://b.example/', 17, 0), (6, 'https://b.example/', 17, 0);
  CREATE TABLE index_held_1 (url TEXT PRIMARY KEY, flags INTEGER NOT NULL, terms TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE index_value_1 (
    term INTEGER PRIMARY KEY,
    value TEXT NOT NULL,
    agents INTEGER NOT NULL,
    changed INTEGER NOT NULL
  ) STRICT;
  INSERT INTO index_value_1 VALUES (0, '', 2, 1), (30, '', 1, 1), (1, '', 1, 1), (5, '', 1, 1), (6, '', 1, 1);
  CREATE INDEX index_value_1_changed ON index_value_1 (changed);
  CREATE TABLE index_dropped_1 (url TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;`;

/** The table of generations as the first release made it, with what stood in it. */
const FIRST_RELEASE = `
  DROP TABLE index_generation;
  CREATE TABLE index_generation (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    state TEXT NOT NULL CHECK (state IN ('building', 'live', 'previous')),
    created_at INTEGER NOT NULL,
    promoted_at INTEGER,
    applied_seq INTEGER NOT NULL DEFAULT 0,
    copied_up_to TEXT,
    changes INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE UNIQUE INDEX index_generation_live ON index_generation (state) WHERE state <> 'previous';
  INSERT INTO index_generation (id, state, created_at, applied_seq) VALUES (3, 'building', 0, 0), (1, 'live', 0, 7);
  DELETE FROM index_generation WHERE id = 3;`;

function agent(version: number, url: string, metricIds: readonly string[]): SavedDocument {
  return { agent: url, version, document: documentOf({ url, metricIds }) };
}

async function urls(index: AgentIndex, filter: object, limit = 100): Promise<string[]> {
  return (await index.search({ filter, limit })).hits.map(({ url }) => url);
}
