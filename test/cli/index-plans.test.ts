import { describe, expect, it, vi } from 'vitest';
import { rebuildPlan, switchPlan } from '../../src/cli/commands/index/plans.ts';
import { printStatus } from '../../src/cli/commands/index/print.ts';
import type { Generation } from '../../src/ports/agent-index.ts';

const LIVE: Generation = { id: 1, state: 'live', createdAt: 1, documents: 5, appliedSeq: 5 };
const RED: Generation = { ...LIVE, id: 3, state: 'unreadable', unreadable: 'no shard' };
const NONE = { listed: 5, foreign: undefined, ahead: new Set<number>() };

describe('the plan of a rebuild', () => {
  it('says what it would drop because nothing can be made of it', () => {
    const left: Generation = { ...LIVE, id: 2, state: 'built' };
    const plan = rebuildPlan({ ...NONE, list: [LIVE, left, RED], ahead: new Set([2]) }, true);
    expect(plan.slice(0, 3)).toEqual([
      'would drop generation 2, which contains changes unknown to the records',
      'would drop generation 3, which cannot be read',
      'would copy 5 agents from the records into a new generation; generation 1 (5 agents) keeps answering meanwhile',
    ]);
  });

  it('says that a live one that cannot be read is not compared with', () => {
    const plan = rebuildPlan({ ...NONE, list: [{ ...LIVE, unreadable: 'no shard' }] }, true).join('\n');
    expect(plan).toMatch(/the live generation 1 cannot be read \(no shard\): search does not work/);
    expect(plan).toContain('without a comparison');
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
    const previous: Generation = { ...LIVE, id: 2, state: 'previous', unreadable: 'no shard' };
    const list = [LIVE, previous, RED];
    const about = { lastSeq: 9, ahead: new Set([1]), rebuild: undefined };
    printStatus({ engine: { kind: 'opensearch' }, generations: list, ...about }, false);
    written.mockRestore();
    const text = lines.join('');
    expect(text).toMatch(/previous, unreadable +- +- +-/);
    expect(text).toMatch(/next: the index contains changes unknown to the records .*rebuild --yes/);
    expect(text).toMatch(/next: generation 3 cannot be read: .*prune/);
    expect(text).not.toMatch(/rollback|changes behind/);
  });
});
