import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { build, promote, pruneGenerations, rebuild, rollback } from '../../pipelines/rebuild.ts';
import { RegistryError } from '../../src/errors.ts';
import { livePut } from '../contract/agent-index-reference.ts';
import { documentOf } from '../contract/agent-index-samples.ts';
import { openIndexed, agentUrl as url } from './rebuild-world.ts';

const CAREFUL = { acceptShrink: false };
const onAndOn = { signal: new AbortController().signal };

describe('a build', () => {
  it('makes the same index anew beside the live one, which goes on answering', async () => {
    const { context, live, urlsIn, states, steps } = await openIndexed(30);
    const built = await build(context);
    expect(built).toMatchObject({ state: 'built', documents: 30 });
    expect(await urlsIn(built)).toEqual(await live());
    expect(await states()).toEqual(['live', 'built']);
    expect(steps).toEqual(['begin', 'copy', 'catch up', 'built']);
  });

  it('goes on getting what changes until it is switched to', async () => {
    const { context, add, urlsIn, live } = await openIndexed(10);
    const built = await build(context);
    await add(10, 15);
    expect(await urlsIn(built)).toHaveLength(15);
    await promote(context, CAREFUL);
    expect(await live()).toHaveLength(15);
  });

  it('drops half a copy of an interrupted one, and begins again', async () => {
    const { context, progress, stop, urlsIn, index, states } = await openIndexed(4_500);
    const interrupted = build({ ...context, onProgress: (copied) => copied > 0 && stop.abort() });
    await expect(interrupted).rejects.toMatchObject({ code: 'interrupted' });
    const half = (await index.generations.list()).at(-1);
    expect(half?.state).toBe('building');
    const built = await build({ ...context, ...onAndOn });
    expect(built.id).toBeGreaterThan(half?.id as number);
    expect(progress.at(0)).toEqual([0, 4_500]);
    expect(progress.at(-1)).toEqual([4_500, 4_500]);
    expect(await urlsIn(built)).toHaveLength(4_500);
    expect(await states()).toEqual(['live', 'built']);
  });

  it('replaces a live generation that answers and cannot be brought up to date', async () => {
    const { context, index, stitched, live, states } = await openIndexed(10);
    const [sick] = await index.generations.list();
    const settle = index.settle;
    Object.assign(index, {
      settle: async (id: number) => {
        if (id === sick?.id) throw new RegistryError('index_unavailable', 'a copy of it hangs');
        await settle(id);
      },
    });
    await stitched(10, 12);
    await rebuild(context, CAREFUL);
    expect(await live()).toHaveLength(12);
    expect(await states()).toEqual(['previous', 'live']);
  });

  it('lets signals and timers through on an engine that never waits', async () => {
    const { context, stop } = await openIndexed(3_500);
    setImmediate(() => stop.abort());
    await expect(build(context)).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('that could not write a page is not complete, and the next one is', async () => {
    const { context, index, urlsIn } = await openIndexed(3_500);
    const away = new RegistryError('index_unavailable', 'no answer');
    const { generations } = index;
    const write: typeof generations.write = (id, documents) =>
      documents[0]?.agent === url(1_000) ? Promise.reject(away) : generations.write(id, documents);
    const broken = { ...index, generations: { ...generations, write } };
    await expect(build({ ...context, index: broken })).rejects.toBe(away);
    expect((await generations.list()).at(-1)).toMatchObject({ state: 'building', documents: 2_500 });
    expect(await urlsIn(await build(context))).toHaveLength(3_500);
  });

  it('never says that it copied more than there are', async () => {
    const { context, progress, stitched } = await openIndexed(1_500);
    const grown = build({
      ...context,
      records: {
        ...context.records,
        agents: {
          ...context.records.agents,
          async listed(after, limit) {
            if (after === undefined) await stitched(1_500, 1_520);
            return context.records.agents.listed(after, limit);
          },
        },
      },
    });
    expect(await grown).toMatchObject({ documents: 1_520 });
    expect(progress.at(0)).toEqual([0, 1_500]);
    expect(progress.at(-1)).toEqual([1_500, 1_500]);
    expect(progress.every(([copied, total]) => copied <= total)).toBe(true);
  });

  it('copies and does not go through the whole change log after it', async () => {
    const { context, records } = await openIndexed(20);
    const asked: number[] = [];
    const changes = (after: number, limit: number) => {
      asked.push(after);
      return records.agents.changes(after, limit);
    };
    const built = await build({
      ...context,
      records: { ...records, agents: { ...records.agents, changes } },
    });
    expect(built).toMatchObject({ appliedSeq: 20, documents: 20 });
    expect(asked).toEqual([19, 20]); // the mark of the last change, and what came after it
  });

  it('does not contain an agent that was delisted after an earlier build was killed', async () => {
    const { context, index, records, clock, stitched, urlsIn } = await openIndexed(5);
    // killed after the first page of the copy
    const id = await index.generations.begin(1);
    await index.generations.applied(id, 5);
    await index.generations.write(id, await records.agents.listed(undefined, 100));
    clock.value += 48 * 3_600_000;
    await stitched(5, 8);
    expect(await urlsIn(await build(context))).toEqual([url(5), url(6), url(7)]);
  });

  it('leaves out what is not listed any more', async () => {
    const { context, clock, add, urlsIn } = await openIndexed(5);
    clock.value += 48 * 3_600_000;
    await add(5, 8);
    expect(await urlsIn(await build(context))).toEqual([url(5), url(6), url(7)]);
  });
});

describe('a rebuild', () => {
  it('builds, compares, switches in one step and keeps the generation before', async () => {
    const { context, states, live, steps } = await openIndexed(5);
    const done = await rebuild(context, CAREFUL);
    expect(done).toMatchObject({
      live: 5,
      candidate: 5,
      shrinks: false,
      differing: [],
      generation: { id: 2, state: 'live', documents: 5 },
      previous: { id: 1, state: 'previous' },
    });
    expect(done.asked).toBeGreaterThan(5);
    expect(await states()).toEqual(['previous', 'live']);
    expect(await live()).toHaveLength(5);
    const switching = ['catch up', 'compare', 'switch', 'follow'];
    expect(steps).toEqual(['begin', 'copy', 'catch up', 'built', ...switching]);
  });

  it('keeps the last two generations and no more', async () => {
    const { context, index } = await openIndexed(3);
    for (let times = 0; times < 3; times += 1) await rebuild(context, CAREFUL);
    const generations = await index.generations.list();
    expect(generations.map(({ id, state }) => [id, state])).toEqual([
      [3, 'previous'],
      [4, 'live'],
    ]);
  });

  it('brings the index back when there is no generation left', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'registry-rebuild-')), 'store.sqlite');
    onTestFinished(() => rmSync(dirname(path), { recursive: true }));
    const { context, live } = await openIndexed(7, `sqlite:${path}`);
    wipe(path);
    const hint = expect.stringContaining('index rebuild --yes');
    await expect(live()).rejects.toMatchObject({ code: 'index_missing', hint });
    const done = await rebuild(context, CAREFUL);
    expect(done).toMatchObject({ live: undefined, generation: { state: 'live', documents: 7 } });
    expect(done.previous).toBeUndefined();
    expect(await live()).toHaveLength(7);
  });

  it('refuses to lose more than a tenth, until somebody accepts it', async () => {
    const { context, index, records, live, states } = await openIndexed(20);
    // what only the live generation has: as after a restore of the records from an old backup
    const strangers = [100, 101, 102].map((number) => url(number));
    const type = 'sales';
    await livePut(index)(
      ...strangers.map((agent) => ({ agent, version: 1_000, document: documentOf({ url: agent, type }) })),
    );
    expect(await records.agents.countListed()).toBe(20);
    await expect(rebuild(context, CAREFUL)).rejects.toMatchObject({
      code: 'input_invalid',
      message: expect.stringContaining('generation 2 has 20 agents, the live generation has 23'),
      hint: expect.stringContaining('--accept-shrink'),
    });
    expect([await live(), await states()]).toEqual([expect.arrayContaining(strangers), ['live', 'built']]);
    expect(await promote(context, { acceptShrink: true })).toMatchObject({
      shrinks: true,
      generation: { id: 2 },
      differing: expect.arrayContaining([{}, { type }]),
    });
    expect(await live()).toHaveLength(20);
  });

  it('goes on with one that was built and refused, and builds none beside it', async () => {
    const { context, index, stitched } = await openIndexed(5);
    const { id } = await build(context);
    await stitched(5, 9);
    expect((await rebuild(context, CAREFUL)).generation).toMatchObject({ id, documents: 9 });
    expect(await index.generations.list()).toHaveLength(2);
  });

  it('does not switch when it is interrupted', async () => {
    const { context, stop, states } = await openIndexed(3);
    const onStep = (step: string) => step === 'compare' && stop.abort();
    await expect(rebuild({ ...context, onStep }, CAREFUL)).rejects.toMatchObject({ code: 'interrupted' });
    expect(await states()).toEqual(['live', 'built']);
  });

  it('compares with queries that agents of the live generation answer', async () => {
    const { context, index, records } = await openIndexed(2);
    const agent = url(0);
    const badges = [{ role: 'measurement', axes: ['spec'] as const }];
    const document = documentOf({ url: agent, metricIds: ['viewability'], accreditations: ['MRC'], badges });
    const saved = async () => [{ agent, version: 9, document }];
    await livePut(index)({ agent, version: 9, document });
    const id = await index.generations.begin(0);
    await index.generations.built(id);
    const known = { ...records, agents: { ...records.agents, saved, changes: async () => [] } };
    const { differing } = await promote({ ...context, records: known }, { acceptShrink: true });
    expect(differing).toEqual(
      expect.arrayContaining([
        { metricIds: ['viewability'] },
        { accreditations: ['MRC'] },
        { q: 'ewabil' },
        { verificationModes: ['spec'] },
        { metricIds: ['viewability'], accreditations: ['MRC'] },
      ]),
    );
  });
});

describe('a promotion', () => {
  it('needs a generation that is complete', async () => {
    const { context, stop } = await openIndexed(1_100);
    await expect(promote(context, CAREFUL)).rejects.toMatchObject({ code: 'not_found' });
    await expect(build({ ...context, onProgress: (copied) => copied > 0 && stop.abort() })).rejects.toThrow();
    await expect(promote({ ...context, ...onAndOn }, CAREFUL)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a rollback', () => {
  it('brings the generation before up to date and goes back to it', async () => {
    const { context, add, live, states } = await openIndexed(5);
    await rebuild(context, CAREFUL);
    await add(5, 9);
    const { generation, previous } = await rollback(context, CAREFUL);
    expect(generation).toMatchObject({ id: 1, state: 'live', documents: 9 });
    expect(previous?.id).toBe(2);
    expect(await live()).toHaveLength(9);
    expect(await states()).toEqual(['live', 'previous']);
  });

  it('loses none of 100 writes after the switch, indexed or only stored', async () => {
    const { context, add, stitched, live, clock } = await openIndexed(50);
    await rebuild(context, CAREFUL);
    await add(50, 120);
    clock.value += 1_000;
    await stitched(120, 150);
    await rollback(context, CAREFUL);
    expect(await live()).toEqual(Array.from({ length: 150 }, (_, at) => url(at)));
  });

  it('is refused when there is nothing to go back to', async () => {
    const { context } = await openIndexed(1);
    await expect(rollback(context, CAREFUL)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('what rebuilds leave', () => {
  it('is dropped by prune, and nothing else is', async () => {
    const { context, index, stop, states } = await openIndexed(1_100);
    await rebuild(context, CAREFUL);
    await index.generations.built(await index.generations.begin(0));
    await index.generations.begin(1);
    expect(await states()).toEqual(['previous', 'live', 'built', 'building']);
    expect((await pruneGenerations(context)).map(({ state }) => state)).toEqual(['built', 'building']);
    expect(await states()).toEqual(['previous', 'live']);
    expect(await pruneGenerations(context)).toEqual([]);
    expect(stop.signal.aborted).toBe(false);
  });
});

describe('two rebuilds at once', () => {
  it('are one: the second is told who is at it and until when', async () => {
    const { context, clock } = await openIndexed(3);
    let second: Promise<unknown> = Promise.resolve();
    const onStep = (step: string) => {
      if (step === 'copy')
        second = rebuild({ ...context, onStep: () => {} }, CAREFUL).catch((error) => error);
    };
    await rebuild({ ...context, onStep }, CAREFUL);
    const refused = await second;
    expect(refused).toBeInstanceOf(RegistryError);
    expect(refused).toMatchObject({
      code: 'lease_held',
      message: expect.stringContaining(`process ${process.pid} on ${hostname()}`),
    });
    expect((refused as Error).message).toContain(new Date(clock.value + 60_000).toISOString());
    await rebuild(context, CAREFUL); // given back
  });

  it('never both switch: one that was frozen for longer than its lease finds itself overtaken', async () => {
    const { context, clock, index } = await openIndexed(3);
    const onStep = (step: string) => {
      if (step === 'compare') clock.value += 61_000;
    };
    await expect(rebuild({ ...context, onStep }, CAREFUL)).rejects.toMatchObject({ code: 'lease_lost' });
    expect((await index.generations.list()).map(({ state }) => state)).toEqual(['live', 'built']);
    await rebuild(context, CAREFUL);
  });
});

function wipe(path: string): void {
  const database = new DatabaseSync(path);
  database.exec('DELETE FROM index_generation');
  database.close();
}
