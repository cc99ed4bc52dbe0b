import { describe, expect, it } from 'vitest';
import type { VisitWork } from '../../src/domain/source.ts';
import type { Records } from '../../src/ports/records.ts';
import {
  agentAt,
  authorisation,
  domain,
  facts,
  HOUR,
  LEASE,
  NOW,
  observed,
  type RecordsWorld,
  sha256,
} from './records-fixtures.ts';
import { declare, fileVisit, probing, reading, takeOne } from './records-steps.ts';

const AGENT = 'https://x.example/mcp';

/** What is due, looked at without taking it; taking what somebody else picked; and the trace of who found what. */
export function describeDue(world: () => RecordsWorld): void {
  describe('what is due', () => {
    it('is listed longest overdue first, each domain once, and is not taken by that', async () => {
      const { sources } = world().records;
      await sources.add([domain('a.late.example')], NOW - HOUR);
      await sources.add([domain('now.example')], NOW);
      await sources.add([domain('later.example')], NOW + HOUR);
      const due = [
        { kind: 'domain', key: 'a.late.example', registrableDomain: 'late.example', dueAt: NOW - HOUR },
        { kind: 'domain', key: 'now.example', registrableDomain: 'now.example', dueAt: NOW },
      ];
      expect(await sources.due('domain', 10, NOW)).toEqual(due);
      expect(await sources.due('domain', 1, NOW)).toEqual(due.slice(0, 1));
      expect(await sources.takeDue('domain', 10, NOW, LEASE)).toHaveLength(2);
      expect(await sources.due('domain', 10, NOW)).toEqual([]);
    });

    it('is found at once when a clock that is half a minute behind planned it, and in ten minutes whatever planned it', async () => {
      const { sources } = world().records;
      const keys = async (now: number) => (await sources.due('domain', 10, now)).map(({ key }) => key);
      await sources.add([domain('now.example')], NOW);
      expect(await keys(NOW)).toEqual(['now.example']);
      await sources.add([domain('behind.example')], NOW - 30_000);
      expect(await keys(NOW)).toEqual(['behind.example', 'now.example']);
      await sources.add([domain('long-ago.example')], NOW - HOUR);
      expect(await keys(NOW + 10 * 60_000)).toEqual(['long-ago.example', 'behind.example', 'now.example']);
      await sources.add([domain('longer-ago.example')], NOW - 2 * HOUR);
      expect(await keys(NOW)).toHaveLength(4); // our clock was put back
    });

    it('waits for its first visit, and comes at once when somebody else names it', async () => {
      const { sources } = world().records;
      const waiting = (key: string, dueAt: number) => ({ ...domain(key), foundVia: 'rank <=100000', dueAt });
      expect(await sources.add([waiting('a.example', NOW + HOUR), waiting('b.example', NOW)], NOW)).toBe(2);
      expect((await sources.due('domain', 10, NOW)).map(({ key }) => key)).toEqual(['b.example']);
      // the same list, read again later, changes nothing
      expect(await sources.add([waiting('a.example', NOW + 2 * HOUR)], NOW + HOUR / 2)).toBe(0);
      expect((await sources.get({ kind: 'adagents', key: 'a.example' }))?.nextVisitAt).toBe(NOW + HOUR);
      await sources.add([domain('a.example'), domain('b.example')], NOW);
      expect(await sources.add([waiting('c.example', NOW + HOUR)], NOW)).toBe(1);
      expect(await sources.add([domain('c.example')], NOW)).toBe(0);
      const named = await sources.get({ kind: 'brand', key: 'a.example' });
      expect(named).toMatchObject({ nextVisitAt: NOW, foundVia: 'operator', firstSeenAt: NOW });
      expect((await sources.get({ kind: 'brand', key: 'b.example' }))?.foundVia).toBe('rank <=100000');
    });

    it('is added once when it is named twice, for the earlier time and with every file that is named', async () => {
      const { sources } = world().records;
      const later = { ...domain('a.example'), dueAt: NOW + HOUR };
      expect(await sources.add([later, { ...domain('a.example'), ard: true }, later], NOW)).toBe(1);
      const [work] = await sources.takeDue('domain', 9, NOW, LEASE);
      expect(work?.sources.map(({ source }) => source.kind)).toEqual(['adagents', 'ard', 'brand']);
    });

    it('is read to its end, with ten of one registrable domain at most', async () => {
      const { sources } = world().records;
      const crowd = Array.from({ length: 300 }, (_, n) => domain(`h${n}.big.example`));
      const others = Array.from({ length: 250 }, (_, n) => domain(`z${n}.example`));
      await sources.add(crowd, NOW - HOUR);
      await sources.add(others, NOW);
      const due = await sources.due('domain', 1_000, NOW);
      expect(due.filter((visit) => visit.registrableDomain === 'big.example')).toHaveLength(10);
      expect(new Set(due.map((visit) => visit.key)).size).toBe(260);
      const taken = await sources.takeDue('domain', 1_000, NOW, LEASE);
      expect(taken).toHaveLength(550);
    });

    it('leaves out an agent that nobody declares any more', async () => {
      const { records } = world();
      const said = facts({ authorisations: [authorisation('a.example', AGENT)] });
      await declare(records, 'a.example', 'adagents', 'said', said);
      await declare(records, 'a.example', 'adagents', 'empty', facts(), NOW + HOUR);
      const keys = async (at: number) =>
        (await records.sources.due('agent', 10, at)).map((visit) => visit.key);
      expect(await keys(NOW + 24 * HOUR)).toEqual([AGENT]);
      expect(await records.sources.takeKeys('agent', [AGENT], NOW + 25 * HOUR, LEASE)).toEqual([]);
      expect(await keys(NOW + 25 * HOUR)).toEqual([]);
      await declare(records, 'a.example', 'adagents', 'again', said, NOW + 26 * HOUR);
      expect(await keys(NOW + 26 * HOUR)).toEqual([AGENT]);
    });

    it('is taken by its keys, in their order, if it is still due and nobody holds it', async () => {
      const { sources } = world().records;
      await sources.add(
        ['a', 'b', 'held'].map((name) => domain(`${name}.example`)),
        NOW,
      );
      await sources.add([domain('later.example')], NOW + HOUR);
      const [held] = await sources.takeKeys('domain', ['held.example'], NOW, LEASE);
      expect(held?.sources.map(({ source }) => source.kind)).toEqual(['adagents', 'brand']);
      const keys = [
        'later.example',
        'b.example',
        'unknown.example',
        'held.example',
        'a.example',
        'b.example',
      ];
      const taken = await sources.takeKeys('domain', keys, NOW, LEASE);
      expect(taken.map((work) => work.key)).toEqual(['b.example', 'a.example']);
      expect(taken.map((work) => work.depth)).toEqual([0, 0]);
      const visit = reading(taken[0] as VisitWork, 'adagents', 'x', facts());
      expect(await sources.commitDomainVisit(visit)).toMatchObject({ accepted: true });
      expect(await sources.takeKeys('domain', [], NOW, LEASE)).toEqual([]);
    });

    it('is taken with the second file of its domain ten minutes early, and not for that file alone', async () => {
      const { records } = world();
      const work = await takeOne(records, 'domain', 'a.example');
      const files = [
        fileVisit(work, 'adagents', { nextVisitAt: NOW + HOUR + 5 * 60_000 }),
        fileVisit(work, 'brand', { nextVisitAt: NOW + HOUR }),
      ];
      await records.sources.commitDomainVisit({ domain: 'a.example', at: NOW, files, found: [] });
      const early = await records.sources.takeKeys('domain', ['a.example'], NOW + HOUR - 1, LEASE);
      expect(early).toEqual([]);
      const [taken] = await records.sources.takeKeys('domain', ['a.example'], NOW + HOUR, LEASE);
      expect(taken?.sources.map(({ source }) => source.kind)).toEqual(['adagents', 'brand']);
    });

    it('goes to one of several that take the same keys at once', async () => {
      const { harness, records } = world();
      const other = await harness.open();
      const keys = Array.from({ length: 30 }, (_, n) => `d${n}.example`);
      await records.sources.add(keys.map(domain), NOW);
      const taken = await Promise.all(
        [records, other, records, other].map(({ sources }, n) =>
          sources.takeKeys('domain', n % 2 === 0 ? keys : keys.toReversed(), NOW, LEASE),
        ),
      );
      const sourcesTaken = taken
        .flat()
        .flatMap((work) => work.sources.map(({ lease }) => `${lease.kind} ${lease.key}`));
      expect([sourcesTaken.length, new Set(sourcesTaken).size]).toEqual([60, 60]);
      await other.close();
    });
  });

  describe('visits that are written at once', () => {
    it('use one lease once: what the other one found is not kept', async () => {
      const { sources } = world().records;
      const work = await takeOne(world().records, 'domain', 'a.example');
      const found = ['one.example', 'other.example'];
      const results = await Promise.all(
        found.map((key) =>
          sources.commitDomainVisit(reading(work, 'adagents', key, facts(), { found: [domain(key)] })),
        ),
      );
      const accepted = found.filter((_, at) => results[at]?.accepted);
      const known = await Promise.all(found.map((key) => sources.get({ kind: 'adagents', key })));
      expect(accepted).toHaveLength(1);
      expect(known.flatMap((source) => source?.key ?? [])).toEqual(accepted);
    });

    it('leave the lease with the first one, if they come one after the other', async () => {
      const { sources } = world().records;
      const work = await takeOne(world().records, 'domain', 'a.example');
      const visit = (text: string) => sources.commitDomainVisit(reading(work, 'adagents', text, facts()));
      expect([await visit('first'), await visit('second')]).toMatchObject([
        { accepted: true },
        { accepted: false },
      ]);
      const kept = await sources.declaration({ kind: 'adagents', key: 'a.example' });
      expect(kept?.contentHash).toBe(sha256('first'));
    });

    it('from two processes, about the same agents in any order, lose nothing', async () => {
      const { harness, records } = world();
      const other = await harness.open();
      const agents = Array.from({ length: 20 }, (_, n) => `https://a${n}.example/`);
      await records.sources.add(
        Array.from({ length: 60 }, (_, n) => domain(`d${n}.example`)),
        NOW,
      );
      const visitAll = async (store: Records, named: readonly string[]) => {
        const works = await store.sources.takeDue('domain', 30, NOW, LEASE);
        const commits = works.map((work) => {
          const authorisations = named.map((agent, n) => authorisation(work.key, agent, { entry: `/${n}` }));
          return store.sources.commitDomainVisit(
            reading(work, 'adagents', work.key, facts({ authorisations })),
          );
        });
        return (await Promise.all(commits)).filter((result) => result.accepted).length;
      };
      expect(await Promise.all([visitAll(records, agents), visitAll(other, agents.toReversed())])).toEqual([
        30, 30,
      ]);
      const known = await records.agents.facts(agents);
      expect(new Set(known.map((one) => one.portfolio?.publisherCount))).toEqual(new Set([60]));
      await other.close();
    });
  });

  describe('the trace of a visit', () => {
    it('stays with the agents it found until they are probed; a domain begins its own', async () => {
      const { sources } = world().records;
      await sources.add([agentAt('https://known.example/')], NOW);
      const work = await takeOne(world().records, 'domain', 'a.example');
      const found = [domain('new.example'), agentAt('https://known.example/'), agentAt(AGENT)];
      await sources.commitDomainVisit(reading(work, 'adagents', 'x', facts(), { found, trace: 'one' }));
      const [fresh] = await sources.takeKeys('domain', ['new.example'], NOW, LEASE);
      expect(fresh?.key).toBe('new.example');
      expect(fresh).not.toHaveProperty('trace');
      const agents = await sources.takeKeys('agent', ['https://known.example/', AGENT], NOW, LEASE);
      expect(agents.map((taken) => taken.trace)).toEqual([undefined, 'one']);
      await sources.commitProbe(probing(agents[1] as VisitWork, observed(AGENT)));
      const [again] = await sources.takeKeys('agent', [AGENT], NOW + HOUR, LEASE);
      expect(again?.key).toBe(AGENT);
      expect(again).not.toHaveProperty('trace');
    });

    it('goes with the agents whose facts it changed, until they are stitched', async () => {
      const { records } = world();
      const traceOf = async () =>
        (await records.agents.takeDirty(10, NOW)).map(({ agent, trace }) => [agent, trace]);
      const said = facts({ authorisations: [authorisation('a.example', AGENT)] });
      const work = await takeOne(records, 'domain', 'a.example');
      await records.sources.commitDomainVisit(reading(work, 'adagents', 'x', said, { trace: 'declared' }));
      expect(await traceOf()).toEqual([[AGENT, 'declared']]);
      const stitch = async () => {
        const [dirty] = await records.agents.takeDirty(10, NOW);
        await records.agents.saveStitched(
          [{ agent: AGENT, revision: dirty?.revision ?? 0, stitched: {} }],
          NOW,
        );
      };
      await stitch();
      const probe = await takeOne(records, 'agent', AGENT);
      await records.sources.commitProbe(probing(probe, observed(AGENT), { trace: 'probed' }));
      expect(await traceOf()).toEqual([[AGENT, 'probed']]);
      await stitch();
      await declare(
        records,
        'b.example',
        'adagents',
        'y',
        facts({ authorisations: [authorisation('b.example', AGENT)] }),
      );
      expect(await traceOf()).toEqual([[AGENT, undefined]]);
    });
  });
}
