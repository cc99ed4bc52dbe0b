import { describe, expect, it } from 'vitest';
import {
  agentAt,
  authorisation,
  domain,
  facts,
  HOUR,
  LEASE,
  NOW,
  type RecordsWorld,
} from './records-fixtures.ts';
import { declare, fileVisit, probing, reading, takeOne } from './records-steps.ts';

/** Sources and leases. */
export function describeWork(world: () => RecordsWorld): void {
  describe('work', () => {
    it('adds what is not known, due at once, and leaves the schedule of what is', async () => {
      const { sources } = world().records;
      expect(await sources.add([domain('a.example'), agentAt('https://x.example/mcp')], NOW)).toBe(2);
      expect(await sources.add([domain('a.example'), domain('b.example')], NOW + 5)).toBe(1);
      expect(await sources.get({ kind: 'brand', key: 'a.example' })).toMatchObject({
        firstSeenAt: NOW,
        nextVisitAt: NOW,
        failures: 0,
      });
      expect(await sources.countDue(NOW + 5)).toEqual({ domains: 2, agents: 1 });
    });

    it('takes a domain with both its files, longest overdue first, and nobody else gets it meanwhile', async () => {
      const { sources } = world().records;
      await sources.add([domain('late.example')], NOW - HOUR);
      await sources.add([domain('now.example'), domain('other.example')], NOW);
      const first = await sources.takeDue('domain', 1, NOW, LEASE);
      expect(first.map((work) => work.key)).toEqual(['late.example']);
      expect(first[0]?.sources.map((leased) => leased.source.kind)).toEqual(['adagents', 'brand']);
      const rest = await sources.takeDue('domain', 10, NOW, LEASE);
      expect(rest.map((work) => work.key).sort()).toEqual(['now.example', 'other.example']);
      expect(await sources.takeDue('domain', 10, NOW, LEASE)).toEqual([]);
    });

    it('takes ten of one registrable domain for those who take turns, and none of a busy one', async () => {
      const { sources } = world().records;
      const hosts = Array.from({ length: 15 }, (_, index) => domain(`h${index}.big.example`));
      const seeds = [domain('busy.example'), ...hosts, domain('last.example')];
      const run = await sources.openRun({ fingerprint: 'turns', seeds, now: NOW });
      const busy = new Set(['busy.example']);
      const taken = await sources.takeRun(run.id, 'domain', 100, NOW, LEASE, busy);
      expect(taken.map((work) => work.key)).toEqual([
        ...hosts.slice(0, 10).map((host) => host.key),
        'last.example',
      ]);
      const due = await sources.takeDue('domain', 100, NOW, LEASE, busy);
      expect(due.map((work) => work.key)).toEqual(hosts.slice(10).map((host) => host.key));
    });

    it('takes none that a file led to of which enough is under way', async () => {
      const { sources } = world().records;
      const seeds = ['evil.example adagents', 'news.example brand'].map((foundVia, index) => ({
        ...domain(`d${index}.example`),
        foundVia,
      }));
      const run = await sources.openRun({ fingerprint: 'files', seeds, now: NOW });
      const busy = { has: () => false, files: new Set(['evil.example adagents']) };
      const [due, ...noMore] = await sources.takeDue('domain', 9, NOW, LEASE, busy);
      expect([due?.key, due?.foundVia, noMore]).toEqual(['d1.example', 'news.example brand', []]);
      expect(await sources.takeRun(run.id, 'domain', 9, NOW, LEASE, busy)).toEqual([]);
      const rest = await sources.takeRun(run.id, 'domain', 9, NOW, LEASE);
      expect(rest.map((work) => work.key)).toEqual(['d0.example']);
    });

    it('takes of a due domain only the file that is due, and both when they are due together', async () => {
      const { sources } = world().records;
      const visitWith = async (key: string, brandAt: number) => {
        const work = await takeOne(world().records, 'domain', key);
        const files = [
          fileVisit(work, 'adagents', { nextVisitAt: NOW + HOUR }),
          fileVisit(work, 'brand', { nextVisitAt: brandAt }),
        ];
        await sources.commitDomainVisit({ domain: key, at: NOW, files, found: [] });
      };
      await visitWith('apart.example', NOW + 24 * HOUR);
      await visitWith('together.example', NOW + HOUR + 5 * 60_000);
      const taken = await sources.takeDue('domain', 10, NOW + HOUR, LEASE);
      const kinds = taken.map((work) => [work.key, work.sources.map(({ source }) => source.kind).join()]);
      expect(Object.fromEntries(kinds)).toEqual({
        'apart.example': 'adagents',
        'together.example': 'adagents,brand',
      });
      const seeds = [domain('apart.example')];
      await sources.release(taken.flatMap((work) => work.sources.map(({ lease }) => lease)));
      const run = await sources.openRun({ fingerprint: 'named', seeds, now: NOW + HOUR });
      const [named] = await sources.takeRun(run.id, 'domain', 10, NOW + HOUR, LEASE);
      expect(named?.sources).toHaveLength(2);
    });

    it('leaves an agent alone that nobody declares any more, until somebody does again', async () => {
      const { records } = world();
      const agent = 'https://x.example/mcp';
      const said = facts({ authorisations: [authorisation('a.example', agent)] });
      const dueAt = async (at: number) => {
        const taken = await records.sources.takeDue('agent', 10, at, LEASE);
        await records.sources.release(taken.flatMap((work) => work.sources.map(({ lease }) => lease)));
        return taken.map((work) => work.key);
      };
      await declare(records, 'a.example', 'adagents', 'said', said);
      await declare(records, 'a.example', 'adagents', 'empty', facts(), NOW + HOUR);
      expect(await dueAt(NOW + 24 * HOUR)).toEqual([agent]);
      expect(await dueAt(NOW + 25 * HOUR)).toEqual([]);
      expect(await records.sources.countDue(NOW + 25 * HOUR)).toMatchObject({ agents: 0 });
      await declare(records, 'a.example', 'adagents', 'again', said, NOW + 26 * HOUR);
      expect(await dueAt(NOW + 26 * HOUR)).toEqual([agent]);
    });

    it('goes on probing an agent that nobody declares and a member registered', async () => {
      const { records } = world();
      const agent = 'https://x.example/mcp';
      await records.members.import([{ slug: 'one', displayName: 'One', foundingMember: false }], NOW);
      await records.members.register({ agent, url: agent, member: 'one' }, NOW);
      const taken = await records.sources.takeDue('agent', 10, NOW + 99 * HOUR, LEASE);
      expect(taken.map((work) => work.key)).toEqual([agent]);
    });

    it('takes a lease over when its time is up, and refuses the worker that comes back late', async () => {
      const { sources } = world().records;
      const late = await takeOne(world().records, 'domain', 'a.example');
      const [again] = await sources.takeDue('domain', 1, NOW + LEASE, LEASE);
      expect(again?.key).toBe('a.example');
      const lost = reading(late, 'adagents', 'old', facts(), { found: [domain('found.example')] });
      expect(await sources.commitDomainVisit(lost)).toEqual({ accepted: false, newAgents: 0 });
      expect(await sources.get({ kind: 'adagents', key: 'found.example' })).toBeUndefined();
      expect(await sources.declaration({ kind: 'adagents', key: 'a.example' })).toBeUndefined();
      expect(
        await sources.commitDomainVisit(reading(again ?? late, 'adagents', 'new', facts())),
      ).toMatchObject({ accepted: true });
    });

    it('writes nothing when one of two leases was lost', async () => {
      const { sources } = world().records;
      const work = await takeOne(world().records, 'domain', 'a.example');
      const brand = fileVisit(work, 'brand');
      await sources.release([brand.lease]);
      expect(await sources.commitDomainVisit(reading(work, 'adagents', 'x', facts()))).toMatchObject({
        accepted: false,
      });
      expect(await sources.get({ kind: 'adagents', key: 'a.example' })).not.toHaveProperty('lastVisitAt');
    });

    it('accepts a lease once', async () => {
      const { sources } = world().records;
      const work = await takeOne(world().records, 'domain', 'a.example');
      const visit = reading(work, 'adagents', 'x', facts());
      expect(await sources.commitDomainVisit(visit)).toMatchObject({ accepted: true });
      expect(await sources.commitDomainVisit(visit)).toMatchObject({ accepted: false });
    });

    it('gives unused leases back', async () => {
      const { sources } = world().records;
      const work = await takeOne(world().records, 'agent', 'https://x.example/mcp');
      await sources.release(work.sources.map((leased) => leased.lease));
      expect(await sources.takeDue('agent', 1, NOW, LEASE)).toHaveLength(1);
      expect(await sources.commitProbe(probing(work, undefined))).toMatchObject({ accepted: false });
    });

    it('keeps what robots.txt says for whoever crawls next', async () => {
      const { robots } = world().records;
      const rules = { rules: [{ allow: false, pattern: '/private' }], crawlDelayMs: 2_000 };
      await robots.keep('https://news.example', { rules, expiresAt: NOW + HOUR });
      expect(await robots.find('https://news.example')).toEqual({ rules, expiresAt: NOW + HOUR });
      expect(await robots.find('https://other.example')).toBeUndefined();
    });

    it('keeps a budget of probes for each domain and hour', async () => {
      const { sources } = world().records;
      const spend = (key: string, at: number) => sources.spendProbe(key, at, 2, 'news.example');
      expect([
        await spend('x.example', NOW),
        await spend('x.example', NOW),
        await spend('x.example', NOW),
      ]).toEqual([true, true, false]);
      expect(await spend('y.example', NOW)).toBe(true);
      expect(await spend('x.example', NOW + HOUR)).toBe(true);
    });

    it('keeps of that budget what others have wished for, however much one namer wants', async () => {
      const { sources } = world().records;
      const spend = async (namer: string, count: number, at: number) => {
        const spent: boolean[] = [];
        for (let n = 0; n < count; n += 1) spent.push(await sources.spendProbe('hub.example', at, 6, namer));
        return spent.filter(Boolean).length;
      };
      expect(await spend('evil.example', 20, NOW)).toBe(6); // alone so far
      expect(await spend('a.example', 1, NOW)).toBe(0);
      expect(await spend('b.example', 2, NOW)).toBe(0);
      const later = NOW + HOUR;
      expect(await spend('evil.example', 20, later)).toBe(3);
      expect([await spend('a.example', 1, later), await spend('b.example', 2, later)]).toEqual([1, 2]);
    });
  });
}
