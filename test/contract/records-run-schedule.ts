import { describe, expect, it } from 'vitest';
import { decideChange } from '../../src/compliance/decide.ts';
import type { Records } from '../../src/ports/records.ts';
import { AGENT, changeTo, DAY, keepRun, owned, ownedAt } from './compliance-fixtures.ts';
import { HOUR, LEASE, NOW, type RecordsWorld } from './records-fixtures.ts';
import { own, registered } from './records-owners.ts';

const AT_ONCE = { agent: AGENT, trigger: 'owner_test', actor: { kind: 'operator' } } as const;
const keysOf = (found: readonly { readonly key: string }[]) => found.map(({ key }) => key);

const KEY = {
  key: { id: 'ark_acme', hash: 'a'.repeat(64), member: 'acme' },
  actor: { kind: 'key', keyId: 'ark_acme', member: 'acme' },
} as const;

type Deed = (records: Records) => Promise<unknown>;

/** An owned agent to which something happens. */
function ownedThen(deed: Deed): Deed {
  return async (records) => {
    await owned(records);
    await deed(records);
  };
}

async function ask(records: Records, agent: string, now = NOW): Promise<void> {
  const asked = await records.runs.request({ ...AT_ONCE, agent, runId: `asked ${agent}` }, () => 0, now);
  expect(asked).toMatchObject({ ok: true, isNew: true });
}

const agentsOf = (domain: string, count: number, at: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`https://a${n}.${domain}/mcp`, at + n]));

/** Which agents are to be tested, and in which order. */
export function describeRunSchedule(world: () => RecordsWorld): void {
  describe('a run by the clock', () => {
    it.each<[string, boolean, Deed]>([
      ['an agent whose owner has just proven it', true, owned],
      ['one that is registered without proof', false, registered],
      ['one that its owner gave up', false, ownedThen(({ owners }) => owners.disown(AGENT, 'acme', NOW))],
      ['one that was unregistered', false, ownedThen(({ owners }) => owners.unregister(AGENT, 'acme', NOW))],
      ['one that has opted out', false, ownedThen((records) => changeTo(records, { optedOut: true }))],
      ['one that is paused', false, ownedThen((records) => changeTo(records, { monitoringPaused: true }))],
      [
        'one in development',
        false,
        ownedThen((records) => changeTo(records, { lifecycleStage: 'development' })),
      ],
      [
        'one that is deprecated',
        false,
        ownedThen((records) => changeTo(records, { lifecycleStage: 'deprecated' })),
      ],
      [
        'one in the stage testing',
        true,
        ownedThen((records) => changeTo(records, { lifecycleStage: 'testing' })),
      ],
      ['one that was tested an hour ago', false, ownedThen((records) => keepRun(records, NOW - HOUR))],
      [
        'one that was tested an interval ago',
        true,
        ownedThen((records) => keepRun(records, NOW - 12 * HOUR)),
      ],
      [
        'one that nobody owns and that an operator had tested long ago',
        false,
        async (records) => {
          await registered(records);
          await keepRun(records, NOW - 30 * DAY);
        },
      ],
    ])('is there for %s: %s', async (_what, isDue, arrange) => {
      const { records } = world();
      await arrange(records);
      const { runs } = records;
      const keys = isDue ? [AGENT] : [];
      expect(keysOf(await runs.due(9, NOW))).toEqual(keys);
      expect(await runs.countDue(NOW)).toMatchObject({ due: keys.length, asked: 0 });
      const byKey = await runs.takeKeys([AGENT], NOW, LEASE, 'me');
      expect(keysOf(byKey)).toEqual(keys);
      await runs.release(byKey.map(({ lease }) => lease));
      expect(keysOf(await runs.takeDue(9, NOW, LEASE, 'me'))).toEqual(keys);
    });

    it.each<[string, Deed]>([
      ['was never tested', async () => {}],
      ['was tested before for somebody else', (records) => keepRun(records, NOW - 30 * DAY)],
    ])('waits an hour after an owner has proven by its own key an agent that %s', async (_what, before) => {
      const { records } = world();
      await registered(records);
      await before(records);
      await records.keys.create(KEY.key, NOW);
      const challenge = { agent: AGENT, member: 'acme', token: 'text', expiresAt: NOW + HOUR };
      await records.owners.challengeByKey(challenge, KEY.actor, NOW);
      const proof = { agent: AGENT, member: 'acme', token: 'text', via: 'dns', actor: KEY.actor } as const;
      expect(await records.owners.prove(proof, NOW)).toBe('proven');
      await records.compliance.reconsider(AGENT, decideChange({ now: NOW + 1 }), NOW + 1);
      expect(keysOf(await records.runs.due(9, NOW + HOUR - 1))).toEqual([]);
      expect(keysOf(await records.runs.due(9, NOW + HOUR))).toEqual([AGENT]);
    });

    it('comes longest overdue first, and is dialled at the address that was registered', async () => {
      const { records } = world();
      await ownedAt(records, {
        'https://b.example/mcp': NOW - 1,
        'https://a.example/mcp': NOW,
        'https://c.example/mcp': NOW - HOUR,
      });
      const url = 'https://C.example/mcp/';
      await records.members.register({ agent: 'https://c.example/mcp', url, member: 'acme' }, NOW);
      const all = ['https://c.example/mcp', 'https://b.example/mcp', 'https://a.example/mcp'];
      const { runs } = records;
      expect(await runs.countDue(NOW)).toEqual({ due: 3, asked: 0, oldestAt: NOW - HOUR });
      expect(await runs.countDue(NOW - HOUR)).toEqual({ due: 1, asked: 0, oldestAt: NOW - HOUR });
      expect(keysOf(await runs.due(9, NOW))).toEqual(all);
      expect(keysOf(await runs.due(2, NOW))).toEqual(all.slice(0, 2));
      const [first, ...others] = await runs.takeDue(9, NOW, LEASE, 'me');
      expect(first).toEqual({
        ...{ key: all[0], registrableDomain: 'c.example', dueAt: NOW - HOUR },
        lease: { agent: all[0], fence: expect.any(Number), until: NOW + LEASE },
      });
      expect(await records.agents.dialled('https://c.example/mcp')).toBe(url);
      expect(keysOf(others)).toEqual(all.slice(1));
      expect(await runs.due(9, NOW)).toEqual([]);
      expect(await runs.countDue(NOW)).toEqual({ due: 0, asked: 0 });
    });

    it('is for ten agents of one domain at most, and for none of a busy one or one that has to wait', async () => {
      const { records } = world();
      await ownedAt(records, {
        ...agentsOf('big.example', 12, NOW - HOUR),
        'https://small.example/mcp': NOW,
      });
      const { runs, politeness } = records;
      const counts = (found: readonly { readonly registrableDomain: string }[]) =>
        Object.fromEntries(
          [...Map.groupBy(found, (one) => one.registrableDomain)].map(([key, of]) => [key, of.length]),
        );
      expect(counts(await runs.due(99, NOW))).toEqual({ 'big.example': 10, 'small.example': 1 });
      await politeness.claim(['big.example'], 'somebody', NOW, LEASE);
      expect(counts(await runs.due(99, NOW))).toEqual({ 'small.example': 1 });
      await politeness.release(['big.example'], 'somebody', NOW);
      const polite = await runs.takeDue(99, NOW, LEASE, 'me', new Set(['big.example']));
      expect(counts(polite)).toEqual({ 'small.example': 1 });
      expect(counts(await runs.takeDue(99, NOW, LEASE, 'me'))).toEqual({ 'big.example': 10 });
      expect(counts(await runs.takeDue(99, NOW, LEASE, 'me'))).toEqual({ 'big.example': 2 });
    });

    it.each([
      ['half of an even number of places', 4, 2],
      ['the greater half of an odd one', 3, 2],
      ['the only place', 1, 1],
      ['the places that nobody else needs', 9, 6],
    ])('leaves to what was asked for %s', async (_what, limit, asked) => {
      const { records } = world();
      await ownedAt(records, { ...agentsOf('due.example', 3, NOW), ...agentsOf('asked.example', 6, NOW) });
      for (const agent of Object.keys(agentsOf('asked.example', 6, NOW))) {
        await keepRun(records, NOW, {}, { agent });
        await ask(records, agent, NOW + HOUR);
      }
      const { runs } = records;
      expect(await runs.countDue(NOW + HOUR)).toEqual({ due: 3, asked: 6, oldestAt: NOW });
      const found = await runs.due(limit, NOW + HOUR);
      const taken = await runs.takeDue(limit, NOW + HOUR, LEASE, 'me');
      expect(keysOf(taken)).toEqual(keysOf(found));
      expect(taken).toHaveLength(Math.min(limit, 9));
      expect(taken.filter((work) => work.asked !== undefined)).toHaveLength(asked);
      expect(taken[0]).toMatchObject({ asked: { trigger: 'owner_test' }, dueAt: NOW + HOUR });
    });

    it('comes at once when an agent is tested again, even if whoever changed that dies there', async () => {
      const { records } = world();
      await owned(records);
      await changeTo(records, { monitoringPaused: true });
      await records.compliance.reconsider(AGENT, decideChange({ now: NOW }), NOW);
      expect(await records.compliance.state(AGENT)).toMatchObject({ due: null });
      await changeTo(records, { monitoringPaused: false }, NOW + 1);
      expect(await records.runs.due(9, NOW + 1)).toMatchObject([{ key: AGENT, dueAt: NOW + 1 }]);
    });

    it('stays due when its badges are looked at, but not sooner than somebody could ask for one', async () => {
      const { records } = world();
      await owned(records);
      const { compliance } = records;
      const dueAfter = async (now: number) => {
        await compliance.reconsider(AGENT, decideChange({ now }), now);
        return (await compliance.state(AGENT))?.due;
      };
      await keepRun(records, NOW);
      const proven = NOW + HOUR / 2;
      await own(records, 'bolt', proven);
      expect(await dueAfter(proven)).toBe(proven);
      expect(await dueAfter(NOW + 2 * HOUR)).toBe(proven);
      await keepRun(records, NOW + 3 * HOUR);
      await changeTo(records, { monitoringPaused: true }, NOW + 3 * HOUR);
      expect(await dueAfter(NOW + 3 * HOUR)).toBeNull();
      await changeTo(records, { monitoringPaused: false }, NOW + 3 * HOUR);
      expect(await dueAfter(NOW + 3 * HOUR)).toBe(NOW + 3 * HOUR + 10 * 60_000);
    });

    it('keeps its place in the queue while badges are looked at without it, but not while it is paused', async () => {
      const { records } = world();
      await owned(records);
      const later = NOW + 3 * DAY;
      await records.compliance.reconsider(AGENT, decideChange({ now: later }), later);
      expect(await records.runs.due(9, later)).toMatchObject([{ dueAt: NOW }]);
      await changeTo(records, { monitoringPaused: true }, later);
      await changeTo(records, { monitoringPaused: false }, later);
      expect(await records.runs.due(9, later)).toMatchObject([{ dueAt: later }]);
    });

    it('comes at once to a new owner, and not to one that gave it up before the next run', async () => {
      const { records } = world();
      await owned(records);
      await keepRun(records, NOW);
      await own(records, 'bolt', NOW + 1);
      expect(keysOf(await records.runs.due(9, NOW + 1))).toEqual([AGENT]);
      await keepRun(records, NOW + 2);
      await records.owners.disown(AGENT, 'bolt', NOW + 3);
      expect(await records.runs.due(9, NOW + 30 * DAY)).toEqual([]);
      expect(await records.compliance.state(AGENT)).toMatchObject({ due: null });
    });
  });
}
