import { describe, expect, it } from 'vitest';
import { newApiKey, newMemberId } from '../../src/owners/secrets.ts';
import { NOW, type RecordsWorld } from './records-fixtures.ts';

const DAY = 86_400_000;
const NOVA = { slug: 'nova', displayName: 'Nova Media' };

/** How somebody becomes a member by a secret that is good once. */
export function describeInvitations(world: () => RecordsWorld): void {
  describe('an invitation', () => {
    const named = (slug: string) => ({ id: newMemberId(), slug, displayName: slug });
    const freshKey = () => {
      const { id, hash } = newApiKey();
      return { id, hash, label: 'first' };
    };

    it('makes one member, whoever comes with it first', async () => {
      const { members, keys } = world().records;
      await members.invite({ hash: 'one', expiresAt: NOW + DAY }, NOW);
      await members.invite({ hash: 'one', expiresAt: NOW + DAY }, NOW); // repeated, because the answer to the commit was lost
      expect(await members.join({ hash: 'one', key: freshKey(), wanted: undefined }, NOW)).toBe(
        'name_needed',
      );
      const slugs = ['joined-nova', 'joined-orbit', 'joined-pulse'];
      const came = await Promise.all(
        slugs.map((slug) => members.join({ hash: 'one', key: freshKey(), wanted: named(slug) }, NOW)),
      );
      const [made, ...others] = came.filter((one) => one !== 'no_invitation');
      expect([made, others]).toMatchObject([{ member: expect.any(String), label: 'first' }, []]);
      expect((await members.list()).map(({ slug }) => slug)).toEqual([(made as { member: string }).member]);
      expect(await keys.list()).toHaveLength(1);
    });

    it('takes no slug that a member has, and stays good', async () => {
      const { members } = world().records;
      await members.invite({ hash: 'one', expiresAt: NOW + DAY }, NOW);
      await members.invite({ hash: 'two', expiresAt: NOW + DAY }, NOW);
      const first = named('joined-nova');
      await members.join({ hash: 'one', key: freshKey(), wanted: first }, NOW);
      const join = (slug: string) => members.join({ hash: 'two', key: freshKey(), wanted: named(slug) }, NOW);
      expect(await join('joined-nova')).toBe('slug_taken');
      expect(await members.get('joined-nova')).toMatchObject({ id: first.id, displayName: 'joined-nova' });
      expect(await join('joined-orbit')).toMatchObject({ member: 'joined-orbit' });
    });

    it('makes no member outside the namespace of those that join, and never becomes one of the operator', async () => {
      const { members, keys } = world().records;
      await members.import([{ ...NOVA, foundingMember: true, tier: 'leader' }], NOW);
      await members.invite({ hash: 'one', expiresAt: NOW + DAY }, NOW);
      const join = (slug: string) => members.join({ hash: 'one', key: freshKey(), wanted: named(slug) }, NOW);
      await expect(join('nova')).rejects.toThrow();
      await expect(join('free')).rejects.toThrow();
      expect(await keys.list()).toEqual([]);
      expect(await join('joined-nova')).toMatchObject({ member: 'joined-nova' });
      expect(await members.get('nova')).toEqual({ ...NOVA, foundingMember: true, tier: 'leader' });
    });

    it('to a member ends with the member', async () => {
      const { members } = world().records;
      await members.invite({ hash: 'one', expiresAt: NOW + DAY }, NOW);
      await members.join({ hash: 'one', key: freshKey(), wanted: named('joined-nova') }, NOW);
      await members.invite({ hash: 'old', member: 'joined-nova', expiresAt: NOW + DAY }, NOW);
      await members.remove('joined-nova', NOW + 1);
      const late = await members.join({ hash: 'old', key: freshKey(), wanted: undefined }, NOW + 3);
      expect(late).toBe('no_invitation');
    });

    it('takes no slug of a member that was removed, with its site and its place in the audit log, and stays good', async () => {
      const { members, keys, owners } = world().records;
      const joined = { key: freshKey(), wanted: named('joined-nova'), domain: 'nova.example' };
      await members.join({ hash: 'domain', ...joined }, NOW);
      await members.remove('joined-nova', NOW + 1);
      await members.invite({ hash: 'one', expiresAt: NOW + DAY }, NOW);
      const join = (slug: string) => members.join({ hash: 'one', key: freshKey(), wanted: named(slug) }, NOW);
      expect(await join('joined-nova')).toBe('slug_taken');
      expect(await keys.list()).toEqual([]);
      expect(await join('joined-orbit')).toMatchObject({ member: 'joined-orbit' });
      const site = { site: 'nova.example', joinHash: 'domain' };
      expect(await owners.ownsSite('joined-orbit', site)).toBe(false);
    });

    it('of a domain that was proven makes one member, whoever proves it again, and stays good while a name is taken', async () => {
      const { members, owners } = world().records;
      await members.invite({ hash: 'one', expiresAt: NOW + DAY }, NOW);
      await members.join({ hash: 'one', key: freshKey(), wanted: named('joined-nova') }, NOW);
      const join = (slug: string, now: number) =>
        members.join(
          { hash: 'of news.example', domain: 'news.example', key: freshKey(), wanted: named(slug) },
          now,
        );
      expect(await join('joined-nova', NOW)).toBe('slug_taken');
      const slugs = ['joined-orbit', 'joined-pulse'];
      const came = await Promise.all(slugs.map((slug) => join(slug, NOW + DAY)));
      const [made] = came.filter((one) => typeof one === 'object');
      expect(came.filter((one) => one === 'domain_taken')).toHaveLength(1);
      expect(await join('joined-later', NOW + 400 * DAY)).toBe('domain_taken');
      const { member = '' } = made ?? {};
      expect((await members.list()).map(({ slug }) => slug).sort()).toEqual(['joined-nova', member].sort());
      const [joined] = await owners.auditLog({ subject: member, limit: 5 });
      expect(joined).toMatchObject({ action: 'member.join', details: { domain: 'news.example' } });
    });

    it('of a member gives a key of it, whatever name comes with it, and none after its end', async () => {
      const { members } = world().records;
      await members.import([{ ...NOVA, foundingMember: false }], NOW);
      for (const hash of ['one', 'two'])
        await members.invite({ hash, member: 'nova', expiresAt: NOW + DAY }, NOW);
      const wanted = named('joined-orbit');
      expect(await members.join({ hash: 'one', key: freshKey(), wanted }, NOW)).toMatchObject({
        member: 'nova',
      });
      expect(await members.get('joined-orbit')).toBeUndefined();
      expect(await members.join({ hash: 'two', key: freshKey(), wanted }, NOW + DAY)).toBe('no_invitation');
      await expect(members.invite({ hash: 'x', member: 'nobody', expiresAt: NOW }, NOW)).rejects.toThrow(
        /no member/,
      );
    });
  });
}
