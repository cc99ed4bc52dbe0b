import { describe, expect, it } from 'vitest';
import type { DomainVisit } from '../../src/domain/visit.ts';
import {
  agentAt,
  answered,
  authorisation,
  domain,
  EXPOSED,
  facts,
  HOUR,
  LEASE,
  mention,
  NOW,
  observed,
  type RecordsWorld,
} from './records-fixtures.ts';
import { declare, probing, reading, spoil, takeOne } from './records-steps.ts';

const AGENT = 'https://agent.example/mcp';

/** What follows from visits and probes. */
export function describeEdges(world: () => RecordsWorld): void {
  describe('edges and probes', () => {
    it('notes a mention only where no authorisation of the same file names the agent', async () => {
      const { records } = world();
      const other = 'https://other.example/';
      const mentions = [AGENT, other].map((agent) => mention('news.example', agent, { file: 'adagents' }));
      await declare(
        records,
        'news.example',
        'adagents',
        'one',
        facts({ authorisations: [authorisation('news.example', AGENT)], mentions }),
      );
      expect(await records.agents.mentions(AGENT, 10)).toEqual([]);
      expect(await records.agents.mentions(other, 10)).toMatchObject([
        { declarer: 'news.example', seenFrom: NOW },
      ]);
      expect((await records.agents.facts([other]))[0]).toMatchObject({ declared: true, mentions: [] });
    });

    it('keeps what a publisher claims of an agent beside the edge, and says who of many authorises it', async () => {
      const { records } = world();
      const claims = { claimedProtocol: 'mcp', claimedCapabilities: ['get_products'] };
      const edge = (publisher: string, more: object = {}) =>
        facts({ authorisations: [authorisation(publisher, AGENT, more)] });
      await declare(records, 'news.example', 'adagents', 'one', edge('news.example', claims));
      await declare(records, 'blog.example', 'adagents', 'two', edge('blog.example'));
      const [blog, news] = await records.agents.authorisations(AGENT, 10);
      expect(news).toMatchObject({ publisher: 'news.example', ...claims });
      expect(blog).not.toHaveProperty('claimedProtocol');
      const among = ['stranger.example', 'blog.example', 'gone.example', 'news.example'];
      await declare(records, 'gone.example', 'adagents', 'three', edge('gone.example'));
      await declare(records, 'gone.example', 'adagents', 'four', facts(), NOW + HOUR);
      expect([...(await records.agents.authorisedAmong(AGENT, among))]).toEqual([
        'blog.example',
        'news.example',
      ]);
      const other = { ...claims, claimedProtocol: 'a2a' };
      await declare(records, 'news.example', 'adagents', 'five', edge('news.example', other), NOW + HOUR);
      const now = await records.agents.authorisations(AGENT, 10);
      expect(now.map((row) => row.claimedProtocol)).toEqual([undefined, 'a2a']);
    });

    it('stands in the file that says it, and in no other of the domain', async () => {
      const { records } = world();
      const authorisations = [authorisation('news.example', AGENT)];
      await declare(records, 'news.example', 'adagents', 'one', facts({ authorisations }));
      // whoever has agents may have an ard.json, too
      const mentions = [mention('news.example', AGENT)];
      await declare(records, 'news.example', 'brand', 'two', facts({ mentions }), NOW + HOUR);
      const countOf = async (kind: 'adagents' | 'ard' | 'brand') =>
        (await records.sources.journey({ kind, key: 'news.example' }, 10))?.authorisations.length;
      expect([await countOf('adagents'), await countOf('ard'), await countOf('brand')]).toEqual([1, 0, 0]);
    });

    it('leads where it led when only a date has come', async () => {
      const { records } = world();
      const references = [{ domain: 'other.example', reason: 'publisher_selector' } as const];
      await declare(
        records,
        'news.example',
        'adagents',
        'one',
        facts({ references, rederiveAt: NOW + HOUR }),
      );
      const [due] = await records.sources.dueRederivations(NOW + HOUR, 10);
      await records.sources.commitRederivation(due as never, facts(), NOW + HOUR);
      const journey = await records.sources.journey({ kind: 'adagents', key: 'news.example' }, 10);
      expect(journey?.references).toEqual(references);
    });

    it('tells a manager who leads to its file in vain, and whom it names in vain', async () => {
      const { records } = world();
      const leading = (reason: 'manager' | 'authoritative_location', to = 'manager.example') => [
        { domain: to, reason } as const,
      ];
      const named = ['good', 'silent', 'never', 'spoilt'].map((name) => ({
        domain: `${name}.example`,
        reason: 'publisher_selector' as const,
      }));
      await declare(records, 'manager.example', 'adagents', 'm', facts({ references: named }));
      const authorisations = [authorisation('good.example', AGENT)];
      const below = leading('authoritative_location', 'cdn.manager.example');
      await declare(records, 'good.example', 'adagents', 'g', facts({ authorisations, references: below }));
      for (const [name, reason] of [
        ['zeta', 'manager'],
        ['alpha', 'authoritative_location'],
      ] as const)
        await declare(records, `${name}.example`, 'adagents', name, facts({ references: leading(reason) }));
      await declare(records, 'silent.example', 'adagents', 's', facts());
      await spoil(records, 'spoilt.example');
      const pointers = async (limit: number) =>
        (await records.sources.journey({ kind: 'adagents', key: 'manager.example' }, limit))?.pointers;
      expect(await pointers(10)).toEqual({
        orphaned: { domains: ['alpha.example', 'zeta.example'], total: 2 },
        missing: { domains: ['silent.example'], total: 1 },
      });
      expect((await pointers(1))?.orphaned).toEqual({ domains: ['alpha.example'], total: 2 });
    });

    it('dials the URL first seen, unless a brand file on the own domain gives another', async () => {
      const { records } = world();
      const spelled = authorisation('news.example', AGENT, { declaredUrl: `${AGENT}/` });
      await declare(records, 'news.example', 'adagents', 'one', facts({ authorisations: [spelled] }));
      await declare(
        records,
        'blog.example',
        'adagents',
        'two',
        facts({ authorisations: [authorisation('blog.example', AGENT)] }),
      );
      const source = { kind: 'agent', key: AGENT } as const;
      expect(await records.sources.get(source)).toMatchObject({ foundVia: 'news.example adagents' });
      expect(await records.agents.dialled(AGENT)).toBe(`${AGENT}/`);
      await declare(
        records,
        'agent.example',
        'brand',
        'own',
        facts({ mentions: [mention('agent.example', AGENT)] }),
      );
      expect(await records.sources.get(source)).toMatchObject({ foundVia: 'agent.example brand' });
      expect(await records.agents.dialled(AGENT)).toBe(AGENT);
    });

    it('takes the member of a registration for who named the agent, whoever was first', async () => {
      const { records } = world();
      await declare(
        records,
        'evil.example',
        'adagents',
        'one',
        facts({ authorisations: [authorisation('evil.example', AGENT)] }),
      );
      await records.members.import([{ slug: 'acme', displayName: 'Acme', foundingMember: false }], NOW);
      await records.members.register({ agent: AGENT, url: AGENT, member: 'acme' }, NOW);
      expect(await records.sources.get({ kind: 'agent', key: AGENT })).toMatchObject({
        foundVia: 'member acme',
      });
    });

    it('derives a declaration anew when its time has come, unless a newer one took its place', async () => {
      const { records } = world();
      const granted = facts({
        authorisations: [authorisation('news.example', AGENT)],
        rederiveAt: NOW + HOUR,
      });
      await declare(records, 'news.example', 'adagents', 'one', granted);
      expect(await records.sources.dueRederivations(NOW, 10)).toEqual([]);
      const [due] = await records.sources.dueRederivations(NOW + HOUR, 10);
      await records.sources.commitRederivation(due as never, facts(), NOW + HOUR);
      expect(await records.agents.authorisations(AGENT, 10)).toEqual([]);
      expect(await records.sources.dueRederivations(NOW + HOUR, 10)).toEqual([]);
      await declare(records, 'news.example', 'adagents', 'two', facts(), NOW + HOUR);
      await records.sources.commitRederivation(due as never, granted, NOW + 2 * HOUR);
      expect(await records.agents.authorisations(AGENT, 10)).toEqual([]);
    });

    it('keeps the last good probe when a later one reads nothing', async () => {
      const { records } = world();
      const first = await takeOne(records, 'agent', AGENT);
      await records.sources.commitProbe(
        probing(first, observed(AGENT), { nextVisitAt: NOW + 1, found: [domain('claimed.example')] }),
      );
      const second = await takeOne(records, 'agent', AGENT, NOW + HOUR);
      const {
        exposed: _none,
        protocol: _p,
        endpoint: _e,
        ...dead
      } = observed(AGENT, { at: NOW + HOUR, health: { online: false, errorClass: 'timeout' } });
      await records.sources.commitProbe(
        probing(second, dead, { outcome: 'unreachable', failures: 1, at: NOW + HOUR }),
      );
      const [known] = await records.agents.facts([AGENT]);
      expect(known).toMatchObject({
        protocol: 'mcp',
        endpoint: AGENT,
        lastGood: { at: NOW, exposed: EXPOSED },
      });
      const live = (await records.agents.live([AGENT])).get(AGENT);
      expect(live).toMatchObject({
        lastSeenAt: NOW,
        lastCheckedAt: NOW + HOUR,
        nextCheckAt: NOW + HOUR,
      });
      expect(JSON.parse(live?.health ?? '')).toEqual({
        online: false,
        checked_at: new Date(NOW + HOUR).toISOString(),
        capabilities_read_at: new Date(NOW).toISOString(),
      });
      expect(await records.agents.observations(AGENT, 10)).toEqual([dead, observed(AGENT)]);
      expect(await records.sources.get({ kind: 'adagents', key: 'claimed.example' })).toBeDefined();
    });

    it('keeps no time of capabilities that the last probe read, or that were never read', async () => {
      const { records } = world();
      const first = await takeOne(records, 'agent', AGENT);
      const { exposed: _none, ...unread } = observed(AGENT);
      await records.sources.commitProbe(probing(first, unread, { nextVisitAt: NOW + 1 }));
      const state = async () => (await records.agents.live([AGENT])).get(AGENT)?.health ?? '';
      expect(JSON.parse(await state())).not.toHaveProperty('capabilities_read_at');
      const second = await takeOne(records, 'agent', AGENT, NOW + HOUR);
      await records.sources.commitProbe(
        probing(second, observed(AGENT, { at: NOW + HOUR }), { at: NOW + HOUR }),
      );
      expect(JSON.parse(await state())).not.toHaveProperty('capabilities_read_at');
    });

    it('credits a new agent to one of the visits that name it at once', async () => {
      const { records } = world();
      await records.sources.add(['a.example', 'b.example'].map(domain), NOW);
      const works = await records.sources.takeDue('domain', 2, NOW, LEASE);
      const visits = works.map((work) =>
        reading(work, 'adagents', work.key, facts({ authorisations: [authorisation(work.key, AGENT)] })),
      );
      const results = await Promise.all(visits.map((visit) => records.sources.commitDomainVisit(visit)));
      expect(results.map((result) => result.newAgents).sort()).toEqual([0, 1]);
      expect((await records.agents.facts([AGENT]))[0]?.portfolio?.publishers).toEqual([
        'a.example',
        'b.example',
      ]);
    });

    it('adds up what the visits of one moment say of an agent, and what they lead to', async () => {
      const { sources, agents } = world().records;
      const seeds = ['a.example', 'b.example', 'c.example'].map(domain);
      const run = await sources.openRun({ fingerprint: 'moment', seeds, now: NOW });
      const works = await sources.takeRun(run.id, 'domain', 3, NOW, LEASE);
      const mark = { id: run.id, depth: 0, maxDepth: 1 };
      const visits = works.map((work, n) => {
        const sold = authorisation(work.key, AGENT, {
          countByType: { website: n + 1 },
          tags: [`t${n}`, 'all'],
        });
        const found = [agentAt(AGENT), domain('shared.example'), domain(`own-${n}.example`)];
        return reading(work, 'adagents', work.key, facts({ authorisations: [sold] }), { found, run: mark });
      });
      const [first] = visits;
      // its lease was lost
      const lost = {
        ...first,
        files: first?.files.map((file) => ({ ...file, lease: { ...file.lease, fence: 99 } })),
      };
      const results = await Promise.all(
        [lost, ...visits].map((visit) => sources.commitDomainVisit(visit as DomainVisit)),
      );
      expect(results.map(({ accepted }) => accepted)).toEqual([false, true, true, true]);
      expect(results.map(({ newAgents }) => newAgents).sort()).toEqual([0, 0, 0, 1]);
      expect((await agents.facts([AGENT]))[0]?.portfolio).toEqual({
        publisherCount: 3,
        publishers: ['a.example', 'b.example', 'c.example'],
        propertyCount: 6,
        countByType: { website: 6 },
        tags: ['all', 't0', 't1', 't2'],
      });
      expect(await sources.progressOf(run.id)).toMatchObject({ pending: { domains: 4, agents: 1 } });
    });

    it('loses no neighbour of a visit that cannot be written', async () => {
      const { records } = world();
      await records.sources.add(['a.example', 'b.example', 'c.example'].map(domain), NOW);
      const works = await records.sources.takeDue('domain', 3, NOW, LEASE);
      const visits = works.map((work) => reading(work, 'adagents', work.key, facts()));
      const bad = {
        ...visits[1],
        files: [
          {
            ...visits[1]?.files[0],
            captures: [{ ...answered('https://b.example/', 'x'), at: Symbol('no time') }],
          },
        ],
      };
      const results = await Promise.allSettled(
        [visits[0], bad, visits[2]].map((visit) => records.sources.commitDomainVisit(visit as never)),
      );
      expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(await records.sources.declaration({ kind: 'adagents', key: 'c.example' })).toBeDefined();
      expect(await records.sources.declaration({ kind: 'adagents', key: 'b.example' })).toBeUndefined();
    });
  });
}
