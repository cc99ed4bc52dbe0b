import { describe, expect, it } from 'vitest';
import { newApiKey } from '../../src/owners/secrets.ts';
import { NOW, type RecordsWorld } from './records-fixtures.ts';

const DAY = 86_400_000;
const NOVA = { slug: 'nova', displayName: 'Nova Media' };

/** How somebody becomes a member by a secret that is good once. */
export function describeInvitations(world: () => RecordsWorld): void {
  describe('an invitation', () => {
    const freshKey = () => {
      const { id, hash } = newApiKey();
      return { id, hash, label: 'first' };
    };

    it('makes one member, whoever comes with it first', async () => {
      const { members, keys } = world().records;
      await members.invite({ hash: 'one', expiresAt: NOW + DAY }, NOW);
      expect(await members.join({ hash: 'one', key: freshKey(), wanted: undefined }, NOW)).toBe(
        'name_needed',
      );
      const names = ['nova', 'orbit', 'pulse'];
      const came = await Promise.all(
        names.map((slug) =>
          members.join({ hash: 'one', key: freshKey(), wanted: { slug, displayName: slug } }, NOW),
        ),
      );
      const [made, ...others] = came.filter((one) => one !== 'no_invitation');
      expect([made, others]).toMatchObject([{ member: expect.any(String), label: 'first' }, []]);
      expect((await members.list()).map(({ slug }) => slug)).toEqual([(made as { member: string }).member]);
      expect(await keys.list()).toHaveLength(1);
    });

    it('takes no name that a member has, and stays good', async () => {
      const { members } = world().records;
      await members.import([{ ...NOVA, foundingMember: true }], NOW);
      await members.invite({ hash: 'one', expiresAt: NOW + DAY }, NOW);
      const other = { slug: 'nova', displayName: 'Somebody else' };
      expect(await members.join({ hash: 'one', key: freshKey(), wanted: other }, NOW)).toBe('slug_taken');
      expect(await members.get('nova')).toMatchObject({ displayName: 'Nova Media', foundingMember: true });
      const free = { slug: 'orbit', displayName: 'Orbit' };
      expect(await members.join({ hash: 'one', key: freshKey(), wanted: free }, NOW)).toMatchObject({
        member: 'orbit',
      });
    });

    it('of a domain that was proven makes one member, whoever proves it again, and stays good while a name is taken', async () => {
      const { members, owners } = world().records;
      await members.import([{ ...NOVA, foundingMember: false }], NOW);
      const join = (slug: string, now: number) =>
        members.join(
          {
            hash: 'of news.example',
            domain: 'news.example',
            key: freshKey(),
            wanted: { slug, displayName: slug },
          },
          now,
        );
      expect(await join('nova', NOW)).toBe('slug_taken');
      const came = await Promise.all(['orbit', 'pulse'].map((slug) => join(slug, NOW + DAY)));
      const [made] = came.filter((one) => typeof one === 'object');
      expect(came.filter((one) => one === 'domain_taken')).toHaveLength(1);
      expect(await join('later', NOW + 400 * DAY)).toBe('domain_taken');
      const { member = '' } = made ?? {};
      expect((await members.list()).map(({ slug }) => slug).sort()).toEqual(['nova', member].sort());
      const [joined] = await owners.auditLog({ subject: member, limit: 5 });
      expect(joined).toMatchObject({ action: 'member.join', details: { domain: 'news.example' } });
    });

    it('of a member gives a key of it, whatever name comes with it, and none after its end', async () => {
      const { members } = world().records;
      await members.import([{ ...NOVA, foundingMember: false }], NOW);
      for (const hash of ['one', 'two'])
        await members.invite({ hash, member: 'nova', expiresAt: NOW + DAY }, NOW);
      const wanted = { slug: 'orbit', displayName: 'Orbit' };
      expect(await members.join({ hash: 'one', key: freshKey(), wanted }, NOW)).toMatchObject({
        member: 'nova',
      });
      expect(await members.get('orbit')).toBeUndefined();
      expect(await members.join({ hash: 'two', key: freshKey(), wanted }, NOW + DAY)).toBe('no_invitation');
      await expect(members.invite({ hash: 'x', member: 'nobody', expiresAt: NOW }, NOW)).rejects.toThrow(
        /no member/,
      );
    });
  });
}
