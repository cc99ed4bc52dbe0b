import { onTestFinished } from 'vitest';
import type { RebuildContext } from '../../pipelines/rebuild.ts';
import { openStore } from '../../src/compose/engines.ts';
import { readConfig } from '../../src/config.ts';
import { deriveStored } from '../../src/discovery/derive-facts.ts';
import { stitchAndIndex, stitchDirty } from '../../src/index/generations/stitch-and-index.ts';
import type { Generation } from '../../src/ports/agent-index.ts';

const START = Date.UTC(2026, 0, 6, 9);
export const agentUrl = (number: number) => `https://a${String(number).padStart(4, '0')}.example/`;

/** A store with agents numbered from 0 up, all listed. */
export async function openIndexed(count: number, store = 'sqlite::memory:') {
  const { records, index, close } = await openStore({ ...readConfig({}), store }, { create: true });
  onTestFinished(close);
  const clock = { value: START, now: () => clock.value };
  const stop = new AbortController();
  const progress: (readonly [number, number])[] = [];
  const steps: string[] = [];
  const context: RebuildContext = {
    records,
    index,
    clock,
    signal: stop.signal,
    onRefused: (error) => {
      throw error;
    },
    onProgress: (...numbers) => void progress.push(numbers),
    onStep: (step) => void steps.push(step),
  };
  /** In the records and the change log, not yet in the index. */
  const stitched = async (from: number, to: number) => {
    const numbers = Array.from({ length: to - from }, (_, at) => from + at);
    const visits = numbers.map(
      (number) => ({ kind: 'agent', key: agentUrl(number), foundVia: 'operator' }) as const,
    );
    await records.sources.add(visits, clock.value);
    await stitchDirty(records, () => clock.value);
  };
  const add = async (from: number, to: number) => {
    await stitched(from, to);
    await stitchAndIndex({ records, index, clock, rederive: deriveStored });
  };
  await add(0, count);
  const urlsIn = async ({ id }: Generation) =>
    (await index.generations.searchIn(id, { filter: {}, limit: 10_000 })).hits.map((hit) => hit.url);
  const live = async () => (await index.search({ filter: {}, limit: 10_000 })).hits.map((hit) => hit.url);
  const states = async () => (await index.generations.list()).map(({ state }) => state);
  return { records, index, context, clock, stop, progress, steps, add, stitched, urlsIn, live, states };
}
