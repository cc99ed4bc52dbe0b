import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openStore } from '../../../src/compose/engines.ts';
import { readConfig } from '../../../src/config.ts';
import { deriveStored } from '../../../src/discovery/derive-facts.ts';
import { RegistryError } from '../../../src/errors.ts';
import {
  stitchAll,
  stitchInBackground,
  stitchWhileServing,
} from '../../../src/index/generations/keep-indexed.ts';
import { stitchAndIndex } from '../../../src/index/generations/stitch-and-index.ts';
import type { AgentIndex } from '../../../src/ports/agent-index.ts';

const START = Date.UTC(2026, 0, 6, 9);
const DAY = 24 * 3_600_000;
const A = 'https://a.example/';
const AWAY = new RegistryError('index_unavailable', 'no answer');

async function open(store = 'sqlite::memory:') {
  const { records, index, close } = await openStore({ ...readConfig({}), store }, { create: true });
  onTestFinished(close);
  const clock = { value: START, now: () => clock.value };
  const add = (key: string) =>
    records.sources.add([{ kind: 'agent', key, foundVia: 'operator' }], clock.value);
  const listed = async () => (await index.search({ filter: {}, limit: 100 })).hits.map((hit) => hit.url);
  return { records, index, clock, add, listed, rederive: deriveStored };
}

/** An index whose writes fail while `isAway` says so. */
function flaky(index: AgentIndex, isAway: () => boolean): AgentIndex {
  const { generations } = index;
  const write: typeof generations.write = async (id, documents) => {
    if (isAway()) throw AWAY;
    await generations.write(id, documents);
  };
  return { ...index, generations: { ...generations, write } };
}

const harmless = () => {};
const eventually = { timeout: 50_000, interval: 1 };

describe('stitching while the registry is served', () => {
  it('follows the clock, also after a pass that failed, and is left alone after the stop', async () => {
    const registry = await open();
    await registry.add(A);
    await stitchAndIndex(registry);
    registry.clock.value += DAY;
    const fault = new Error('the store is locked');
    const faults: unknown[] = [];
    let passes = 0;
    const takeDirty = (limit: number, now: number) => {
      passes += 1;
      return passes === 1 ? Promise.reject(fault) : registry.records.agents.takeDirty(limit, now);
    };
    const records = { ...registry.records, agents: { ...registry.records.agents, takeDirty } };
    const serving = stitchWhileServing({ ...registry, records }, (error) => faults.push(error), 1);
    await vi.waitFor(async () => expect(await registry.listed()).toEqual([]), eventually);
    await serving.stop();
    const made = passes;
    await new Promise((resolve) => setImmediate(resolve));
    expect([faults, passes, serving.faults()]).toEqual([[fault], made, []]);
  });

  it('says why it cannot write, stitches all the same, and catches up by itself', async () => {
    const registry = await open();
    let isAway = true;
    const faults: unknown[] = [];
    const index = flaky(registry.index, () => isAway);
    const serving = stitchWhileServing({ ...registry, index }, (error) => faults.push(error), 1);
    await registry.add(A);
    await vi.waitFor(() => expect(serving.faults()).toEqual([AWAY]), eventually);
    expect(await registry.records.agents.lastSeq()).toBe(1);
    isAway = false;
    await vi.waitFor(async () => expect(await registry.listed()).toEqual([A]), eventually);
    await vi.waitFor(() => expect(serving.faults()).toEqual([]), eventually);
    await serving.stop();
    expect(new Set(faults)).toEqual(new Set([AWAY]));
  });

  it('finds what another process put into the records', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'registry-indexing-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const address = `sqlite:${join(folder, 'store.sqlite')}`;
    const [crawler, server] = [await open(address), await open(address)];
    const serving = stitchWhileServing(server, harmless, 1);
    const crawling = stitchInBackground(crawler, 1, harmless);
    for (const key of ['https://a.example/', 'https://b.example/', 'https://c.example/']) {
      await crawler.add(key);
      await vi.waitFor(async () => expect(await server.listed()).toContain(key), eventually);
    }
    await crawling.stop();
    await serving.stop();
  });
});

describe('stitching in the background of a run', () => {
  it('makes a last pass when it is stopped', async () => {
    const registry = await open();
    const background = stitchInBackground(registry, 60_000, harmless);
    await registry.add(A);
    await background.stop();
    expect(await registry.listed()).toEqual([A]);
  });

  it('does not end the run when the index is away: what was found waits in the change log', async () => {
    const registry = await open();
    const faults: unknown[] = [];
    const index = flaky(registry.index, () => true);
    const background = stitchInBackground({ ...registry, index }, 1, (error) => faults.push(error));
    await registry.add(A);
    await vi.waitFor(() => expect(faults.length).toBeGreaterThan(1), eventually);
    await background.stop();
    expect(new Set(faults)).toEqual(new Set([AWAY]));
    expect(await registry.listed()).toEqual([]);
    await stitchAndIndex(registry);
    expect(await registry.listed()).toEqual([A]);
  });

  it('brings a fault of the records to whoever stops it, and harms nobody before', async () => {
    const registry = await open();
    const takeDirty = () => Promise.reject(new Error('the store is gone'));
    const records = { ...registry.records, agents: { ...registry.records.agents, takeDirty } };
    const background = stitchInBackground({ ...registry, records }, 1, harmless);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await expect(background.stop()).rejects.toThrow('the store is gone');
  });
});

describe('stitching to the end', () => {
  it('waits for the process that is at it', async () => {
    const registry = await open();
    const { leases } = registry.records;
    await registry.add(A);
    const lease = await leases.take('index', 'another machine', START, 30_000);
    const done = stitchAll(registry);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await registry.listed()).toEqual([]);
    if ('fence' in lease) await leases.release(lease);
    await done;
    expect(await registry.listed()).toEqual([A]);
  });
});
