import { describe, expect, it, onTestFinished } from 'vitest';
import { promote, type RebuildContext, rebuild, rollback } from '../../pipelines/rebuild.ts';
import { openStore } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { deriveStored } from '../../src/discovery/derive-stored.ts';
import { stitchAndIndex } from '../../src/indexing/stitch-and-index.ts';
import type { Generation } from '../../src/ports/agent-index.ts';

const START = Date.UTC(2026, 0, 6, 9);
const url = (number: number) => `https://a${String(number).padStart(4, '0')}.example/`;

/** A store with agents numbered from 0 up, all listed. */
async function openIndexed(count: number) {
  const config = { ...readConfig({}), store: 'sqlite::memory:' };
  const { records, index, close } = await openStore(config, { create: true });
  onTestFinished(close);
  const clock = { value: START, now: () => clock.value };
  const stop = new AbortController();
  const progress: number[] = [];
  const context: RebuildContext = {
    records,
    index,
    clock,
    signal: stop.signal,
    onProgress: (copied) => void progress.push(copied),
  };
  const add = async (from: number, to: number) => {
    const numbers = Array.from({ length: to - from }, (_, at) => from + at);
    const visits = numbers.map(
      (number) => ({ kind: 'agent', key: url(number), foundVia: 'operator' }) as const,
    );
    await records.sources.add(visits, clock.value);
    await stitchAndIndex({ records, index, clock, rederive: deriveStored });
  };
  await add(0, count);
  const urlsIn = async ({ id }: Generation) =>
    (await index.generations.searchIn(id, { filter: {}, limit: 10_000 })).hits.map((hit) => hit.url);
  const live = async () => (await index.search({ filter: {}, limit: 10_000 })).hits.map((hit) => hit.url);
  const states = async () => (await index.generations.list()).map(({ state }) => state);
  return { records, index, context, clock, stop, progress, add, urlsIn, live, states };
}

describe('a rebuild', () => {
  it('makes the same index anew beside the live one, which goes on answering', async () => {
    const { context, live, urlsIn, states } = await openIndexed(30);
    const built = await rebuild(context);
    expect(built).toMatchObject({ state: 'building', documents: 30 });
    expect(await urlsIn(built)).toEqual(await live());
    expect(await states()).toEqual(['live', 'building']);
  });

  it('has what changes while it is built', async () => {
    const { context, add, urlsIn, live } = await openIndexed(10);
    const built = await rebuild(context);
    await add(10, 15);
    expect(await urlsIn(built)).toHaveLength(15);
    await promote(context, built.id, false);
    expect(await live()).toHaveLength(15);
  });

  it('goes on where an interrupted one stopped, in the same generation', async () => {
    const { context, progress, stop, urlsIn } = await openIndexed(1_500);
    const interrupted = await rebuild({
      ...context,
      onProgress: () => stop.abort(),
    });
    expect(interrupted).toMatchObject({ state: 'building', documents: 1_000, copiedUpTo: url(999) });
    const resumed = await rebuild({ ...context, signal: new AbortController().signal });
    expect(resumed.id).toBe(interrupted.id);
    expect(progress).toEqual([1_500]);
    expect(await urlsIn(resumed)).toHaveLength(1_500);
  });

  it('copies and does not go through the whole change log after it', async () => {
    const { context, records, index } = await openIndexed(20);
    const built = await rebuild(context);
    expect(built.appliedSeq).toBe(await records.agents.lastSeq());
    const begun = (await index.generations.list()).find(({ id }) => id === built.id);
    expect(begun?.copiedUpTo).toBe(url(19));
  });

  it('leaves out what is not listed any more', async () => {
    const { context, clock, add, urlsIn } = await openIndexed(5);
    clock.value += 48 * 3_600_000;
    await add(5, 8);
    expect(await urlsIn(await rebuild(context))).toEqual([url(5), url(6), url(7)]);
  });
});

describe('a promotion', () => {
  it('switches in one step and keeps the generation before', async () => {
    const { context, states, live } = await openIndexed(5);
    const built = await rebuild(context);
    const comparison = await promote(context, built.id, false);
    expect(comparison).toEqual({ live: 5, candidate: 5, shrinks: false, differing: [] });
    expect(await states()).toEqual(['previous', 'live']);
    expect(await live()).toHaveLength(5);
  });

  it('keeps the last two generations and no more', async () => {
    const { context, index } = await openIndexed(3);
    for (let times = 0; times < 3; times += 1) await promote(context, (await rebuild(context)).id, false);
    const generations = await index.generations.list();
    expect(generations.map(({ id, state }) => [id, state])).toEqual([
      [3, 'previous'],
      [4, 'live'],
    ]);
  });

  it('refuses to lose more than a tenth, until somebody accepts it', async () => {
    const { context, index, records, live } = await openIndexed(20);
    // what only the live generation has: as after a restore of the records from an old backup
    const [sample] = await records.agents.listed(undefined, 1);
    if (sample?.document === undefined) throw new Error('nothing is listed');
    const { document } = sample;
    await index.put(
      [100, 101, 102].map((number) => ({
        agent: url(number),
        seq: 1_000,
        document: { ...document, url: url(number) },
      })),
    );
    const built = await rebuild(context);
    await expect(promote(context, built.id, false)).rejects.toMatchObject({
      code: 'input_invalid',
      message: expect.stringContaining('holds 20 agents, the live one 23'),
      hint: expect.stringContaining('--accept-shrink'),
    });
    expect(await live()).toHaveLength(23);
    expect(await promote(context, built.id, true)).toMatchObject({
      shrinks: true,
      differing: [{}, { type: 'unknown' }],
    });
    expect(await live()).toHaveLength(20);
  });

  it('finishes a copy that was interrupted, so that nothing is missing after the switch', async () => {
    const { context, stop, live } = await openIndexed(1_050);
    const half = await rebuild({ ...context, onProgress: () => stop.abort() });
    expect(half.documents).toBe(1_000);
    await promote({ ...context, signal: new AbortController().signal }, half.id, false);
    expect(await live()).toHaveLength(1_050);
  });

  it('does not switch when it is interrupted itself', async () => {
    const { context, stop, states } = await openIndexed(3);
    const built = await rebuild(context);
    stop.abort();
    await expect(promote(context, built.id, false)).rejects.toMatchObject({ code: 'interrupted' });
    expect(await states()).toEqual(['live', 'building']);
  });

  it('knows only generations that are there', async () => {
    const { context } = await openIndexed(1);
    await expect(promote(context, 99, false)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a rollback', () => {
  it('brings the generation before up to date and goes back to it', async () => {
    const { context, add, live, states } = await openIndexed(5);
    await promote(context, (await rebuild(context)).id, false);
    await add(5, 9);
    expect(await rollback(context, false)).toMatchObject({ id: 1, state: 'live', documents: 9 });
    expect(await live()).toHaveLength(9);
    expect(await states()).toEqual(['live', 'previous']);
  });

  it('is refused when there is nothing to go back to', async () => {
    const { context } = await openIndexed(1);
    await expect(rollback(context, false)).rejects.toMatchObject({ code: 'not_found' });
  });
});
