import { describe, expect, it } from 'vitest';
import type { Records } from '../../src/ports/records.ts';
import { fail } from '../webhooks/support.ts';
import { NOW, type RecordsWorld, sha256 } from './records-fixtures.ts';

const by = (name: string, member = 'acme') => ({ kind: 'key', keyId: `ark_${name}`, member }) as const;
const PLACE = { agents: 3, edges: 2 };

/** Who is woken when the feed goes on. */
export function describeSubscriptions(world: () => RecordsWorld): void {
  describe('subscriptions to the feed', () => {
    const wanted = (id: string, actor = by('1')) => ({
      ...{ id, url: 'https://hooks.example/x', types: '*', place: PLACE, actor, most: 2 },
    });
    /** The only one, after its receiver has agreed. */
    const agreed = async (subscriptions: Records['subscriptions']) => {
      const [one] = await subscriptions.active();
      if (one === undefined) throw new Error('none');
      const { since: _since, dueAt: _due, ...rest } = one;
      const [kept] = await subscriptions.keep([{ ...rest, verifiedAt: NOW }]);
      return kept ?? fail('it was written meanwhile');
    };
    const withKeys = async () => {
      const { records } = world();
      for (const slug of ['acme', 'bolt'])
        await records.members.import([{ slug, displayName: slug, foundingMember: false }], NOW);
      await records.keys.create({ id: 'ark_1', hash: sha256('1'), member: 'acme' }, NOW);
      await records.keys.create({ id: 'ark_2', hash: sha256('2'), member: 'bolt' }, NOW);
      return records;
    };

    it('are made, listed and removed by their member alone, a bounded number, each deed in the audit log', async () => {
      const { subscriptions, owners } = await withKeys();
      const made = await subscriptions.create(wanted('s1'), NOW);
      const url = 'https://hooks.example/x';
      const plain = { id: 's1', member: 'acme', url, types: '*', place: PLACE, createdAt: NOW };
      const subscription = { ...plain, since: NOW, dueAt: NOW, attempts: 0, refusals: 0, fence: 0 };
      expect(made).toEqual({ ok: true, subscription });
      expect(await subscriptions.create(wanted('s2'), NOW + 1)).toMatchObject({ ok: true });
      expect(await subscriptions.create(wanted('s3'), NOW)).toEqual({ ok: false, reason: 'too_many' });
      expect(await subscriptions.create(wanted('s3', by('9')), NOW)).toMatchObject({ reason: 'key_revoked' });
      expect((await subscriptions.list('acme')).map(({ id }) => id)).toEqual(['s1', 's2']);
      expect(await subscriptions.list('bolt')).toEqual([]);
      expect(await subscriptions.remove('s1', by('2', 'bolt'), NOW)).toBeUndefined();
      expect(await subscriptions.remove('s1', by('2'), NOW)).toBe('key_revoked');
      expect(await subscriptions.remove('s1', by('1'), NOW + 2)).toEqual(subscription);
      const [removed, created, ...more] = await owners.auditLog({ subject: 's1', limit: 9 });
      expect(more).toEqual([]);
      expect(removed).toMatchObject({ at: NOW + 2, actor: 'ark_1', action: 'subscription.remove' });
      expect(created).toMatchObject({
        ...{ at: NOW, actor: 'ark_1', action: 'subscription.create' },
        details: { member: 'acme', url: 'https://hooks.example/x', types: '*' },
      });
    });

    it('keep how far they are for whoever read them last, die, and are revived where they stand for a receiver that agrees again', async () => {
      const { subscriptions } = await withKeys();
      await subscriptions.create(wanted('s1'), NOW);
      const [one] = await subscriptions.active();
      if (one === undefined) throw new Error('none');
      const due = {
        firstChangeAt: NOW + 1,
        since: NOW + 2,
        dueAt: NOW + 3,
        verifiedAt: NOW,
        deliveredAt: NOW,
      };
      const dead = { ...one, ...due, attempts: 24, refusals: 2, lastError: 'gone', deadAt: NOW + 4 };
      const kept = { ...dead, fence: one.fence + 1 };
      expect(await subscriptions.keep([dead])).toEqual([kept]);
      expect(await subscriptions.keep([{ ...one, attempts: 9 }])).toEqual([]);
      expect(await subscriptions.list('acme')).toEqual([kept]);
      expect(await subscriptions.active()).toEqual([]);
      expect(await subscriptions.revive('s1', by('2', 'bolt'), NOW)).toBeUndefined();
      const tries = { since: NOW + 5, dueAt: NOW + 5 };
      const alive = { ...one, ...tries, deliveredAt: NOW, lastError: 'gone', fence: kept.fence + 1 };
      expect(await subscriptions.revive('s1', by('1'), NOW + 5)).toEqual(alive);
      expect(await subscriptions.revive('s1', by('1'), NOW + 6)).toEqual(alive);
      expect(await subscriptions.active()).toEqual([alive]);
    });

    it('are tested by their member: told soon with all tries, seldom enough, and not when dead', async () => {
      const { subscriptions, owners } = await withKeys();
      await subscriptions.create(wanted('s1'), NOW);
      const test = (now: number, actor = by('1')) => subscriptions.test('s1', actor, now);
      expect(await test(NOW, by('2', 'bolt'))).toBeUndefined();
      expect(await test(NOW, by('2'))).toBe('key_revoked');
      const one = await agreed(subscriptions);
      const asked = { ...one, firstChangeAt: NOW, since: NOW, dueAt: NOW, fence: 2 };
      expect(await test(NOW)).toEqual(asked);
      expect(await test(NOW + 9_999)).toEqual(asked);
      // a receiver that has failed for long gets it at once
      const failing = { ...asked, attempts: 23, refusals: 5, dueAt: NOW + 90_000, lastError: 'x' };
      await subscriptions.keep([failing]);
      const later = NOW + 10_000;
      const anew = { ...failing, attempts: 0, refusals: 0, since: later, dueAt: later, fence: 4 };
      expect(await test(later)).toEqual(anew);
      // one that was just told waits
      await subscriptions.keep([{ ...one, deliveredAt: later, fence: 4 }]);
      expect(await test(later + 1)).toMatchObject({ dueAt: later + 10_000, since: later + 1 });
      const dead = { ...one, deadAt: later, fence: 6 };
      await subscriptions.keep([dead]);
      expect(await test(later + 60_000)).toEqual({ ...dead, fence: 7 });
      const log = await owners.auditLog({ subject: 's1', limit: 9 });
      expect(log.map(({ action }) => action.split('.')[1])).toEqual(['test', 'test', 'test', 'create']);
    });

    it('have their receiver asked again when they are tested before it agreed, with the tries that are left', async () => {
      const { subscriptions } = await withKeys();
      await subscriptions.create(wanted('s1'), NOW);
      const [one] = await subscriptions.active();
      if (one === undefined) throw new Error('none');
      await subscriptions.keep([{ ...one, attempts: 5, dueAt: NOW + 600_000, lastError: 'no' }]);
      const later = NOW + 10_000;
      const asked = { ...one, attempts: 5, since: later, dueAt: later, lastError: 'no', fence: 2 };
      expect(await subscriptions.test('s1', by('1'), later)).toEqual(asked);
      expect(await subscriptions.test('s1', by('1'), later + 9_999)).toEqual(asked);
    });

    it('are counted by what they have to tell, with the change that waits longest', async () => {
      const { subscriptions } = await withKeys();
      expect(await subscriptions.levels()).toEqual({ unverified: 0, pending: 0, quiet: 0, dead: 0 });
      for (const id of ['s1', 's2', 's3', 's4', 's5'])
        await subscriptions.create({ ...wanted(id), most: 9 }, NOW);
      const due = { since: NOW + 9, dueAt: NOW + 9 };
      const changes = [{}, { ...due, firstChangeAt: NOW + 7 }, { ...due, firstChangeAt: NOW + 5 }];
      const progress = [...changes, { firstChangeAt: NOW, deadAt: NOW + 9 }];
      const all = (await subscriptions.active()).slice(0, 4);
      await subscriptions.keep(
        all.map(({ dueAt: _, ...one }, place) => ({ ...one, verifiedAt: NOW, ...progress[place] })),
      );
      const counts = { unverified: 1, pending: 2, quiet: 1, dead: 1 };
      expect(await subscriptions.levels()).toEqual({ ...counts, oldestAt: NOW + 5 });
    });

    it('outlive the keys of their member, and go with the member', async () => {
      const { subscriptions, keys, members } = await withKeys();
      await subscriptions.create(wanted('s1'), NOW);
      await keys.revoke('ark_1', NOW);
      expect(await subscriptions.active()).toHaveLength(1);
      await members.remove('acme', NOW);
      expect(await subscriptions.active()).toEqual([]);
    });
  });
}
