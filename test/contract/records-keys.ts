import { describe, expect, it } from 'vitest';
import { HOUR, NOW, type RecordsWorld, sha256 } from './records-fixtures.ts';

const ACME = { slug: 'acme', displayName: 'Acme', foundingMember: false };
const BOLT = { slug: 'bolt', displayName: 'Bolt', foundingMember: false };
const keyOf = (member: string, name: string) => ({ id: `ark_${name}`, hash: sha256(name), member });

/** API keys of members. */
export function describeKeys(world: () => RecordsWorld): void {
  describe('API keys', () => {
    it('are made, found by their id, and listed by member in the order of their making', async () => {
      const { members, keys } = world().records;
      await members.import([ACME, BOLT], NOW);
      const made = await keys.create({ ...keyOf('acme', '2'), label: 'build' }, NOW);
      await keys.create(keyOf('acme', '1'), NOW + 1);
      await keys.create(keyOf('bolt', '0'), NOW);
      expect(made).toEqual({ id: 'ark_2', member: 'acme', label: 'build', createdAt: NOW });
      expect(await keys.find('ark_2')).toEqual({ ...made, hash: sha256('2') });
      expect((await keys.list('acme')).map(({ id }) => id)).toEqual(['ark_2', 'ark_1']);
      expect((await keys.list()).map(({ id }) => id)).toEqual(['ark_0', 'ark_2', 'ark_1']);
    });

    it('are given to members only, and twice to nobody', async () => {
      const { members, keys } = world().records;
      await expect(keys.create(keyOf('nobody', '1'), NOW)).rejects.toMatchObject({ code: 'not_found' });
      await members.import([ACME], NOW);
      const made = await keys.create(keyOf('acme', '1'), NOW);
      await expect(keys.create({ ...keyOf('acme', '1'), hash: sha256('2') }, NOW)).rejects.toThrow();
      expect(await keys.create(keyOf('acme', '1'), NOW + 1)).toEqual(made); // a commit whose answer was lost
      expect(await keys.find('ark_9')).toBeUndefined();
    });

    it('are revoked once, for every process at once', async () => {
      const { records, harness } = world();
      await records.members.import([ACME], NOW);
      await records.keys.create(keyOf('acme', '1'), NOW);
      const other = await harness.open();
      expect(await other.keys.find('ark_1')).not.toHaveProperty('revokedAt');
      expect(await records.keys.revoke('ark_1', NOW + 5)).toMatchObject({ revokedAt: NOW + 5 });
      expect(await other.keys.find('ark_1')).toMatchObject({ revokedAt: NOW + 5 });
      expect(await records.keys.revoke('ark_1', NOW + 9)).toMatchObject({ revokedAt: NOW + 5 });
      expect(await records.keys.revoke('ark_9', NOW)).toBeUndefined();
      await other.close();
    });

    it('have scopes and an end where they were given some, and every scope without', async () => {
      const { members, keys, owners } = world().records;
      await members.import([ACME], NOW);
      const bounds = { scopes: ['read', 'runs'] as const, expiresAt: NOW + HOUR };
      expect(await keys.create({ ...keyOf('acme', '1'), ...bounds }, NOW)).toMatchObject(bounds);
      expect(await keys.find('ark_1')).toMatchObject(bounds);
      expect(await owners.auditLog({ subject: 'ark_1', limit: 1 })).toMatchObject([
        { details: { scopes: ['read', 'runs'], expires_at: NOW + HOUR } },
      ]);
    });

    it('are renewed once: the successor may do the same for as long, and both work for the overlap', async () => {
      const { members, keys, owners } = world().records;
      await members.import([ACME], NOW);
      const bounds = { label: 'build', scopes: ['runs'] as const };
      await keys.create({ ...keyOf('acme', '1'), ...bounds, expiresAt: NOW + 90 * HOUR }, NOW);
      const later = NOW + 80 * HOUR;
      const next = { id: 'ark_2', hash: sha256('2'), from: 'ark_1', overlapMs: 2 * HOUR };
      const renewed = await keys.renew(next, later);
      expect(renewed).toMatchObject({ ...bounds, member: 'acme', expiresAt: later + 90 * HOUR });
      expect(await keys.find('ark_1')).toMatchObject({ expiresAt: later + 2 * HOUR, renewedBy: 'ark_2' });
      expect(await keys.renew(next, later + 1)).toEqual(renewed); // a commit whose answer was lost
      await expect(keys.renew({ ...next, id: 'ark_3' }, later)).rejects.toThrow(
        'was already renewed as ark_2',
      );
      expect(await owners.auditLog({ subject: 'ark_2', limit: 2 })).toMatchObject([
        { action: 'key.renew', details: { member: 'acme', renews: 'ark_1', overlap_s: 7_200 } },
      ]);
    });

    it('are not renewed once they are revoked or over, and never live longer by it', async () => {
      const { members, keys } = world().records;
      await members.import([ACME], NOW);
      await keys.create({ ...keyOf('acme', '1'), expiresAt: NOW + HOUR }, NOW);
      const next = { id: 'ark_2', hash: sha256('2'), from: 'ark_1', overlapMs: 9 * HOUR };
      await expect(keys.renew(next, NOW + HOUR)).rejects.toMatchObject({ code: 'input_invalid' });
      await expect(keys.renew({ ...next, from: 'ark_9' }, NOW)).rejects.toMatchObject({ code: 'not_found' });
      await keys.renew(next, NOW + 1);
      expect(await keys.find('ark_1')).toMatchObject({ expiresAt: NOW + HOUR });
      await keys.revoke('ark_2', NOW + 2);
      await expect(keys.renew({ ...next, id: 'ark_3', from: 'ark_2' }, NOW + 3)).rejects.toThrow(
        'is revoked',
      );
    });

    it('remember the day of their use', async () => {
      const { members, keys } = world().records;
      await members.import([ACME], NOW);
      await keys.create(keyOf('acme', '1'), NOW);
      await keys.noteUse('ark_1', NOW + HOUR);
      await keys.noteUse('ark_1', NOW + 24 * HOUR);
      expect(await keys.find('ark_1')).toMatchObject({ lastUsedAt: NOW + HOUR });
      await keys.noteUse('ark_1', NOW + 25 * HOUR);
      expect(await keys.find('ark_1')).toMatchObject({ lastUsedAt: NOW + 25 * HOUR });
    });

    it('leave an audit record when they are made and when they are revoked, and no secret in it', async () => {
      const { members, keys, owners } = world().records;
      await members.import([ACME], NOW);
      await keys.create({ ...keyOf('acme', '1'), label: 'build' }, NOW + 1);
      await keys.revoke('ark_1', NOW + 2);
      await keys.revoke('ark_1', NOW + 3);
      const entries = await owners.auditLog({ subject: 'ark_1', limit: 9 });
      expect(entries).toMatchObject([
        { at: NOW + 2, actor: 'operator', action: 'key.revoke', details: { member: 'acme' } },
        { at: NOW + 1, actor: 'operator', action: 'key.create', details: { member: 'acme', label: 'build' } },
      ]);
      expect(JSON.stringify(entries)).not.toContain(sha256('1'));
    });

    it('go with their member', async () => {
      const { members, keys, owners } = world().records;
      await members.import([ACME], NOW);
      await keys.create(keyOf('acme', '1'), NOW);
      await members.remove('acme', NOW + 1);
      expect([await members.get('acme'), await keys.find('ark_1')]).toEqual([undefined, undefined]);
      expect(await owners.auditLog({ subject: 'acme', limit: 1 })).toMatchObject([
        { action: 'member.remove' },
      ]);
      await expect(members.remove('acme', NOW)).rejects.toMatchObject({ code: 'not_found' });
    });
  });
}
