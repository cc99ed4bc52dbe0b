import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SavedDocument } from '../../../src/domain/agent-document.ts';
import { openSqliteIndex } from '../../../src/index/embedded/sqlite-index.ts';
import { INDEX_LAYOUT } from '../../../src/index/query/index-fields.ts';
import type { AgentIndex } from '../../../src/ports/agent-index.ts';
import { createSqliteStore } from '../../../src/records/sqlite/database.ts';
import { openSqliteRecords, type SqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';
import { describeAgentIndex } from '../../contract/agent-index.ts';
import { livePut } from '../../contract/agent-index-reference.ts';
import { documentOf } from '../../contract/agent-index-samples.ts';

const clock = { now: () => 0 };

describeAgentIndex('node:sqlite', async () => {
  const records = await openSqliteRecords({ path: ':memory:' });
  return { index: await openSqliteIndex(records.store, { clock }), close: () => records.close() };
});

describe('the embedded index in a file that several processes open', () => {
  let folder: string;
  let path: string;
  let opened: SqliteRecords[];
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'registry-index-'));
    path = join(folder, 'store.sqlite');
    opened = [];
    await (await openSqliteRecords({ path })).close();
  });
  afterEach(async () => {
    for (const records of opened) await records.close();
    rmSync(folder, { recursive: true });
  });

  const openRecords = async (options: { readonly readOnly?: boolean; readonly file?: string } = {}) => {
    const records = await openSqliteRecords({
      path: options.file ?? path,
      readOnly: options.readOnly === true,
    });
    opened.push(records);
    return records;
  };
  const open = async (readOnly = false): Promise<AgentIndex> =>
    openSqliteIndex((await openRecords({ readOnly })).store, { clock });

  /** Makes a generation live that has only this agent. */
  const replace = async ({ generations }: AgentIndex, now: number, ...agents: SavedDocument[]) => {
    const id = await generations.begin(now);
    await generations.write(id, agents);
    await generations.built(id);
    await generations.promote(id, now);
  };

  it('shows to one what the other wrote, new values included', async () => {
    const [one, other] = [await open(), await open()];
    await livePut(one)(agent(1, 'https://a.example/', ['first']));
    expect(await urls(other, { metricIds: ['first'] })).toEqual(['https://a.example/']);
    await livePut(other)(agent(2, 'https://b.example/', ['second']));
    await livePut(one)(agent(3, 'https://c.example/', ['third', 'second']));
    expect(await urls(one, { metricIds: ['second'] })).toEqual(['https://b.example/', 'https://c.example/']);
    expect(await urls(one, { q: 'thir' })).toEqual(['https://c.example/']);
    expect([await one.count({ q: 'd' }), await other.count({ q: 'd' })]).toEqual([2, 2]);
  });

  it('lets a reader follow a switch of generations, also when the one that it read is gone', async () => {
    const [writer, reader] = [await open(), await open(true)];
    await livePut(writer)(agent(1, 'https://a.example/', ['old']));
    expect(await urls(reader, { q: 'old' })).toHaveLength(1);
    for (const now of [1, 2, 3]) {
      await replace(writer, now, agent(1, 'https://a.example/', [`new ${now}`]));
      expect(await urls(reader, { q: 'old' })).toEqual([]);
      expect(await urls(reader, { metricIds: [`new ${now}`] })).toHaveLength(1);
    }
  });

  it('finds the agents of another file that was moved to the place of the one that it read', async () => {
    const records = await openRecords();
    const index = await openSqliteIndex(records.store, { clock });
    await livePut(index)(agent(1, 'https://a.example/', ['old']));
    expect(await urls(index, {})).toEqual(['https://a.example/']);
    const file = join(folder, 'restored.sqlite');
    const restored = await openSqliteRecords({ path: file });
    const other = await openSqliteIndex(restored.store, { clock });
    for (const now of [1, 2]) await replace(other, now, agent(1, 'https://b.example/', ['new']));
    await restored.close();
    for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
    renameSync(file, path);
    records.database.checkFile();
    expect(await urls(index, {})).toEqual(['https://b.example/']);
  });

  it('lets requests be served during a write of many documents', async () => {
    const index = await open();
    const documents = Array.from({ length: 500 }, (_, at) => agent(at + 1, `https://a${at}.example/`, []));
    let turns = 0;
    const countTurns = () => {
      turns += 1;
      next = setImmediate(countTurns);
    };
    let next = setImmediate(countTurns);
    await index.generations.write(1, documents);
    clearImmediate(next);
    expect(turns).toBeGreaterThanOrEqual(4);
    expect(await index.count({})).toBe(500);
  });

  it('keeps nothing of a write that failed', async () => {
    const index = await open();
    const broken = { ...agent(2, 'https://b.example/', ['lost']), version: 'no number' as never };
    await expect(livePut(index)(agent(1, 'https://a.example/', ['lost too']), broken)).rejects.toThrow();
    await livePut(index)(agent(3, 'https://c.example/', ['kept']));
    expect(await urls(index, {})).toEqual(['https://c.example/']);
    expect(await urls(await open(), { metricIds: ['kept'] })).toEqual(['https://c.example/']);
    expect(await urls(index, { q: 'lost' })).toEqual([]);
  });

  it('reports why a query failed, and answers the next one, whether or not SQLite has rolled back by itself', async () => {
    const { database } = await openRecords();
    let fails = 0;
    let rollsBack = false;
    const query = (text: string) => {
      if (!text.includes('FROM index_generation') || fails === 0) return database.query(text);
      fails -= 1;
      if (rollsBack) database.exec('ROLLBACK');
      throw new Error('the disk failed');
    };
    const index = await openSqliteIndex(createSqliteStore({ ...database, query }), { clock });
    for (rollsBack of [false, true]) {
      fails = 1;
      await expect(index.count({})).rejects.toThrow('the disk failed');
      expect(await index.count({})).toBe(0);
    }
  });

  it('reads one generation throughout, also if another process drops it meanwhile', async () => {
    const writer = await open();
    await livePut(writer)(agent(1, 'https://a.example/', ['old']));
    const { database } = await openRecords({ readOnly: true });
    let switched: Promise<void> | undefined;
    const query = (text: string) => {
      // after the reader knows which generation is live
      if (text.includes('index_agent_1') && switched === undefined) switched = switchTwice();
      return database.query(text);
    };
    const switchTwice = async () => {
      for (const now of [1, 2]) await replace(writer, now, agent(1, 'https://b.example/', ['new']));
    };
    const reader = await openSqliteIndex(createSqliteStore({ ...database, query }), { clock });
    const { hits, total } = await reader.search({ filter: {}, limit: 10, total: true });
    expect([hits.map(({ url }) => url), total]).toEqual([['https://a.example/'], 1]);
    await switched;
    expect(await urls(reader, {})).toEqual(['https://b.example/']);
  });

  it('leaves no table of a generation that was dropped', async () => {
    const records = await openRecords();
    const { generations } = await openSqliteIndex(records.store, { clock });
    await generations.drop(await generations.begin(1));
    const left = records.database.statement("SELECT name FROM sqlite_schema WHERE name GLOB 'index_*_2*'");
    expect(left.all()).toEqual([]);
  });

  describe('of another layout', () => {
    const mustBeRebuilt = expect.objectContaining({
      code: 'index_missing',
      message: `generation 1 has layout 3, but this version writes layout ${INDEX_LAYOUT}`,
      hint: expect.stringContaining('agent-registry index rebuild'),
    });
    beforeEach(async () => {
      const records = await openRecords();
      const index = await openSqliteIndex(records.store, { clock });
      await livePut(index)(agent(1, 'https://a.example/', []));
      records.database.exec('UPDATE index_generation SET layout = 3');
    });

    it('is listed without its number of agents if it has no table of agents', async () => {
      const records = await openRecords();
      records.database.exec('ALTER TABLE index_agent_1 RENAME TO index_something_1');
      const [live] = await (await open()).generations.list();
      expect(live).toMatchObject({ state: 'live', fault: mustBeRebuilt });
      expect(live).not.toHaveProperty('documents');
    });

    it.each([false, true])('says that it must be built again (read-only: %j)', async (readOnly) => {
      const index = await open(readOnly);
      const query = { filter: { type: 'sales' }, limit: 10 } as const;
      await expect(index.search(query)).rejects.toEqual(mustBeRebuilt);
      await expect(index.count({})).rejects.toEqual(mustBeRebuilt);
      await expect(index.check()).rejects.toEqual(mustBeRebuilt);
      await expect(index.generations.searchIn(1, query)).rejects.toEqual(mustBeRebuilt);
      expect(await index.generations.list()).toMatchObject([
        { id: 1, state: 'live', documents: 1, fault: mustBeRebuilt },
      ]);
    });

    it('is not written to, and answers again once a new generation is live', async () => {
      const index = await open();
      const written = agent(3, 'https://c.example/', []);
      await expect(index.generations.write(1, [written])).rejects.toEqual(mustBeRebuilt);
      await replace(index, 1, written);
      expect(await urls(index, { type: 'measurement' })).toEqual(['https://c.example/']);
      await expect(index.generations.promote(1, 3)).rejects.toEqual(mustBeRebuilt);
    });
  });

  it('says so if a store that it may not write has no index', async () => {
    await expect(open(true)).rejects.toMatchObject({ code: 'index_missing' });
  });

  it('finds agents among 2,000 values and long lists', async () => {
    const index = await open();
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

function agent(version: number, url: string, metricIds: readonly string[]): SavedDocument {
  return { agent: url, version, document: documentOf({ url, metricIds }) };
}

async function urls(index: AgentIndex, filter: object, limit = 100): Promise<string[]> {
  return (await index.search({ filter, limit })).hits.map(({ url }) => url);
}
