import { describe, expect, it } from 'vitest';
import { stitchAgent } from '../../src/domain/stitch.ts';
import type { Actor } from '../../src/ports/actor.ts';
import type { Records } from '../../src/ports/records.ts';
import { NOW, type RecordsWorld, sha256 } from './records-fixtures.ts';
import { clean, own, registered } from './records-owners.ts';

const AGENT = 'https://agent.acme.example/mcp';
const OPERATOR: Actor = { kind: 'operator' };
const ACME: Actor = { kind: 'operator', member: 'acme' };
const DEFAULTS = {
  optedOut: false,
  monitoringPaused: false,
  checkIntervalHours: 12,
  lifecycleStage: 'production',
} as const;

async function stitched({ agents }: Records) {
  const [dirty] = await agents.takeDirty(1, NOW);
  const [facts] = await agents.facts([AGENT]);
  if (dirty === undefined || facts === undefined) return [];
  return agents.saveStitched([{ ...dirty, stitched: stitchAgent(facts, NOW) }], NOW);
}

/** What owners decide about the tests of their agents. */
export function describeSettings(world: () => RecordsWorld): void {
  describe('the settings of an agent', () => {
    it('begin with the defaults, and are those of no agent that was never heard of', async () => {
      const { records } = world();
      await registered(records);
      expect(await records.owners.settings(AGENT)).toEqual(DEFAULTS);
      expect(await records.owners.settings('https://nobody.example/')).toBeUndefined();
    });

    it('change where asked to, and nowhere else', async () => {
      const { records } = world();
      await registered(records);
      await own(records, 'acme');
      const { owners, agents } = records;
      const first = { agent: AGENT, actor: ACME, change: { checkIntervalHours: 24 } };
      expect(await owners.changeSettings(first, NOW)).toEqual({
        ok: true,
        changed: true,
        settings: { ...DEFAULTS, checkIntervalHours: 24 },
      });
      await owners.changeSettings(
        { ...first, change: { monitoringPaused: true, lifecycleStage: 'testing' } },
        NOW,
      );
      expect(await owners.settings(AGENT)).toEqual({
        optedOut: false,
        monitoringPaused: true,
        checkIntervalHours: 24,
        lifecycleStage: 'testing',
      });
      expect(await agents.facts([AGENT])).toMatchObject([
        { compliance: { monitoringPaused: true, checkIntervalHours: 24, lifecycleStage: 'testing' } },
      ]);
    });

    it('leave an audit record of what was before and after, and none where nothing changed', async () => {
      const { records } = world();
      await registered(records);
      await own(records, 'acme');
      await records.keys.create({ id: 'ark_1', hash: sha256('1'), member: 'acme' }, NOW);
      const actor: Actor = { kind: 'key', keyId: 'ark_1', member: 'acme' };
      const asked = { agent: AGENT, actor, change: { optedOut: true, monitoringPaused: false } };
      await records.owners.changeSettings(asked, NOW + 7);
      expect(await records.owners.changeSettings(asked, NOW + 8)).toMatchObject({ ok: true, changed: false });
      const [entry, before] = await records.owners.auditLog({ subject: AGENT, limit: 2 });
      expect(entry).toEqual({
        id: expect.any(Number),
        at: NOW + 7,
        actor: 'ark_1',
        action: 'agent.settings',
        subject: AGENT,
        details: { member: 'acme', before: { optedOut: false }, after: { optedOut: true } },
      });
      expect(before).toMatchObject({ action: 'agent.prove' });
      const older = await records.owners.auditLog({ subject: AGENT, before: entry?.id ?? 0, limit: 1 });
      expect(older).toEqual([before]);
    });

    it('reach the change log: an agent that opts out changes for everybody', async () => {
      const { records } = world();
      await registered(records);
      await stitched(records);
      const seq = await records.agents.lastSeq();
      await records.owners.changeSettings({ agent: AGENT, actor: OPERATOR, change: { optedOut: true } }, NOW);
      await stitched(records);
      const [change] = await records.agents.changes(seq, 9);
      expect(change).toMatchObject({ agent: AGENT, kind: 'changed' });
      const [saved] = await records.agents.saved([AGENT]);
      expect(saved?.document?.compliance).toEqual({ status: 'opted_out', lifecycle_stage: 'production' });
    });

    it.each<[string, Actor, string]>([
      ['a member without proof', { kind: 'operator', member: 'acme' }, 'not_owner'],
      ['another member', { kind: 'operator', member: 'bolt' }, 'not_owner'],
      ['the key of another member', { kind: 'key', keyId: 'ark_bolt', member: 'bolt' }, 'not_owner'],
      ['a revoked key', { kind: 'key', keyId: 'ark_gone', member: 'acme' }, 'key_revoked'],
      ['a key that has ended meanwhile', { kind: 'key', keyId: 'ark_over', member: 'acme' }, 'key_revoked'],
      ['a key that never was', { kind: 'key', keyId: 'ark_never', member: 'acme' }, 'key_revoked'],
    ])('are not changed by %s', async (what, actor, reason) => {
      const { records } = world();
      await registered(records);
      if (what !== 'a member without proof') await own(records, 'acme');
      await records.keys.create({ id: 'ark_bolt', hash: sha256('b'), member: 'bolt' }, NOW);
      await records.keys.create({ id: 'ark_gone', hash: sha256('g'), member: 'acme' }, NOW);
      await records.keys.revoke('ark_gone', NOW);
      await records.keys.create(
        { id: 'ark_over', hash: sha256('o'), member: 'acme', expiresAt: NOW },
        NOW - 1,
      );
      await clean(records);
      const entries = await records.owners.auditLog({ limit: 99 });
      const asked = { agent: AGENT, actor, change: { optedOut: true } };
      expect(await records.owners.changeSettings(asked, NOW)).toEqual({ ok: false, reason });
      expect(await records.owners.settings(AGENT)).toEqual(DEFAULTS);
      expect(await records.owners.auditLog({ limit: 99 })).toEqual(entries);
      expect(await records.agents.takeDirty(1, NOW)).toEqual([]);
    });

    it('are kept apart when two change them at once', async () => {
      const { records, harness } = world();
      await registered(records);
      const other = await harness.open();
      await Promise.all([
        records.owners.changeSettings(
          { agent: AGENT, actor: OPERATOR, change: { checkIntervalHours: 48 } },
          NOW,
        ),
        other.owners.changeSettings(
          { agent: AGENT, actor: OPERATOR, change: { monitoringPaused: true } },
          NOW,
        ),
      ]);
      expect(await records.owners.settings(AGENT)).toEqual({
        ...DEFAULTS,
        checkIntervalHours: 48,
        monitoringPaused: true,
      });
      await other.close();
    });

    it('of an agent never heard of are not made', async () => {
      const asked = { agent: 'https://nobody.example/', actor: OPERATOR, change: { optedOut: true } };
      expect(await world().records.owners.changeSettings(asked, NOW)).toEqual({
        ok: false,
        reason: 'unknown_agent',
      });
    });
  });
}
