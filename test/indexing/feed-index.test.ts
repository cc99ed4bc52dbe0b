import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { deriveStored } from '../../src/discovery/derive-stored.ts';
import { feedIndex } from '../../src/indexing/feed-index.ts';
import {
  stitchAndIndex,
  stitchInBackground,
  stitchWhileServing,
} from '../../src/indexing/stitch-and-index.ts';
import { stitchDirty } from '../../src/indexing/stitch-dirty.ts';

const START = Date.UTC(2026, 0, 6, 9);
const DAY = 24 * 3_600_000;

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
  const listed = async () => (await index.search({ filter: {}, limit: 100 })).hits.map((hit) => hit.url);
  return { records, index, clock, add, listed, rederive: deriveStored };
}

describe('an index that is served while nobody crawls', () => {
  it('follows the clock, also after a pass that failed, and is left alone after the stop', async () => {
    const registry = await open();
    await registry.add('https://a.example/');
    await stitchAndIndex(registry);
    const version = await registry.records.version();
    await stitchAndIndex(registry);
    expect(await registry.records.version()).toBe(version); // a pass with nothing to do leaves no trace
    registry.clock.value += DAY;
    const fault = new Error('the store is locked');
    const faults: unknown[] = [];
    let passes = 0;
    const agents = {
      ...registry.records.agents,
      takeDirty: (limit: number, now: number) => {
        passes += 1;
        return passes === 1 ? Promise.reject(fault) : registry.records.agents.takeDirty(limit, now);
      },
    };
    const records = { ...registry.records, agents };
    const serving = stitchWhileServing({ ...registry, records }, (error) => faults.push(error), 1);
    while ((await registry.listed()).length > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await serving.stop();
    const made = passes;
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect([faults, passes]).toEqual([[fault], made]);
  });
});

describe('from facts to the index', () => {
  it('stitches an agent that is new, and only once', async () => {
    const registry = await open();
    await registry.add('https://a.example/', 'https://b.example/');
    expect(await stitchAndIndex(registry)).toBe(2);
    expect(await registry.listed()).toEqual(['https://a.example/', 'https://b.example/']);
    expect(await stitchAndIndex(registry)).toBe(0);
  });

  it('writes what a process that died had stored and not indexed', async () => {
    const { records, index, clock, add, listed } = await open();
    await add('https://a.example/');
    expect(await stitchDirty(records, () => clock.value)).toBe(1);
    expect(await listed()).toEqual([]);
    expect(await feedIndex(records, index)).toBe(1);
    expect(await listed()).toEqual(['https://a.example/']);
    expect(await feedIndex(records, index)).toBe(0);
  });

  it('takes out an agent whose grace has run out, by the clock alone', async () => {
    const registry = await open();
    await registry.add('https://a.example/');
    await stitchAndIndex(registry);
    registry.clock.value += DAY - 1;
    expect(await stitchAndIndex(registry)).toBe(0);
    registry.clock.value += 1;
    expect(await stitchAndIndex(registry)).toBe(1);
    expect(await registry.listed()).toEqual([]);
  });

  it('writes an agent that changed many times since the last feed once, as it is now', async () => {
    const { records, index, clock, add, listed } = await open();
    await add('https://a.example/');
    await stitchDirty(records, () => clock.value);
    clock.value += DAY;
    await stitchDirty(records, () => clock.value);
    expect(await records.agents.changes(0, 10)).toHaveLength(2);
    expect(await feedIndex(records, index)).toBe(1);
    expect(await listed()).toEqual([]);
  });
});

describe('stitching in the background', () => {
  it('makes a last pass when it is stopped', async () => {
    const registry = await open();
    const background = stitchInBackground(registry, 60_000);
    await registry.add('https://a.example/');
    await background.stop();
    expect(await registry.listed()).toEqual(['https://a.example/']);
  });

  it('brings a fault to whoever stops it, and harms nobody before', async () => {
    const registry = await open();
    const broken = {
      ...registry,
      rederive: deriveStored,
      records: {
        ...registry.records,
        agents: {
          ...registry.records.agents,
          takeDirty: () => Promise.reject(new Error('the store is gone')),
        },
      },
    };
    const background = stitchInBackground(broken, 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await expect(background.stop()).rejects.toThrow('the store is gone');
  });
});
