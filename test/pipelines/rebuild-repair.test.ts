import { describe, expect, it } from 'vitest';
import { build, pruneGenerations, rebuild, rollback } from '../../pipelines/rebuild.ts';
import { cannotBeRead, otherLayout } from '../../src/index/generation-errors.ts';
import { stitchDirty } from '../../src/index/generations/stitch-and-index.ts';
import { indexLag, updateGenerations } from '../../src/index/generations/update-generations.ts';
import type { AgentIndex, Generation } from '../../src/ports/agent-index.ts';
import { openIndexed, agentUrl as url } from './rebuild-world.ts';

const CAREFUL = { acceptShrink: false };
const DAY = 24 * 3_600_000;
const AHEAD = { code: 'index_ahead', hint: expect.stringContaining('agent-registry index rebuild --yes') };

/** The same index, whose generations say something else of themselves. */
function saying(index: AgentIndex, tell: (generation: Generation) => Generation): AgentIndex {
  const list = async () => (await index.generations.list()).map(tell);
  return { ...index, generations: { ...index.generations, list } };
}

describe('an index that knows changes that the records do not', () => {
  it('is told by the feed, repaired by a rebuild, and not gone back to', async () => {
    const { context, records, index, add, live } = await openIndexed(5);
    await index.generations.applied(1, 50); // as after a restore of the records
    await expect(updateGenerations(records, index)).rejects.toMatchObject(AHEAD);
    await expect(add(5, 6)).rejects.toMatchObject(AHEAD);
    expect(await live()).toHaveLength(5);
    await rebuild(context, CAREFUL);
    await add(6, 7);
    expect(await live()).toHaveLength(7);
    expect(await indexLag(records, index)).toMatchObject({ lag: 0, behind: false });
    await expect(rollback(context, CAREFUL)).rejects.toMatchObject(AHEAD);
    expect(await live()).toHaveLength(7);
  });

  it('is found out by the mark of its last change when the log has grown past its number', async () => {
    const { records, index, add } = await openIndexed(5);
    const marked = saying(index, (generation) => ({ ...generation, appliedMark: 'of another history' }));
    await expect(updateGenerations(records, marked)).rejects.toMatchObject(AHEAD);
    await add(5, 9);
    await expect(updateGenerations(records, marked)).rejects.toMatchObject(AHEAD);
    expect(await updateGenerations(records, index)).toBe(0);
  });

  it('is not gone on with when it was being built', async () => {
    const { context, index } = await openIndexed(5);
    const id = await index.generations.begin(1);
    await index.generations.applied(id, 50);
    const { generation } = await rebuild(context, CAREFUL);
    expect(generation).toMatchObject({ id: id + 1, documents: 5, appliedSeq: 5 });
    expect((await index.generations.list()).map((left) => left.id)).toEqual([1, id + 1]);
  });
});

/** Its shard is lost. */
function unreadable({ id, state, createdAt }: Generation): Generation {
  return { id, state, createdAt, appliedSeq: 0, fault: cannotBeRead(id, 'no shard') };
}

describe('a generation that cannot be read', () => {
  it('is left out of the feed and dropped by a rebuild or a prune when it is not live', async () => {
    for (const mend of [
      pruneGenerations,
      (context: Parameters<typeof pruneGenerations>[0]) => rebuild(context, CAREFUL),
    ]) {
      const { context, records, index, stitched, live } = await openIndexed(5);
      const id = await index.generations.begin(1);
      await index.generations.applied(id, 1);
      const red = saying(index, (generation) =>
        generation.id === id ? { ...generation, fault: cannotBeRead(id, 'no shard') } : generation,
      );
      await stitched(5, 8);
      expect(await updateGenerations(records, red)).toBe(3);
      expect(await live()).toHaveLength(8);
      await mend({ ...context, index: red });
      expect((await index.generations.list()).map((left) => left.id)).not.toContain(id);
    }
  });

  it('is replaced by a rebuild with no comparison when it is live, and not gone back to', async () => {
    const { context, records, index, live } = await openIndexed(5);
    const red = saying(index, (generation) => (generation.id === 1 ? unreadable(generation) : generation));
    expect((await indexLag(records, red)).lag).toBe(5);
    await expect(updateGenerations(records, red)).rejects.toMatchObject({ code: 'index_unavailable' });
    const switched = await rebuild({ ...context, index: red }, CAREFUL);
    expect(switched).toMatchObject({ live: undefined, asked: 0, generation: { id: 2, state: 'live' } });
    expect(await live()).toHaveLength(5);
    const back = rollback({ ...context, index: red }, CAREFUL);
    await expect(back).rejects.toMatchObject({ code: 'index_unavailable' });
  });
});

describe('a generation of another layout', () => {
  const OTHER_LAYOUT = { code: 'index_missing', message: expect.stringContaining('has layout 3') };
  /** The same index, in which these generations have another layout. */
  const older = (index: AgentIndex, ...ids: readonly number[]) =>
    saying(index, (generation) =>
      ids.includes(generation.id) ? { ...generation, fault: otherLayout(generation.id, 3, 4) } : generation,
    );

  it('is reported with its layout while it is live, and is not fed', async () => {
    const { records, index, stitched, live } = await openIndexed(5);
    await stitched(5, 7);
    const upgraded = older(index, 1);
    expect(await indexLag(records, upgraded)).toMatchObject({ lag: 2, behind: false, fault: OTHER_LAYOUT });
    await expect(updateGenerations(records, upgraded)).rejects.toMatchObject(OTHER_LAYOUT);
    expect(await live()).toHaveLength(5);
  });

  it('is replaced by a rebuild, which compares the number of agents', async () => {
    const { context, index, stitched, live } = await openIndexed(10);
    await stitched(10, 11);
    const upgraded = older(index, 1);
    const switched = await rebuild({ ...context, index: upgraded }, CAREFUL);
    expect(switched).toMatchObject({ live: 10, candidate: 11, asked: 0, generation: { id: 2 } });
    expect(await live()).toHaveLength(11);
  });

  it('is not replaced by one that is more than a tenth smaller, until that is accepted', async () => {
    const { context, index, records, live, clock } = await openIndexed(3);
    clock.value += 2 * DAY;
    await stitchDirty(records, clock.now);
    const upgraded = { ...context, index: older(index, 1) };
    await expect(rebuild(upgraded, CAREFUL)).rejects.toMatchObject({
      code: 'input_invalid',
      message: expect.stringContaining('generation 2 has 0 agents, the live generation has 3'),
    });
    expect(await live()).toHaveLength(3);
    await rebuild(upgraded, { acceptShrink: true });
    expect(await live()).toEqual([]);
  });

  it('does not disturb the update of the others if it was built and never switched to', async () => {
    const { context, index, records, stitched, live } = await openIndexed(5);
    const { id } = await build(context);
    await stitched(5, 8);
    expect(await updateGenerations(records, older(index, id))).toBe(3);
    expect(await live()).toHaveLength(8);
  });

  it('is dropped by a rebuild if it was built and never switched to', async () => {
    const { context, index } = await openIndexed(5);
    await build(context);
    const { generation } = await rebuild({ ...context, index: older(index, 2) }, CAREFUL);
    expect(generation.id).toBe(3);
    expect((await index.generations.list()).map(({ id }) => id)).toEqual([1, 3]);
  });

  it('is not gone back to', async () => {
    const { context, index, states } = await openIndexed(5);
    await rebuild(context, CAREFUL);
    const back = rollback({ ...context, index: older(index, 1) }, CAREFUL);
    await expect(back).rejects.toMatchObject(OTHER_LAYOUT);
    expect(await states()).toEqual(['previous', 'live']);
  });
});

describe('an index with no live generation', () => {
  it('lags by all that there is, and the feed says that it is missing', async () => {
    const { records, index } = await openIndexed(5);
    const wiped = { ...index, generations: { ...index.generations, list: async () => [] } };
    expect(await indexLag(records, wiped)).toMatchObject({ lag: 5 });
    await expect(updateGenerations(records, wiped)).rejects.toMatchObject({ code: 'index_missing' });
  });
});

describe('a live generation of other records', () => {
  it('is replaced by a rebuild only when that was said', async () => {
    const { context, index, states } = await openIndexed(5);
    const told: unknown[] = [];
    const promote: AgentIndex['generations']['promote'] = async (id, now, options) => {
      told.push(options);
      await index.generations.promote(id, now, options);
    };
    const shared = { ...index, generations: { ...index.generations, foreign: async () => 7, promote } };
    const refused = rebuild({ ...context, index: shared }, CAREFUL);
    const hint = expect.stringContaining('REGISTRY_INDEX_PREFIX');
    await expect(refused).rejects.toMatchObject({ code: 'usage', hint });
    expect(await states()).toEqual(['live']);
    await rebuild({ ...context, index: shared }, { ...CAREFUL, replaceForeign: true });
    expect(told).toEqual([{ replaceForeign: true }]);
  });
});

describe('a rollback over a prune', () => {
  it('does not bring back what was deleted from the records meanwhile', async () => {
    const { context, records, clock, add, live } = await openIndexed(3);
    await rebuild(context, CAREFUL);
    clock.value += 2 * DAY;
    await add(3, 4);
    expect(await live()).toEqual([url(3)]);
    clock.value += 32 * DAY;
    await records.prune(clock.value);
    expect(await records.agents.saved([url(0)])).toEqual([]);
    await stitchDirty(records, () => clock.value);
    await rollback(context, { acceptShrink: true });
    expect(await live()).toEqual([]);
  });
});
