import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../../src/compose/engines.ts';
import { readConfig } from '../../../src/config.ts';
import { deriveStored } from '../../../src/discovery/derive-facts.ts';
import { RegistryError } from '../../../src/errors.ts';
import { stitchAndIndex, stitchDirty } from '../../../src/index/generations/stitch-and-index.ts';
import { updateGenerations } from '../../../src/index/generations/update-generations.ts';

const START = Date.UTC(2026, 0, 6, 9);
const DAY = 24 * 3_600_000;
const [A, B] = ['https://a.example/', 'https://b.example/'];

async function open() {
  const { records, index, close } = await openStore(
    { ...readConfig({}), store: 'sqlite::memory:' },
    { create: true },
  );
  onTestFinished(close);
  const clock = { value: START, now: () => clock.value };
  const add = (...urls: readonly string[]) =>
    records.sources.add(
      urls.map((key) => ({ kind: 'agent', key, foundVia: 'operator' }) as const),
      clock.value,
    );
  const stitched = async (...urls: readonly string[]) => {
    await add(...urls);
    await stitchDirty(records, () => clock.value);
  };
  const listed = async () => (await index.search({ filter: {}, limit: 100 })).hits.map((hit) => hit.url);
  const listedIn = async (id: number) =>
    (await index.generations.searchIn(id, { filter: {}, limit: 100 })).hits.map((hit) => hit.url);
  return { records, index, clock, add, stitched, listed, listedIn, rederive: deriveStored };
}

describe('from facts to the index', () => {
  it('stitches an agent that is new, and only once', async () => {
    const registry = await open();
    await registry.add(A, B);
    expect(await stitchAndIndex(registry)).toBe(2);
    expect(await registry.listed()).toEqual([A, B]);
    expect(await stitchAndIndex(registry)).toBe(0);
  });

  it('leaves no trace of a pass with nothing to do', async () => {
    const registry = await open();
    await registry.add(A);
    await stitchAndIndex(registry);
    const version = await registry.records.version();
    await stitchAndIndex(registry);
    expect(await registry.records.version()).toBe(version);
  });

  it('takes out an agent whose grace has run out, by the clock alone', async () => {
    const registry = await open();
    await registry.add(A);
    await stitchAndIndex(registry);
    registry.clock.value += DAY - 1;
    expect(await stitchAndIndex(registry)).toBe(0);
    registry.clock.value += 1;
    expect(await stitchAndIndex(registry)).toBe(1);
    expect(await registry.listed()).toEqual([]);
  });

  it('tells how far the index was behind, and what was written', async () => {
    const registry = await open();
    await registry.stitched(A, B);
    const told: object[] = [];
    await stitchAndIndex({ ...registry, onUpdated: (updated) => told.push(updated) });
    expect(told).toEqual([
      { lag: 2, written: 0 },
      { lag: 0, written: 2 },
    ]);
  });

  it('leaves the work to the process that is at it', async () => {
    const registry = await open();
    const { leases } = registry.records;
    await registry.add(A);
    const lease = await leases.take('index', 'another machine', START, 30_000);
    expect(await stitchAndIndex(registry)).toBe(0);
    expect(await registry.records.agents.lastSeq()).toBe(0);
    if ('fence' in lease) await leases.release(lease);
    expect(await stitchAndIndex(registry)).toBe(1);
  });

  it('stops when another process took over meanwhile, and the next pass goes on', async () => {
    const registry = await open();
    await registry.stitched(A);
    const rederive = deriveStored;
    const changes = async (after: number, limit: number) => {
      registry.clock.value += 31_000; // frozen for longer than the lease
      return registry.records.agents.changes(after, limit);
    };
    const records = { ...registry.records, agents: { ...registry.records.agents, changes } };
    await expect(stitchAndIndex({ ...registry, records, rederive })).rejects.toMatchObject({
      code: 'lease_lost',
    });
    await stitchAndIndex(registry);
    expect(await registry.listed()).toEqual([A]);
  });
});

describe('the update of the index', () => {
  it('writes what a process that died had stored and not indexed', async () => {
    const { records, index, stitched, listed } = await open();
    await stitched(A);
    expect(await listed()).toEqual([]);
    expect(await updateGenerations(records, index)).toBe(1);
    expect(await listed()).toEqual([A]);
    expect(await updateGenerations(records, index)).toBe(0);
  });

  it('writes an agent that changed many times since the last update once, as it is now', async () => {
    const { records, index, clock, stitched, listed } = await open();
    await stitched(A);
    clock.value += DAY;
    await stitchDirty(records, () => clock.value);
    expect(await records.agents.changes(0, 10)).toHaveLength(2);
    expect(await updateGenerations(records, index)).toBe(1);
    expect(await listed()).toEqual([]);
  });

  it('brings the live generation and complete ones up to date, each from its own position', async () => {
    const { records, index, stitched, listed, listedIn } = await open();
    const { generations } = index;
    await stitched(A);
    const built = await generations.begin(1);
    await generations.applied(built, 1);
    await generations.built(built);
    await stitched(B);
    expect(await updateGenerations(records, index)).toBe(3);
    expect([await listed(), await listedIn(built)]).toEqual([[A, B], [B]]);
    expect((await generations.list()).map(({ appliedSeq }) => appliedSeq)).toEqual([2, 2]);
  });

  it('leaves a generation that is being built to the rebuild', async () => {
    const { records, index, stitched, listedIn } = await open();
    const id = await index.generations.begin(1);
    await index.generations.applied(id, 1);
    await stitched(A, B);
    await updateGenerations(records, index);
    expect(await listedIn(id)).toEqual([]);
  });

  it('leaves the previous one as it was', async () => {
    const { records, index, stitched, listedIn } = await open();
    const { generations } = index;
    const id = await generations.begin(1);
    await generations.built(id);
    await generations.promote(id, 2);
    await stitched(A);
    await updateGenerations(records, index);
    const [previous] = await generations.list();
    expect([previous?.state, await listedIn(previous?.id ?? 0)]).toEqual(['previous', []]);
  });

  it('is not disturbed by a generation that another process drops meanwhile', async () => {
    const { records, index, stitched, listed } = await open();
    const { generations } = index;
    await stitched(A);
    const id = await generations.begin(1);
    await generations.built(id);
    const changes = async (after: number, limit: number) => {
      if ((await generations.list()).length > 1) await generations.drop(id);
      return records.agents.changes(after, limit);
    };
    await updateGenerations({ ...records, agents: { ...records.agents, changes } }, index);
    expect(await listed()).toEqual([A]);
  });

  it('updates the others when one cannot be written to', async () => {
    const { records, index, stitched, listedIn } = await open();
    const { generations } = index;
    const id = await generations.begin(1);
    await generations.built(id);
    await stitched(A);
    const other = new RegistryError('index_missing', 'it has another layout');
    const write: typeof generations.write = (at, documents) =>
      at === id ? generations.write(at, documents) : Promise.reject(other);
    const broken = { ...index, generations: { ...generations, write } };
    await expect(updateGenerations(records, broken)).rejects.toBe(other);
    expect(await listedIn(id)).toEqual([A]);
  });

  it('goes on where an index that was away left off', async () => {
    const { records, index, stitched, listed } = await open();
    await stitched(A, B);
    const away = new RegistryError('index_unavailable', 'no answer');
    const write = () => Promise.reject(away);
    const broken = { ...index, generations: { ...index.generations, write } };
    await expect(updateGenerations(records, broken)).rejects.toBe(away);
    expect(await updateGenerations(records, index)).toBe(2);
    expect(await listed()).toEqual([A, B]);
  });
});
