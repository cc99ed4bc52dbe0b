import { describe, expect, it } from 'vitest';
import { decideChange } from '../../src/compliance/decide.ts';
import type { Records } from '../../src/ports/records.ts';
import type { AskedCredential } from '../../src/records/owners/agent-settings.ts';
import { CLOSED, FAILS, INCONCLUSIVE } from '../compliance/support/judged-runs.ts';
import { AGENT, changeTo, keepRun, owned } from './compliance-fixtures.ts';
import { HOUR, NOW, type RecordsWorld, sha256 } from './records-fixtures.ts';
import { own, registered } from './records-owners.ts';

const KEY = { kind: 'key', keyId: 'ark_1', member: 'acme' } as const;

const MINUTE = 60_000;

/** Minutes from NOW to the next run by the clock. */
async function nextRun({ compliance }: Records) {
  const due = (await compliance.state(AGENT))?.due;
  return typeof due === 'number' ? (due - NOW) / MINUTE : due;
}

const keep = ({ owners }: Records, over: Partial<AskedCredential> = {}, now = NOW) =>
  owners.keepCredential({ agent: AGENT, sealed: 'sealed', actor: { kind: 'operator' }, ...over }, now);

/** What owners store so that their agents can be tested. */
export function describeCredentials(world: () => RecordsWorld): void {
  describe('a test credential', () => {
    it('is kept, replaced and forgotten, with audit records that do not hold it', async () => {
      const { records } = world();
      await owned(records);
      await records.keys.create({ id: 'ark_1', hash: sha256('1'), member: 'acme' }, NOW);
      const { owners } = records;
      expect(await owners.credential(AGENT)).toBeUndefined();
      expect(await keep(records, { sealed: 'first', actor: KEY }, NOW)).toBe('stored');
      const kind = 'oauth_client_credentials';
      expect(await keep(records, { sealed: 'second', kind }, NOW + 1)).toBe('stored');
      expect(await keep(records, { sealed: 'second', kind }, NOW + 2)).toBe('stored');
      const second = { member: 'acme', sealed: 'second', kind, setAt: NOW + 1 };
      expect(await owners.credential(AGENT)).toEqual(second);
      expect(await keep(records, { sealed: null, actor: KEY }, NOW + 3)).toBe('deleted');
      expect(await keep(records, { sealed: null }, NOW + 4)).toBe('deleted');
      expect(await owners.credential(AGENT)).toBeUndefined();
      const entries = await owners.auditLog({ subject: AGENT, limit: 4 });
      expect(entries.map(({ at, actor, action, details }) => [at - NOW, actor, action, details])).toEqual([
        [3, 'ark_1', 'agent.credential', { member: 'acme', kept: false }],
        [1, 'operator', 'agent.credential', { kept: true, kind }],
        [0, 'ark_1', 'agent.credential', { member: 'acme', kept: true }],
        [0, 'operator', 'agent.prove', expect.anything()],
      ]);
      expect(JSON.stringify(await owners.auditLog({ limit: 99 }))).not.toMatch(/first|second/);
    });

    it.each<[string, string, Partial<AskedCredential>, (records: Records) => Promise<unknown>]>([
      ['an agent never heard of', 'unknown_agent', { agent: 'https://nobody.example/' }, owned],
      ['an agent that nobody owns', 'not_owner', {}, registered],
      ['the agent of another', 'not_owner', { actor: { kind: 'operator', member: 'bolt' } }, owned],
      ['a key that is none', 'key_revoked', { actor: { ...KEY, keyId: 'ark_gone' } }, owned],
    ])('is not stored for %s', async (_what, outcome, over, arrange) => {
      const { records } = world();
      await arrange(records);
      const entries = await records.owners.auditLog({ limit: 99 });
      expect(await keep(records, over)).toBe(outcome);
      expect(await records.owners.credentials({ limit: 9 })).toEqual([]);
      expect(await records.owners.auditLog({ limit: 99 })).toEqual(entries);
    });

    it.each<[string, (records: Records) => Promise<unknown>, boolean]>([
      ['when another member takes the agent over', (records) => own(records, 'bolt', NOW + 1), false],
      ['when its owner gives it up', ({ owners }) => owners.disown(AGENT, 'acme', NOW + 1), false],
      ['when it is unregistered', ({ owners }) => owners.unregister(AGENT, 'acme', NOW + 1), false],
      ['unless its owner only proves control once more', (records) => own(records, 'acme', NOW + 1), true],
    ])('is gone %s', async (_what, change, stays) => {
      const { records } = world();
      await owned(records);
      await keep(records);
      await change(records);
      const stored = await records.owners.credentials({ limit: 9 });
      expect(stored.map(({ agent }) => agent)).toEqual(stays ? [AGENT] : []);
      expect((await records.owners.credential(AGENT))?.sealed).toBe(stays ? 'sealed' : undefined);
    });

    it('makes the agent due at once when its last test lacked one', async () => {
      const { records } = world();
      await owned(records);
      await keepRun(records, NOW, CLOSED);
      expect(await nextRun(records)).toBeGreaterThan(600);
      await keep(records, { sealed: null }, NOW + HOUR);
      expect(await nextRun(records)).toBeGreaterThan(600);
      await keep(records, {}, NOW + HOUR);
      expect(await nextRun(records)).toBe(60);
      expect(await records.runs.due(9, NOW + HOUR)).toMatchObject([{ key: AGENT }]);
      await keep(records, { sealed: 'another' }, NOW + 2 * HOUR);
      expect(await nextRun(records)).toBe(60); // it keeps its place
      await records.compliance.reconsider(AGENT, decideChange({ now: NOW + 2 * HOUR }), NOW + 2 * HOUR);
      expect(await nextRun(records)).toBe(60);
    });

    it('makes it due no sooner than ten minutes after the last try, and nothing puts that off', async () => {
      const { records } = world();
      await owned(records);
      await keepRun(records, NOW, CLOSED);
      await keep(records, {}, NOW + 2 * MINUTE);
      expect(await nextRun(records)).toBe(10);
      for (const minutes of [3, 4]) {
        const now = NOW + minutes * MINUTE;
        await records.compliance.reconsider(AGENT, decideChange({ now }), now);
        expect(await nextRun(records)).toBe(10);
      }
    });

    it.each<[string, (records: Records) => Promise<unknown>]>([
      ['failed', (records) => keepRun(records, NOW, FAILS)],
      ['was inconclusive by something else', (records) => keepRun(records, NOW, INCONCLUSIVE)],
      [
        'lacked one, while it is paused',
        async (records) => {
          await keepRun(records, NOW, CLOSED);
          await changeTo(records, { monitoringPaused: true });
        },
      ],
    ])('leaves the next run where it is when the last one %s', async (_what, arrange) => {
      const { records } = world();
      await owned(records);
      await arrange(records);
      const before = await nextRun(records);
      await keep(records, {}, NOW + 20 * MINUTE);
      expect(await nextRun(records)).toBe(before);
    });

    it('is put under another seal only while it is what was read', async () => {
      const { records } = world();
      await owned(records);
      await keep(records);
      const { owners } = records;
      expect(await owners.resealCredential({ agent: AGENT, from: 'other', to: 'new' })).toBe(false);
      expect(await owners.resealCredential({ agent: AGENT, from: 'sealed', to: 'new' })).toBe(true);
      expect(await owners.credential(AGENT)).toEqual({
        member: 'acme',
        sealed: 'new',
        kind: 'bearer',
        setAt: NOW,
      });
    });
  });
}
