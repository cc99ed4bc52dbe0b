import { describe, expect, it } from 'vitest';
import { HOUR, NOW, type RecordsWorld, sha256 } from './records-fixtures.ts';

const sessionOf = (name: string, openedAt: number, keyId = 'ark_1') => ({
  ...{ hash: sha256(name), keyId, openedAt, endsAt: openedAt + HOUR, member: 'acme' },
});

/** Browsers that members signed in. */
export function describeSessions(world: () => RecordsWorld): void {
  describe('sessions', () => {
    it('are found by every process until they end or are closed', async () => {
      const { records, harness } = world();
      const { member: _member, ...session } = sessionOf('a', NOW);
      await records.sessions.open(sessionOf('a', NOW), 3);
      const other = await harness.open();
      expect(await other.sessions.find(session.hash, NOW + HOUR - 1)).toEqual(session);
      expect(await other.sessions.find(session.hash, NOW + HOUR)).toBeUndefined();
      expect(await other.sessions.find(sha256('b'), NOW)).toBeUndefined();
      await other.sessions.close(session.hash);
      await other.sessions.close(session.hash);
      expect(await records.sessions.find(session.hash, NOW)).toBeUndefined();
      await other.close();
    });

    it('of one key are so many at most: the oldest go, and those of other keys stay', async () => {
      const { sessions, owners } = world().records;
      await sessions.open(sessionOf('other', NOW, 'ark_2'), 2);
      for (const [at, name] of ['a', 'b', 'c'].entries()) await sessions.open(sessionOf(name, NOW + at), 2);
      const found = ['other', 'a', 'b', 'c'].map((name) => sessions.find(sha256(name), NOW + 3));
      expect((await Promise.all(found)).map((one) => one !== undefined)).toEqual([true, false, true, true]);
      expect(await owners.auditLog({ subject: 'ark_1', limit: 1 })).toMatchObject([
        { actor: 'ark_1', action: 'session.open', details: { member: 'acme' } },
      ]);
    });

    it('that are over go with the next pruning', async () => {
      const { records } = world();
      await records.sessions.open(sessionOf('a', NOW), 3);
      await records.prune(NOW + HOUR);
      expect(await records.sessions.find(sha256('a'), NOW)).toBeUndefined();
    });
  });
}
