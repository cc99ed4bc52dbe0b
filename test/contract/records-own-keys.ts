import { describe, expect, it } from 'vitest';
import type { ApiKeyStore } from '../../src/ports/members.ts';
import { HOUR, NOW, type RecordsWorld, sha256 } from './records-fixtures.ts';

const ACME = { slug: 'acme', displayName: 'Acme', foundingMember: false };
const BOLT = { slug: 'bolt', displayName: 'Bolt', foundingMember: false };
const keyOf = (member: string, name: string) => ({ id: `ark_${name}`, hash: sha256(name), member });

/** Keys that members make and revoke themselves. */
export function describeOwnKeys(world: () => RecordsWorld): void {
  describe('API keys that a member makes by one of its own', () => {
    const by = (name: string, member = 'acme') => ({ kind: 'key', keyId: `ark_${name}`, member }) as const;
    const wanted = (name: string, maker = '1') => ({
      ...{ id: `ark_${name}`, hash: sha256(name), actor: by(maker), most: 9 },
    });
    const withMaker = async (bounds: Partial<Parameters<ApiKeyStore['create']>[0]> = {}) => {
      const { records, harness } = world();
      await records.members.import([ACME, BOLT], NOW);
      await records.keys.create({ ...keyOf('acme', '1'), ...bounds }, NOW);
      return { ...records, harness };
    };

    it.each<[string, object, object, object]>([
      ['everything for ever', {}, {}, {}],
      ['less', {}, { scopes: ['read'], expiresAt: NOW + 9 }, { scopes: ['read'], expiresAt: NOW + 9 }],
      [
        'what its maker may, for as long',
        { scopes: ['keys', 'read'], expiresAt: NOW + HOUR },
        {},
        { scopes: ['keys', 'read'], expiresAt: NOW + HOUR },
      ],
      ['an end later than its maker', { expiresAt: NOW + 5 }, { expiresAt: NOW + 6 }, { expiresAt: NOW + 5 }],
      ['an earlier end', { expiresAt: NOW + 5 }, { expiresAt: NOW + 4 }, { expiresAt: NOW + 4 }],
    ])('may have %s, as far as their maker has it', async (_what, maker, wish, made) => {
      const { keys } = await withMaker(maker);
      const key = { id: 'ark_2', member: 'acme', createdAt: NOW, ...made };
      expect(await keys.createOwn({ ...wanted('2'), ...wish }, NOW)).toEqual({ ok: true, key });
      expect(await keys.find('ark_2')).toEqual({ ...key, hash: sha256('2') });
    });

    it('have no scope that their maker lacks', async () => {
      const { keys } = await withMaker({ scopes: ['keys', 'read'] });
      for (const scopes of [
        ['runs'],
        ['read', 'runs'],
        ['read', 'settings', 'credentials', 'runs', 'keys'],
      ] as const)
        expect(await keys.createOwn({ ...wanted('2'), scopes }, NOW)).toEqual({
          ok: false,
          reason: 'more_scopes',
        });
      expect(await keys.find('ark_2')).toBeUndefined();
    });

    it('are made and revoked by no key that is revoked, over, of another member or unknown', async () => {
      const { keys } = await withMaker({ expiresAt: NOW + HOUR });
      await keys.create(keyOf('acme', '3'), NOW);
      await keys.revoke('ark_3', NOW);
      await keys.create(keyOf('bolt', '4'), NOW);
      for (const [actor, now] of [
        [by('1'), NOW + HOUR],
        [by('3'), NOW],
        [by('4'), NOW],
        [by('9'), NOW],
      ] as const) {
        const made = await keys.createOwn({ ...wanted('2'), actor }, now);
        expect(made).toEqual({ ok: false, reason: 'key_revoked' });
        expect(await keys.revokeOwn('ark_1', actor, now)).toBe('key_revoked');
      }
      expect([await keys.find('ark_2'), (await keys.find('ark_1'))?.revokedAt]).toEqual([
        undefined,
        undefined,
      ]);
    });

    it('are so many at most that are valid, however many ask at once', async () => {
      const { keys, harness } = await withMaker();
      const other = await harness.open();
      const outcomes = await Promise.all(
        ['2', '3', '4', '5'].map((name, at) =>
          (at % 2 === 0 ? keys : other.keys).createOwn({ ...wanted(name), most: 3 }, NOW),
        ),
      );
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(2);
      expect(outcomes.filter(({ ok }) => !ok)).toEqual([1, 2].map(() => ({ ok: false, reason: 'too_many' })));
      const [one] = (await keys.list('acme')).filter(({ id }) => id !== 'ark_1');
      await keys.revokeOwn(one?.id ?? '', by('1'), NOW);
      expect(await keys.createOwn({ ...wanted('6'), most: 3 }, NOW)).toMatchObject({ ok: true });
      await other.close();
    });

    it('are made once when the answer to the first commit was lost, and name their maker in the audit log', async () => {
      const { keys, owners } = await withMaker();
      const made = await keys.createOwn({ ...wanted('2'), most: 2, label: 'build' }, NOW);
      expect(await keys.createOwn({ ...wanted('2'), most: 2, label: 'build' }, NOW + 1)).toEqual(made);
      await keys.revokeOwn('ark_2', by('1'), NOW + 2);
      await keys.revokeOwn('ark_2', by('1'), NOW + 3);
      expect(await owners.auditLog({ subject: 'ark_2', limit: 9 })).toMatchObject([
        { at: NOW + 2, actor: 'ark_1', action: 'key.revoke', details: { member: 'acme' } },
        { at: NOW, actor: 'ark_1', action: 'key.create', details: { member: 'acme', label: 'build' } },
      ]);
    });

    it('are revoked by their member only, and a key may revoke itself', async () => {
      const { keys } = await withMaker();
      await keys.create(keyOf('bolt', '4'), NOW);
      expect(await keys.revokeOwn('ark_4', by('1'), NOW)).toBeUndefined();
      expect(await keys.revokeOwn('ark_9', by('1'), NOW)).toBeUndefined();
      expect((await keys.find('ark_4'))?.revokedAt).toBeUndefined();
      const revoked = await keys.revokeOwn('ark_1', by('1'), NOW + 1);
      expect(revoked).toMatchObject({ id: 'ark_1', revokedAt: NOW + 1 });
      expect(await keys.revokeOwn('ark_1', by('1'), NOW + 2)).toEqual(revoked); // a commit whose answer was lost
    });

    it('are listed for their member: the valid ones, newest first, then the newest of the others', async () => {
      const { keys } = await withMaker();
      await keys.create(keyOf('bolt', '0'), NOW);
      await keys.create({ ...keyOf('acme', '2'), expiresAt: NOW + HOUR }, NOW + 1);
      for (const [at, name] of ['3', '4', '5'].entries()) {
        await keys.create(keyOf('acme', name), NOW + 2 + at);
        if (name !== '5') await keys.revoke(`ark_${name}`, NOW + 9);
      }
      const ids = async (over: number, now: number) =>
        (await keys.listOwn('acme', { over }, now)).map(({ id }) => id);
      expect(await ids(9, NOW + 10)).toEqual(['ark_5', 'ark_2', 'ark_1', 'ark_4', 'ark_3']);
      expect(await ids(2, NOW + HOUR)).toEqual(['ark_5', 'ark_1', 'ark_4', 'ark_3']);
    });
  });
}
