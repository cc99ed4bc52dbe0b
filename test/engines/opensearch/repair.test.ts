import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pruneGenerations, type RebuildContext, rebuild, rollback } from '../../../pipelines/rebuild.ts';
import { openStore } from '../../../src/compose/engines.ts';
import { readConfig } from '../../../src/config.ts';
import { deriveStored } from '../../../src/discovery/derive-facts.ts';
import { stitchAndIndex, stitchDirty } from '../../../src/index/generations/stitch-and-index.ts';
import { freshIndexPrefix, openSearchUrl } from '../support/engines.ts';
import { ask, describeIndex, indexName } from './support.ts';

const CAREFUL = { acceptShrink: false };
const AHEAD = { code: 'index_ahead' };
const url = (name: string) => `https://${name}.example/`;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'registry-repair-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

/** Records in a file, indexed in the OpenSearch under a prefix. */
async function open(prefix: string, file: string) {
  const config = { ...readConfig({}), store: `sqlite:${file}`, index: openSearchUrl(), indexPrefix: prefix };
  const { records, index, close } = await openStore({ ...config, indexTimeoutMs: 15_000 }, { create: true });
  const clock = { value: Date.UTC(2026, 0, 6, 9), now: () => clock.value };
  const stitched = async (...names: readonly string[]) => {
    const visits = names.map((name) => ({ kind: 'agent', key: url(name), foundVia: 'operator' }) as const);
    await records.sources.add(visits, clock.value);
    await stitchDirty(records, clock.now);
  };
  const add = async (...names: readonly string[]) => {
    await stitched(...names);
    return stitchAndIndex({ records, index, clock, rederive: deriveStored });
  };
  const context: RebuildContext = {
    ...{ records, index, clock, signal: new AbortController().signal },
    onProgress: () => {},
    onRefused: (error) => {
      throw error;
    },
  };
  const found = async () => (await index.search({ filter: {}, limit: 100 })).hits.map((hit) => hit.url);
  const states = async () => (await index.generations.list()).map(({ id, state }) => `${id} ${state}`);
  return { records, index, context, clock, stitched, add, found, states, close };
}

const someUrls = (...names: readonly string[]) => names.map(url);

describe('an index in OpenSearch whose records were restored from a backup', () => {
  it('is told though the log has grown past it again, and a rebuild makes it right', async () => {
    const prefix = `${freshIndexPrefix()}agents`;
    const file = join(folder(), 'store.sqlite');
    const before = await open(prefix, file);
    await before.add('a', 'b');
    await before.close();
    copyFileSync(file, `${file}.backup`);
    const lost = await open(prefix, file);
    await lost.add('lost-1', 'lost-2');
    await lost.close();
    for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
    copyFileSync(`${file}.backup`, file);
    const after = await open(prefix, file);
    await after.stitched('c', 'd', 'e'); // more than were lost
    await expect(after.add('f')).rejects.toMatchObject(AHEAD);
    await expect(after.add('g')).rejects.toMatchObject(AHEAD);
    await rebuild(after.context, CAREFUL);
    expect(await after.found()).toEqual(someUrls('a', 'b', 'c', 'd', 'e', 'f', 'g'));
    expect(await after.add('h')).toBe(1);
    expect(await after.found()).toContain(url('h'));
    await expect(rollback(after.context, CAREFUL)).rejects.toMatchObject(AHEAD);
    await after.close();
  });
});

/** Leaves an index with its names and no node that holds its data. */
async function makeRed(name: string): Promise<void> {
  const [, { aliases, mappings }] = await describeIndex(name);
  await ask('DELETE', `/${name}`);
  const settings = { 'index.routing.allocation.require._name': 'nobody' };
  await ask('PUT', `/${name}?wait_for_active_shards=0`, { settings, aliases, mappings });
}

describe('a generation in OpenSearch whose shard is gone', () => {
  it('is listed with its fault, does not disturb the others, and is dropped by a prune or a rebuild', async () => {
    const prefix = `${freshIndexPrefix()}agents`;
    const registry = await open(prefix, join(folder(), 'store.sqlite'));
    await registry.add('a');
    for (const mend of [pruneGenerations, (context: RebuildContext) => rebuild(context, CAREFUL)]) {
      const id = await registry.index.generations.begin(1);
      await registry.index.generations.applied(id, 1);
      await makeRed(indexName(prefix, id));
      const listed = async () => (await registry.index.generations.list()).find((one) => one.id === id);
      expect(await listed()).toMatchObject({ state: 'building', fault: { code: 'index_unavailable' } });
      const name = `n${id}`;
      expect(await registry.add(name)).toBe(1);
      expect(await registry.found()).toContain(url(name));
      await mend(registry.context);
      expect(await listed()).toBeUndefined();
    }
    await registry.close();
  });

  it('is replaced by a rebuild when it is the live one', async () => {
    const prefix = `${freshIndexPrefix()}agents`;
    const registry = await open(prefix, join(folder(), 'store.sqlite'));
    await registry.add('a');
    await makeRed(indexName(prefix, 1));
    await expect(registry.found()).rejects.toMatchObject({ code: 'index_unavailable' });
    await expect(registry.add('b')).rejects.toMatchObject({ code: 'index_unavailable' });
    const [live] = await registry.index.generations.list();
    expect(live).toMatchObject({ state: 'live', fault: { code: 'index_unavailable' } });
    await rebuild(registry.context, CAREFUL);
    expect(await registry.found()).toEqual(someUrls('a', 'b'));
    const back = rollback(registry.context, CAREFUL);
    await expect(back).rejects.toMatchObject({ code: 'index_unavailable' });
    await rebuild(registry.context, CAREFUL);
    expect(await registry.states()).toEqual(['2 previous', '3 live']);
    await registry.close();
  });

  it('is listed with its fault when it is closed', async () => {
    const prefix = `${freshIndexPrefix()}agents`;
    const registry = await open(prefix, join(folder(), 'store.sqlite'));
    await registry.add('a');
    const id = await registry.index.generations.begin(1);
    await ask('POST', `/${indexName(prefix, id)}/_close`);
    const fault = async () => (await registry.index.generations.list()).at(-1)?.fault?.message;
    expect(await fault()).toMatch(`generation ${id} of the index cannot be read`);
    expect(await registry.add('b')).toBe(1);
    await ask('POST', `/${indexName(prefix, id)}/_open`);
    expect(await fault()).toBeUndefined();
    await registry.close();
  });
});

describe('a registry under the names of another one', () => {
  it('does not take it offline, unless that was said', async () => {
    const prefix = `${freshIndexPrefix()}agents`;
    const ours = await open(prefix, join(folder(), 'ours.sqlite'));
    await ours.add('a');
    const other = await open(prefix, join(folder(), 'other.sqlite'));
    await expect(other.add('b')).rejects.toMatchObject({ code: 'index_missing' });
    await expect(rebuild(other.context, CAREFUL)).rejects.toMatchObject({ code: 'usage' });
    const id = await other.index.generations.begin(1);
    await other.index.generations.built(id);
    await expect(other.index.generations.promote(id, 2)).rejects.toMatchObject({ code: 'usage' });
    expect(await ours.found()).toEqual(someUrls('a'));
    await rebuild(other.context, { ...CAREFUL, replaceForeign: true });
    expect(await other.found()).toEqual(someUrls('b'));
    await expect(ours.found()).rejects.toMatchObject({ code: 'index_missing' });
    await ours.close();
    await other.close();
  });
});
