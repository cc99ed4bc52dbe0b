import { describe, expect, it } from 'vitest';
import type { OwnerAccess } from '../../src/records/owners/audit.ts';
import { AGENT, owned } from './compliance-fixtures.ts';
import { HOUR, NOW, type RecordsWorld } from './records-fixtures.ts';

const ACCESS: OwnerAccess = { agent: AGENT, keyId: 'ark_1', member: 'acme' };

/** What owners read. */
export function describeAccesses(world: () => RecordsWorld): void {
  describe('an access of an owner', () => {
    it('is written down once in an hour for each key, agent and run', async () => {
      const { records } = world();
      await owned(records);
      const { owners } = records;
      for (const at of [NOW, NOW + 1, NOW + HOUR - 1]) await owners.noteAccess(ACCESS, at);
      for (const _ of [1, 2]) await owners.noteAccess({ ...ACCESS, runId: 'one' }, NOW + 2);
      await owners.noteAccess({ ...ACCESS, runId: 'two' }, NOW + 3);
      await owners.noteAccess({ ...ACCESS, keyId: 'ark_2' }, NOW + 4);
      await owners.noteAccess({ ...ACCESS, agent: 'https://other.example/' }, NOW + 5);
      await owners.noteAccess(ACCESS, NOW + HOUR);
      const entries = (await owners.auditLog({ limit: 6 })).toReversed();
      expect(entries.map(({ at, actor, subject, details }) => [at - NOW, actor, subject, details])).toEqual([
        [0, 'ark_1', AGENT, { member: 'acme' }],
        [2, 'ark_1', AGENT, { member: 'acme', run_id: 'one' }],
        [3, 'ark_1', AGENT, { member: 'acme', run_id: 'two' }],
        [4, 'ark_2', AGENT, { member: 'acme' }],
        [5, 'ark_1', 'https://other.example/', { member: 'acme' }],
        [HOUR, 'ark_1', AGENT, { member: 'acme' }],
      ]);
      expect(entries.every(({ action }) => action === 'runs.read')).toBe(true);
    });

    it('is written down once by those who note it at once', async () => {
      const { records } = world();
      await owned(records);
      await Promise.all([1, 2, 3, 4].map(() => records.owners.noteAccess(ACCESS, NOW)));
      const entries = await records.owners.auditLog({ subject: AGENT, limit: 9 });
      expect(entries.filter(({ action }) => action === 'runs.read')).toHaveLength(1);
    });

    it('is written down although an earlier one lies ahead, as the clock was put back', async () => {
      const { records } = world();
      await owned(records);
      for (const at of [NOW + 24 * HOUR, NOW]) await records.owners.noteAccess(ACCESS, at);
      expect(await records.owners.auditLog({ limit: 2 })).toMatchObject([
        { at: NOW, action: 'runs.read' },
        { at: NOW + 24 * HOUR, action: 'runs.read' },
      ]);
    });
  });
}
