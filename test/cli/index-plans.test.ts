import { describe, expect, it, vi } from 'vitest';
import { rebuildPlan, switchPlan } from '../../src/cli/commands/index/plans.ts';
import { printStatus } from '../../src/cli/commands/index/print.ts';
import { cannotBeRead, otherLayout } from '../../src/index/generation-errors.ts';
import type { Generation } from '../../src/ports/agent-index.ts';

const LIVE: Generation = { id: 1, state: 'live', createdAt: 1, documents: 5, appliedSeq: 5 };
const fault = cannotBeRead(3, 'no shard');
const RED: Generation = { id: 3, state: 'building', createdAt: 1, appliedSeq: 0, fault };
const NONE = { listed: 5, foreign: undefined, ahead: new Set<number>() };

describe('the plan of a rebuild', () => {
  it('says what it would drop because nothing can be made of it', () => {
    const left: Generation = { ...LIVE, id: 2, state: 'built' };
    const plan = rebuildPlan({ ...NONE, list: [LIVE, left, RED], ahead: new Set([2]) }, true);
    expect(plan.slice(0, 3)).toEqual([
      'would drop generation 2, which contains changes unknown to the records',
      'would drop generation 3: generation 3 of the index cannot be read: no shard',
      'would copy 5 agents from the records into a new generation; generation 1 (5 agents) keeps answering meanwhile',
    ]);
  });

  it('says that a live one that cannot be read is not compared with', () => {
    const plan = rebuildPlan({ ...NONE, list: [{ ...RED, state: 'live' }] }, true).join('\n');
    expect(plan).toMatch(/search does not work until the rebuild is done: generation 3 .* no shard/);
    expect(plan).toContain('without a comparison');
  });

  it('compares the number of agents with that of a live one of another layout', () => {
    const old: Generation = { ...LIVE, fault: otherLayout(1, 3, 4) };
    const plan = rebuildPlan({ ...NONE, list: [old] }, true).join('\n');
    expect(plan).toMatch(/search does not work until the rebuild is done: generation 1 has layout 3/);
    expect(plan).toContain('would compare its number of agents with that of the live one (5 agents)');
  });

  it('names the registry that would go offline, the flag and the other way', () => {
    const named = /generation 7 belongs to other records.*REGISTRY_INDEX_PREFIX.*--replace-foreign/;
    expect(rebuildPlan({ ...NONE, list: [], foreign: 7 }, true).at(-1)).toMatch(named);
    expect(rebuildPlan({ ...NONE, list: [], foreign: 7 }, false).join()).not.toMatch(named);
    const none = { live: undefined, candidate: 5, shrinks: false, asked: 0, differing: [] };
    expect(switchPlan({ list: [], foreign: 7 }, { ...LIVE, state: 'built' }, none, 0).at(-1)).toMatch(named);
  });
});

describe('the status of the index', () => {
  it('names generations that cannot be read and those that are ahead, and no way back to them', () => {
    const lines: string[] = [];
    const written = vi
      .spyOn(process.stdout, 'write')
      .mockImplementation((text) => lines.push(String(text)) > 0);
    const previous: Generation = { ...RED, id: 2, state: 'previous' };
    const list = [LIVE, previous, RED];
    const about = { lastSeq: 9, ahead: new Set([1]), rebuild: undefined };
    printStatus({ engine: { kind: 'opensearch' }, generations: list, ...about }, false);
    written.mockRestore();
    const text = lines.join('');
    expect(text).toMatch(/previous, unusable +- +- +-/);
    expect(text).toMatch(/next: the index contains changes unknown to the records .*rebuild --yes/);
    expect(text).toMatch(/next: generation 3 of the index cannot be read: no shard: .*prune/);
    expect(text).not.toMatch(/rollback|changes behind/);
  });
});
