import { describe, expect, it } from 'vitest';
import type { Records } from '../../src/ports/records.ts';
import type { AskedStatement } from '../../src/records/owners/agent-settings.ts';
import { AGENT, changeTo, owned } from './compliance-fixtures.ts';
import { NOW, type RecordsWorld } from './records-fixtures.ts';
import { own, registered } from './records-owners.ts';

const keep = ({ owners }: Records, over: Partial<AskedStatement> = {}, now = NOW) =>
  owners.keepStatement({ agent: AGENT, text: 'It is wrong.', actor: { kind: 'operator' }, ...over }, now);

/** What owners say beside the results of their agents' tests. */
export function describeStatements(world: () => RecordsWorld): void {
  describe('a statement of an owner', () => {
    it('is kept, changed and taken back once each, with an audit record of what it was and is', async () => {
      const { records } = world();
      await owned(records);
      const { owners } = records;
      expect(await owners.statement(AGENT)).toBeUndefined();
      expect(await keep(records)).toBe('stored');
      expect(await keep(records, {}, NOW + 1)).toBe('stored');
      expect(await owners.statement(AGENT)).toEqual({ text: 'It is wrong.', statedAt: NOW });
      expect(await keep(records, { text: "It's 'mended' \u{1f600}" }, NOW + 2)).toBe('stored');
      expect(await owners.statement(AGENT)).toEqual({ text: "It's 'mended' \u{1f600}", statedAt: NOW + 2 });
      expect(await keep(records, { text: null }, NOW + 3)).toBe('deleted');
      expect(await keep(records, { text: null }, NOW + 4)).toBe('deleted');
      expect(await owners.statement(AGENT)).toBeUndefined();
      const entries = await owners.auditLog({ subject: AGENT, limit: 4 });
      expect(entries.map(({ at, action, details }) => [at - NOW, action, details])).toEqual([
        [3, 'agent.statement', { before: "It's 'mended' \u{1f600}", after: null }],
        [2, 'agent.statement', { before: 'It is wrong.', after: "It's 'mended' \u{1f600}" }],
        [0, 'agent.statement', { before: null, after: 'It is wrong.' }],
        [0, 'agent.prove', expect.anything()],
      ]);
    });

    it.each<[string, string, Partial<AskedStatement>, (records: Records) => Promise<unknown>]>([
      ['an agent never heard of', 'unknown_agent', { agent: 'https://nobody.example/' }, owned],
      ['an agent that nobody owns', 'not_owner', {}, registered],
      ['the agent of another', 'not_owner', { actor: { kind: 'operator', member: 'bolt' } }, owned],
      [
        'a key that is none',
        'key_revoked',
        { actor: { kind: 'key', keyId: 'ark_gone', member: 'acme' } },
        owned,
      ],
    ])('is not kept for %s', async (_what, outcome, over, arrange) => {
      const { records } = world();
      await arrange(records);
      const entries = await records.owners.auditLog({ limit: 99 });
      expect(await keep(records, over)).toBe(outcome);
      expect(await records.owners.statement(over.agent ?? AGENT)).toBeUndefined();
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
      expect((await records.owners.statement(AGENT)) !== undefined).toBe(stays);
    });

    it('is not shown, and cannot be made, while the agent takes no part in tests', async () => {
      const { records } = world();
      await owned(records);
      await keep(records);
      await changeTo(records, { optedOut: true });
      expect(await records.owners.statement(AGENT)).toBeUndefined();
      expect(await keep(records, { text: 'another' })).toBe('opted_out');
      await changeTo(records, { optedOut: false });
      expect((await records.owners.statement(AGENT))?.text).toBe('It is wrong.');
      await changeTo(records, { optedOut: true });
      expect(await keep(records, { text: null })).toBe('deleted');
    });
  });
}
