import { describe, expect, it } from 'vitest';
import type { ApiKeyStore } from '../../src/records/owners/keys.ts';
import { HOUR, NOW, type RecordsWorld, sha256 } from './records-fixtures.ts';

const ACME = { slug: 'acme', displayName: 'Acme', foundingMember: false };
const BOLT = { slug: 'bolt', displayName: 'Bolt', foundingMember: false };
const keyOf = (member: string, name: string) => ({ id: `ark_${name}`, hash: sha256(name), member });

/** Keys that members make and revoke themselves. */
export function describeOwnKeys(world: () => RecordsWorld): void {
  describe('API keys that a member makes by one of its own', () => {
    const by = (name: string, member = 'acme') => ({ kind: 'key', keyId: `ark_${name}`, member }) as const;
    const wanted = (name: string, maker = '1') => ({
      ...{ id: `ark_${name}`, hash: sha256(name), actor: by(maker), max: 9 },
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
      const key = { id: 'ark_2', member: 'acme', createdAt: NOW, madeBy: 'ark_1', ...made };
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
          (at % 2 === 0 ? keys : other.keys).createOwn({ ...wanted(name), max: 3 }, NOW),
        ),
      );
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(2);
      expect(outcomes.filter(({ ok }) => !ok)).toEqual([1, 2].map(() => ({ ok: false, reason: 'too_many' })));
      const [one] = (await keys.list('acme')).filter(({ id }) => id !== 'ark_1');
      await keys.revokeOwn(one?.id ?? '', by('1'), NOW);
      expect(await keys.createOwn({ ...wanted('6'), max: 3 }, NOW)).toMatchObject({ ok: true });
      await other.close();
    });

    it('name their maker in the audit log', async () => {
      const { keys, owners } = await withMaker();
      await keys.createOwn({ ...wanted('2'), max: 2, label: 'build' }, NOW);
      await keys.revokeOwn('ark_2', by('1'), NOW + 2);
      await keys.revokeOwn('ark_2', by('1'), NOW + 3);
      expect(await owners.auditLog({ subject: 'ark_2', limit: 9 })).toMatchObject([
        { at: NOW + 2, actor: 'ark_1', action: 'key.revoke', details: { member: 'acme' } },
        { at: NOW, actor: 'ark_1', action: 'key.create', details: { member: 'acme', label: 'build' } },
      ]);
    });

    it('are revoked with the keys that they made, directly or not, and each audit record names the cause', async () => {
      const { keys, owners } = await withMaker();
      await keys.createOwn(wanted('2', '1'), NOW);
      await keys.createOwn(wanted('3', '2'), NOW + 1);
      await keys.createOwn(wanted('4', '3'), NOW + 2);
      await keys.createOwn(wanted('5', '1'), NOW + 3);
      await keys.revokeOwn('ark_4', by('1'), NOW + 5);
      expect(await keys.revokeOwn('ark_2', by('1'), NOW + 9)).toMatchObject({
        ...{ id: 'ark_2', revokedAt: NOW + 9, alsoRevoked: ['ark_3'] },
      });
      const revoked = (await keys.list('acme')).map(({ id, revokedAt }) => [id, revokedAt]);
      expect(revoked).toEqual([
        ['ark_1', undefined],
        ['ark_2', NOW + 9],
        ['ark_3', NOW + 9],
        ['ark_4', NOW + 5],
        ['ark_5', undefined],
      ]);
      expect(await owners.auditLog({ subject: 'ark_3', limit: 1 })).toMatchObject([
        { actor: 'ark_1', action: 'key.revoke', details: { member: 'acme', caused_by: 'ark_2' } },
      ]);
      const [cause] = await owners.auditLog({ subject: 'ark_2', limit: 1 });
      expect(cause?.details).toEqual({ member: 'acme' });
    });

    it('are revoked by the operator with all that they made, and every key of the tree ends at once', async () => {
      const { keys } = await withMaker();
      await keys.createOwn(wanted('2', '1'), NOW);
      await keys.createOwn(wanted('3', '2'), NOW + 1);
      const revoked = await keys.revoke('ark_1', NOW + 9);
      expect(revoked).toMatchObject({ id: 'ark_1', alsoRevoked: ['ark_2', 'ark_3'] });
      expect(await keys.revoke('ark_1', NOW + 10)).toEqual(revoked);
      expect(await keys.createOwn(wanted('4', '3'), NOW + 9)).toEqual({ ok: false, reason: 'key_revoked' });
    });

    it('revoke neither their maker, nor a sibling, nor a key that somebody else made', async () => {
      const { keys } = await withMaker();
      await keys.create(keyOf('acme', '9'), NOW);
      await keys.createOwn(wanted('2', '1'), NOW);
      await keys.createOwn(wanted('3', '1'), NOW + 1);
      for (const id of ['ark_1', 'ark_3', 'ark_9'])
        expect(await keys.revokeOwn(id, by('2'), NOW + 2)).toBe('not_key_maker');
      expect(await keys.revokeOwn('ark_9', by('1'), NOW + 2)).toBe('not_key_maker');
      expect((await keys.list('acme')).filter(({ revokedAt }) => revokedAt !== undefined)).toEqual([]);
      const managed = async (name: string) =>
        (await keys.listOwn(by(name), { inactive: 9 }, NOW + 2))
          .filter(({ isManaged }) => isManaged)
          .map(({ id }) => id);
      expect(await managed('1')).toEqual(['ark_3', 'ark_1', 'ark_2']);
      expect(await managed('2')).toEqual(['ark_2']);
    });

    it('are managed by the successors of their maker, which their maker does not manage', async () => {
      const { keys } = await withMaker();
      const renew = (from: string, name: string, now: number) =>
        keys.renew({ from: `ark_${from}`, id: `ark_${name}`, hash: sha256(name), overlapMs: HOUR }, now);
      await keys.createOwn(wanted('m', '1'), NOW);
      await keys.createOwn(wanted('a', 'm'), NOW + 1);
      expect(await renew('m', 'm2', NOW + 2)).toMatchObject({ madeBy: 'ark_1' });
      await renew('m2', 'm3', NOW + 3);
      await keys.createOwn(wanted('b', 'm'), NOW + 4);
      await keys.createOwn(wanted('c', 'm2'), NOW + 5);
      await keys.createOwn(wanted('d', 'm3'), NOW + 6);
      expect(await keys.revokeOwn('ark_m3', by('m'), NOW + 7)).toBe('not_key_maker');
      expect(await keys.revokeOwn('ark_m', by('m3'), NOW + 7)).toBe('not_key_maker');
      expect(await keys.revokeOwn('ark_a', by('m3'), NOW + 7)).toMatchObject({ revokedAt: NOW + 7 });
      expect(await keys.revoke('ark_m', NOW + 8)).toMatchObject({ alsoRevoked: ['ark_b'] });
      const heir = await keys.revoke('ark_m3', NOW + 9);
      expect(heir?.alsoRevoked).toEqual(['ark_c', 'ark_d']);
      expect((await keys.find('ark_m2'))?.revokedAt).toBeUndefined();
    });

    it('are revoked with the maker of their predecessor when they are a successor', async () => {
      const { keys } = await withMaker();
      await keys.createOwn(wanted('2', '1'), NOW);
      await keys.renew({ from: 'ark_2', id: 'ark_3', hash: sha256('3'), overlapMs: 0 }, NOW + 1);
      await keys.renew({ from: 'ark_3', id: 'ark_4', hash: sha256('4'), overlapMs: HOUR }, NOW + 2);
      const { alsoRevoked } = (await keys.revoke('ark_1', NOW + 3)) ?? {};
      expect(alsoRevoked).toEqual(['ark_2', 'ark_3', 'ark_4']);
    });

    it('never live on when their maker is revoked at the moment in which it makes or renews them', async () => {
      const { records, harness } = world();
      const other = await harness.open();
      for (let round = 0; round < 8; round += 1) {
        const slug = `round-${round}`;
        const [maker, child] = [`m${round}`, `c${round}`];
        await records.members.import([{ ...ACME, slug }], NOW);
        await records.keys.create(keyOf(slug, maker), NOW);
        await records.keys.createOwn({ ...wanted(child, maker), actor: by(maker, slug) }, NOW);
        const making = ['a', 'b', 'c'].map((name) =>
          other.keys.createOwn({ ...wanted(`${name}${round}`, maker), actor: by(maker, slug) }, NOW + 1),
        );
        const next = `n${round}`;
        const renewal = { from: `ark_${child}`, id: `ark_${next}`, hash: sha256(next), overlapMs: HOUR };
        const renewing = other.keys.renew(renewal, NOW + 1).catch(() => undefined);
        await Promise.all([...making, renewing, records.keys.revoke(`ark_${maker}`, NOW + 1)]);
        const living = (await records.keys.list(slug)).filter(({ revokedAt }) => revokedAt === undefined);
        expect(living).toEqual([]);
      }
      await other.close();
    });

    it('are revoked by their member only, and a key may revoke itself', async () => {
      const { keys } = await withMaker();
      await keys.create(keyOf('bolt', '4'), NOW);
      expect(await keys.revokeOwn('ark_4', by('1'), NOW)).toBeUndefined();
      expect(await keys.revokeOwn('ark_9', by('1'), NOW)).toBeUndefined();
      expect((await keys.find('ark_4'))?.revokedAt).toBeUndefined();
      const revoked = await keys.revokeOwn('ark_1', by('1'), NOW + 1);
      expect(revoked).toMatchObject({ id: 'ark_1', revokedAt: NOW + 1 });
      expect(await keys.revokeOwn('ark_1', by('1'), NOW + 2)).toBe('key_revoked');
    });

    it('are listed for their member: the valid ones, newest first, then the newest of the others', async () => {
      const { keys } = await withMaker();
      await keys.create(keyOf('bolt', '0'), NOW);
      await keys.create({ ...keyOf('acme', '2'), expiresAt: NOW + HOUR }, NOW + 1);
      for (const [at, name] of ['3', '4', '5'].entries()) {
        await keys.create(keyOf('acme', name), NOW + 2 + at);
        if (name !== '5') await keys.revoke(`ark_${name}`, NOW + 9);
      }
      const ids = async (inactive: number, now: number) =>
        (await keys.listOwn(by('1'), { inactive }, now)).map(({ id }) => id);
      expect(await ids(9, NOW + 10)).toEqual(['ark_5', 'ark_2', 'ark_1', 'ark_4', 'ark_3']);
      expect(await ids(2, NOW + HOUR)).toEqual(['ark_5', 'ark_1', 'ark_4', 'ark_3']);
    });
  });
}
