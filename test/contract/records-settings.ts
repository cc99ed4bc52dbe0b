import { describe, expect, it } from 'vitest';
import type { Actor } from '../../src/domain/actor.ts';
import type { SettingsChange } from '../../src/domain/compliance.ts';
import { NEVER_RUN } from '../../src/domain/standing.ts';
import { stitchAgent } from '../../src/domain/stitch.ts';
import type { Records } from '../../src/ports/records.ts';
import { changeTo, keepRun, ownedAt, SELLER } from './compliance-fixtures.ts';
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

    it('keep the target and the buyer of tests, merge a change into them, and clear what is null', async () => {
      const { records } = world();
      const { owners, compliance } = records;
      await registered(records);
      await own(records, 'acme');
      const change = (changed: SettingsChange, at: number) =>
        owners.changeSettings({ agent: AGENT, actor: ACME, change: changed }, at);
      const brand = { domain: 'kayaks.example' };
      const whole = { operator: 'desk.example', brand, account: { account_id: 'acc-7' } };
      await change({ complianceTarget: '3.1-beta', testSetup: whole }, NOW + 1);
      const state = async () => (await compliance.state(AGENT))?.settings;
      expect(await state()).toEqual({ ...DEFAULTS, complianceTarget: '3.1-beta', testSetup: whole });
      expect(await change({ testSetup: { brand, operator: 'desk.example' } }, NOW + 2)).toMatchObject({
        changed: false,
      });
      await change({ complianceTarget: null, testSetup: { operator: null } }, NOW + 3);
      const rest = { brand, account: { account_id: 'acc-7' } };
      expect(await owners.settings(AGENT)).toEqual({ ...DEFAULTS, testSetup: rest });
      await change({ testSetup: null }, NOW + 4);
      expect(await owners.settings(AGENT)).toEqual(DEFAULTS);
      const log = await owners.auditLog({ subject: AGENT, limit: 3 });
      expect(log.map(({ details }) => [details.before, details.after])).toEqual([
        [{ testSetup: rest }, { testSetup: null }],
        [
          { complianceTarget: '3.1-beta', testSetup: whole },
          { complianceTarget: null, testSetup: rest },
        ],
        [
          { complianceTarget: null, testSetup: null },
          { complianceTarget: '3.1-beta', testSetup: whole },
        ],
      ]);
    });

    it('lose the buyer of tests with the ownership, and keep it when the owner proves again', async () => {
      const { records } = world();
      const { owners } = records;
      await registered(records);
      await own(records, 'acme');
      const testSetup = { account: { account_id: 'acc-of-acme' } };
      const change = { complianceTarget: '3.0', testSetup };
      await owners.changeSettings({ agent: AGENT, actor: ACME, change }, NOW);
      await own(records, 'acme', NOW + 1);
      expect(await owners.settings(AGENT)).toEqual({ ...DEFAULTS, ...change });
      await own(records, 'bolt', NOW + 2);
      expect(await owners.settings(AGENT)).toEqual({ ...DEFAULTS, complianceTarget: '3.0' });
      const again = { agent: AGENT, actor: OPERATOR, change: { testSetup } };
      await owners.changeSettings(again, NOW + 3);
      await owners.unregister(AGENT, 'bolt', NOW + 4);
      expect(await owners.settings(AGENT)).not.toHaveProperty('testSetup');
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

    it('take the results out of the document and the log with the opt-out itself, whatever was stitched before', async () => {
      const { records } = world();
      await ownedAt(records, { [AGENT]: NOW });
      expect(await keepRun(records, NOW + 1, SELLER)).toBe('saved');
      const [dirty] = await records.agents.takeDirty(1, NOW + 1);
      const [facts] = await records.agents.facts([AGENT]);
      if (dirty === undefined || facts === undefined) throw new Error('nothing is dirty');
      const told = { ...dirty, stitched: stitchAgent(facts, NOW + 1) };
      await records.agents.saveStitched([told], NOW + 1);
      const status = async () => {
        const [saved] = await records.agents.saved([AGENT]);
        return saved?.document?.compliance.status;
      };
      expect(await status()).toBe('passing');
      const seq = await records.agents.lastSeq();
      await changeTo(records, { optedOut: true }, NOW + 2);
      expect(await status()).toBe('opted_out');
      const [change, ...others] = await records.agents.changes(seq, 9);
      expect(others).toEqual([]);
      expect(change).toMatchObject({ after: { compliance: { status: 'opted_out' } }, withheld: true });
      expect(JSON.stringify(await records.agents.changes(0, 9))).not.toMatch(/passing|media-buy/);
      // a process that read the facts before comes too late, and one that reads them now finds the same
      await records.agents.saveStitched([told], NOW + 3);
      expect(await status()).toBe('opted_out');
      await stitched(records);
      expect([await status(), await records.agents.lastSeq()]).toEqual(['opted_out', change?.seq]);
    });

    it('keep runs, badges and what became of them from every reader while the agent is opted out', async () => {
      const { records } = world();
      const { compliance, owners, agents } = records;
      await ownedAt(records, { [AGENT]: NOW });
      expect(await keepRun(records, NOW + 1, { ...SELLER, run_id: 'one' })).toBe('saved');
      const shown = async () => ({
        state: await compliance.state(AGENT),
        runs: (await compliance.lastRuns(AGENT, { limit: 9, includeHidden: true })).length,
        run: (await compliance.run(AGENT, 'one'))?.run_id,
        evidence: (await compliance.evidence(AGENT, 'one'))?.run_id,
        events: (await compliance.badgeEvents(AGENT, { limit: 9 })).length,
        standings: (await compliance.standings('', 9)).length,
        audit: (await owners.auditLog({ subject: AGENT, limit: 99 })).map(({ action }) => action),
      });
      const one = { runs: 1, run: 'one', evidence: 'one', standings: 1 };
      expect(await shown()).toMatchObject({ ...one, state: { standing: { status: 'passing' } } });
      await changeTo(records, { optedOut: true }, NOW + 2);
      expect(await agents.optedOutSince(NOW + 2)).toEqual([AGENT]);
      expect(await agents.optedOutSince(NOW + 3)).toEqual([]);
      const none = { runs: 0, run: undefined, evidence: undefined, events: 0, standings: 0 };
      const hidden = await shown();
      expect(hidden).toMatchObject({ ...none, state: { standing: NEVER_RUN, badges: [] } });
      expect(hidden.audit.filter((action) => action.startsWith('badge.'))).toEqual([]);
      expect(hidden.audit[0]).toBe('agent.settings');
      await changeTo(records, { optedOut: false }, NOW + 3);
      expect(await shown()).toMatchObject({ ...one, state: { standing: { status: 'passing' } } });
      expect(await agents.optedOutSince(0)).toEqual([]);
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
