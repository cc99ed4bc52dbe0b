import { describe, expect, it } from 'vitest';
import type { Actor } from '../../src/domain/actor.ts';
import { runNowWait } from '../../src/domain/standing.ts';
import type { Records } from '../../src/ports/records.ts';
import type { RunLease } from '../../src/records/runs/run-leases.ts';
import type { RunRequest } from '../../src/records/runs/run-schedule.ts';
import { AGENT, keepRun, owned, SELLER } from './compliance-fixtures.ts';
import { HOUR, LEASE, NOW, type RecordsWorld, sha256 } from './records-fixtures.ts';
import { own, registered } from './records-owners.ts';

const MINUTE = 60_000;
const OPERATOR: Actor = { kind: 'operator' };
const WANTED: RunRequest = { agent: AGENT, runId: 'one', trigger: 'owner_test', actor: OPERATOR };

const ask = ({ runs }: Records, over: Partial<RunRequest> = {}, now = NOW) =>
  runs.request({ ...WANTED, ...over }, ({ standing }) => runNowWait(standing, now), now);

/** An owned agent that was tested half an hour ago: the clock does not want it. */
async function tested(records: Records): Promise<void> {
  await owned(records);
  await keepRun(records, NOW - HOUR / 2);
}

/** Runs that somebody has asked for. */
export function describeAskedRuns(world: () => RecordsWorld): void {
  describe('a run that was asked for', () => {
    it('is queued, is taken under the id that was promised, and is over once it is kept', async () => {
      const { records } = world();
      await tested(records);
      const { runs } = records;
      expect(await runs.requested(AGENT)).toBeUndefined();
      const asked = { agent: AGENT, runId: 'one', trigger: 'owner_test', askedAt: NOW, state: 'queued' };
      expect(await ask(records)).toEqual({ ok: true, asked, isNew: true });
      expect(await runs.requested(AGENT)).toEqual(asked);
      expect(await runs.countDue(NOW)).toEqual({ due: 0, asked: 1 });
      const [work] = await runs.takeDue(9, NOW, LEASE, 'me');
      expect(work).toMatchObject({ key: AGENT, dueAt: NOW, asked: { runId: 'one', trigger: 'owner_test' } });
      expect(await runs.requested(AGENT)).toEqual({ ...asked, state: 'running' });
      expect(await runs.heldBy(AGENT, NOW + 1)).toEqual({ holder: 'me', until: NOW + LEASE });
      expect(await runs.heldBy(AGENT, NOW + LEASE)).toBeUndefined();
      expect(await runs.countDue(NOW)).toEqual({ due: 0, asked: 0 });
      if (work === undefined) return;
      expect(await keepRun(records, NOW, { ...SELLER, run_id: 'one' }, { lease: work.lease })).toBe('saved');
      expect(await runs.requested(AGENT)).toBeUndefined();
    });

    it('is wanted again when whoever made it came to nothing', async () => {
      const { records } = world();
      await tested(records);
      await ask(records);
      const [work] = await records.runs.takeDue(9, NOW, LEASE, 'me');
      await records.runs.release(work === undefined ? [] : [work.lease]);
      expect(await records.runs.requested(AGENT)).toMatchObject({ runId: 'one', state: 'queued' });
      await records.runs.takeDue(9, NOW, LEASE, 'me');
      const [again] = await records.runs.takeKeys([AGENT], NOW + LEASE, LEASE, 'me');
      expect(again).toMatchObject({ asked: { runId: 'one' } });
    });

    it('tells how far it is, under its lease, until it is over', async () => {
      const { records } = world();
      await tested(records);
      const { runs } = records;
      const soFar = {
        ...{ storyboards: 2, steps: 5 },
        begun: [{ id: 'a', title: 'A', steps: [{ title: 'S', result: 'pass', duration_ms: 1.5 }] }],
      } as const;
      await ask(records);
      const [first] = await runs.takeDue(9, NOW, LEASE, 'me');
      if (first === undefined) throw new Error('nothing was taken');
      await runs.reportProgress({ ...first.lease, fence: first.lease.fence - 1 }, soFar);
      expect(await runs.requested(AGENT)).not.toHaveProperty('soFar');
      await runs.reportProgress(first.lease, soFar);
      expect(await runs.requested(AGENT)).toMatchObject({ state: 'running', soFar });
      await runs.release([first.lease]);
      await runs.reportProgress(first.lease, soFar);
      expect(await runs.requested(AGENT)).not.toHaveProperty('soFar');
      const [again] = await runs.takeDue(9, NOW, LEASE, 'me');
      if (again === undefined) throw new Error('nothing was taken');
      expect(await runs.requested(AGENT)).not.toHaveProperty('soFar');
      await runs.reportProgress(again.lease, soFar);
      await keepRun(records, NOW, { ...SELLER, run_id: 'one' }, { lease: again.lease });
      await runs.reportProgress(again.lease, soFar);
      await ask(records, { runId: 'two' }, NOW + HOUR);
      await runs.takeDue(9, NOW + HOUR, LEASE, 'me');
      expect(await runs.requested(AGENT)).toMatchObject({ runId: 'two', state: 'running' });
      expect(await runs.requested(AGENT)).not.toHaveProperty('soFar');
    });

    it('tells nothing of a run that the clock wanted', async () => {
      const { records } = world();
      await owned(records);
      const [work] = await records.runs.takeDue(9, NOW, LEASE, 'me');
      if (work === undefined) throw new Error('nothing was taken');
      await ask(records);
      await records.runs.reportProgress(work.lease, { storyboards: 1, steps: 1, begun: [] });
      expect(await records.runs.requested(AGENT)).not.toHaveProperty('soFar');
    });

    it('is not ended by another run that was under way', async () => {
      const { records } = world();
      await owned(records);
      const [byClock] = await records.runs.takeDue(9, NOW, LEASE, 'me');
      expect(byClock).not.toHaveProperty('asked');
      await ask(records);
      expect(await records.runs.requested(AGENT)).toMatchObject({ state: 'queued' });
      await keepRun(records, NOW + 1, SELLER, byClock && { lease: byClock.lease });
      expect(await records.runs.takeDue(9, NOW + 1, LEASE, 'me')).toMatchObject([
        { asked: { runId: 'one' } },
      ]);
    });

    it('is the same for all who ask while it is open', async () => {
      const { records, harness } = world();
      await tested(records);
      const other = await harness.open();
      const ids = ['one', 'two', 'three', 'four'];
      const asked = await Promise.all(
        ids.map((runId, n) => ask(n % 2 === 0 ? records : other, { runId, trigger: 'webhook' })),
      );
      const given = asked.flatMap((one) => (one.ok ? [one] : []));
      expect(given).toHaveLength(4);
      expect(new Set(given.map((one) => one.asked.runId)).size).toBe(1);
      expect(given.filter(({ isNew }) => isNew)).toHaveLength(1);
      const entries = await records.owners.auditLog({ subject: AGENT, limit: 99 });
      expect(entries.filter(({ action }) => action === 'run.ask')).toHaveLength(1);
      await other.close();
    });

    it('of one storyboard is that, and is not given to who asks for another or for all', async () => {
      const { records } = world();
      await tested(records);
      const { runs } = records;
      const storyboard = 'capability_discovery';
      const asked = { agent: AGENT, runId: 'one', trigger: 'owner_test', askedAt: NOW, storyboard };
      expect(await ask(records, { storyboard })).toEqual({
        ...{ ok: true, asked: { ...asked, state: 'queued' }, isNew: true },
      });
      const refused = { ok: false, reason: 'other_open', asked: { ...asked, state: 'queued' } };
      expect(await ask(records, { runId: 'two' })).toEqual(refused);
      expect(await ask(records, { runId: 'two', storyboard: 'another' })).toEqual(refused);
      expect(await ask(records, { runId: 'two', storyboard })).toMatchObject({ ok: true, isNew: false });
      const [work] = await runs.takeDue(9, NOW, LEASE, 'me');
      expect(work?.asked).toEqual({ runId: 'one', trigger: 'owner_test', storyboard });
      const [entry] = await records.owners.auditLog({ subject: AGENT, limit: 1 });
      expect(entry?.details).toMatchObject({ run_id: 'one', storyboard });
      await keepRun(records, NOW, { run_id: 'one', partial: true }, { lease: work?.lease as RunLease });
      await ask(records, { runId: 'three' }, NOW + HOUR);
      expect(await runs.requested(AGENT)).not.toHaveProperty('storyboard');
      expect(await ask(records, { runId: 'four', storyboard }, NOW + HOUR)).toMatchObject({
        ...{ ok: false, reason: 'other_open', asked: { runId: 'three' } },
      });
    });

    it('with a target keeps it, and is not given to a caller who asks for another target or for none', async () => {
      const { records } = world();
      await tested(records);
      const { runs } = records;
      const asked = { agent: AGENT, runId: 'one', trigger: 'owner_test', askedAt: NOW, target: '3.1-beta' };
      expect(await ask(records, { target: '3.1-beta' })).toEqual({
        ...{ ok: true, asked: { ...asked, state: 'queued' }, isNew: true },
      });
      const refused = { ok: false, reason: 'other_open', asked: { ...asked, state: 'queued' } };
      expect(await ask(records, { runId: 'two' })).toEqual(refused);
      expect(await ask(records, { runId: 'two', target: '3.0' })).toEqual(refused);
      expect(await ask(records, { runId: 'two', target: '3.1-beta' })).toMatchObject({ isNew: false });
      const [work] = await runs.takeDue(9, NOW, LEASE, 'me');
      expect(work?.asked).toEqual({ runId: 'one', trigger: 'owner_test', target: '3.1-beta' });
      const [entry] = await records.owners.auditLog({ subject: AGENT, limit: 1 });
      expect(entry?.details).toMatchObject({ run_id: 'one', target: '3.1-beta' });
      await keepRun(records, NOW, { run_id: 'one' }, { lease: work?.lease as RunLease });
      await ask(records, { runId: 'three' }, NOW + HOUR);
      expect(await runs.requested(AGENT)).not.toHaveProperty('target');
    });

    it('is made although the owner has paused the clock, or develops the agent', async () => {
      const { records } = world();
      await owned(records);
      const change = { monitoringPaused: true, lifecycleStage: 'development' } as const;
      await records.owners.changeSettings({ agent: AGENT, change, actor: OPERATOR }, NOW);
      await ask(records);
      expect(await records.runs.due(9, NOW)).toMatchObject([{ key: AGENT }]);
      expect(await records.runs.takeDue(9, NOW, LEASE, 'me')).toMatchObject([{ asked: { runId: 'one' } }]);
    });

    it('has to wait until ten minutes after the last one', async () => {
      const { records } = world();
      await owned(records);
      await keepRun(records, NOW);
      expect(await ask(records, {}, NOW + MINUTE)).toEqual({
        ...{ ok: false, reason: 'cooldown', waitMs: 9 * MINUTE },
      });
      expect(await records.runs.requested(AGENT)).toBeUndefined();
      expect(await ask(records, {}, NOW + 10 * MINUTE)).toMatchObject({ ok: true });
    });

    it('leaves an audit record of who asked for whom', async () => {
      const { records } = world();
      await tested(records);
      await records.keys.create({ id: 'ark_1', hash: sha256('1'), member: 'acme' }, NOW);
      const asked: readonly [Actor, string][] = [
        [{ kind: 'operator', member: 'acme' }, 'operator'],
        [{ kind: 'key', keyId: 'ark_1', member: 'acme' }, 'ark_1'],
        [{ kind: 'signature', keyId: 'kid-7' }, 'signature:kid-7'],
      ];
      for (const [n, [actor, name]] of asked.entries()) {
        const at = NOW + n * HOUR;
        expect(await ask(records, { actor, runId: name, trigger: 'webhook' }, at)).toMatchObject({
          isNew: true,
        });
        const [entry] = await records.owners.auditLog({ subject: AGENT, limit: 1 });
        expect(entry).toMatchObject({ at, actor: name, action: 'run.ask', subject: AGENT });
        expect(entry?.details).toEqual({ run_id: name, trigger: 'webhook', member: 'acme' });
        await keepRun(records, at, { run_id: name });
      }
    });

    it.each<[string, string, Partial<RunRequest>, (records: Records) => Promise<unknown>]>([
      ['never heard of', 'unknown_agent', { agent: 'https://nobody.example/' }, owned],
      ['that nobody has proven to own', 'not_owned', {}, registered],
      ['of somebody else', 'not_owner', { actor: { kind: 'operator', member: 'bolt' } }, owned],
      [
        'of somebody else, with a key',
        'not_owner',
        { actor: { kind: 'key', keyId: 'ark_bolt', member: 'bolt' } },
        owned,
      ],
      [
        'with a revoked key',
        'key_revoked',
        { actor: { kind: 'key', keyId: 'ark_gone', member: 'acme' } },
        owned,
      ],
      [
        'whose owner has opted out',
        'opted_out',
        {},
        async (records) => {
          await owned(records);
          await records.owners.changeSettings(
            { agent: AGENT, change: { optedOut: true }, actor: OPERATOR },
            NOW,
          );
        },
      ],
    ])('is not made of an agent %s', async (_what, reason, over, arrange) => {
      const { records } = world();
      await arrange(records);
      await records.keys.create({ id: 'ark_bolt', hash: sha256('b'), member: 'bolt' }, NOW);
      await records.keys.create({ id: 'ark_gone', hash: sha256('g'), member: 'acme' }, NOW);
      await records.keys.revoke('ark_gone', NOW);
      const entries = await records.owners.auditLog({ limit: 99 });
      expect(await ask(records, over)).toEqual({ ok: false, reason });
      expect(await records.runs.requested(AGENT)).toBeUndefined();
      expect(await records.owners.auditLog({ limit: 99 })).toEqual(entries);
    });

    it.each<[string, (records: Records) => Promise<unknown>]>([
      [
        'opts out',
        async ({ owners }) => {
          for (const optedOut of [true, false])
            await owners.changeSettings({ agent: AGENT, change: { optedOut }, actor: OPERATOR }, NOW);
        },
      ],
      ['gives the agent up', ({ owners }) => owners.disown(AGENT, 'acme', NOW)],
      ['unregisters it', ({ owners }) => owners.unregister(AGENT, 'acme', NOW)],
      ['loses it to another', (records) => own(records, 'bolt', NOW)],
    ])('is wanted no more when the owner %s', async (_what, change) => {
      const { records } = world();
      await tested(records);
      await ask(records);
      await change(records);
      expect(await records.runs.requested(AGENT)).toBeUndefined();
      expect(await records.runs.countDue(NOW)).toMatchObject({ asked: 0 });
    });

    it('stays when the owner proves control once more', async () => {
      const { records } = world();
      await tested(records);
      await ask(records);
      await own(records, 'acme', NOW + 1);
      expect(await records.runs.requested(AGENT)).toMatchObject({ runId: 'one' });
    });
  });
}
