import { describe, expect, it } from 'vitest';
import type { NewVisit } from '../../src/domain/source.ts';
import type { Records } from '../../src/ports/records.ts';
import { agentAt, domain, HOUR, LEASE, NOW, observed, type RecordsWorld } from './records-fixtures.ts';
import { fileVisit, probing, publish } from './records-steps.ts';

const MINUTE = 60_000;
const COOLDOWN = 10 * MINUTE;
let asked = 0;

function ask(records: Records, visit: NewVisit, at: number) {
  asked += 1;
  return records.requests.ask({ id: `request-${asked}`, visit, cooldownMs: COOLDOWN }, at);
}

/** Visits the domain, as one that is due. */
async function visit(records: Records, key: string, at: number, over: object = {}) {
  const [work] = await records.sources.takeKeys('domain', [key], at, LEASE);
  if (work === undefined) return false;
  const files = work.sources.map(({ source: { kind } }) =>
    fileVisit(work, kind, { nextVisitAt: at + 6 * HOUR, ...over }),
  );
  return (await records.sources.commitDomainVisit({ domain: key, at, files, found: [] })).accepted;
}

const sourceOf = (records: Records, key: string) => records.sources.get({ kind: 'adagents', key });
const reasonOf = (outcome: Awaited<ReturnType<typeof ask>>) => (outcome.ok ? 'ok' : outcome.reason);

/** Visits that somebody asks for. */
export function describeCrawlRequests(world: () => RecordsWorld): void {
  describe('a visit that is asked for', () => {
    it('is due at once, is one for all who ask, and is over when it was made', async () => {
      const { records } = world();
      await records.sources.add([domain('news.example')], NOW);
      await visit(records, 'news.example', NOW);
      const at = NOW + HOUR;
      const [one, other] = [
        await ask(records, domain('news.example'), at),
        await ask(records, domain('news.example'), at + 1),
      ];
      if (!one.ok || !other.ok) throw new Error('it was refused');
      expect([one.isNew, other.isNew, other.request.id]).toEqual([true, false, one.request.id]);
      expect(other.request).toMatchObject({ state: 'open', askedAt: at, key: 'news.example' });
      const [work] = await records.sources.takeDue('domain', 10, at, LEASE);
      expect((await records.requests.request(one.request.id, at))?.state).toBe('running');
      await records.sources.release((work?.sources ?? []).map(({ lease }) => lease));
      expect((await records.requests.request(one.request.id, at))?.state).toBe('open');
      await visit(records, 'news.example', at + MINUTE);
      const over = await records.requests.request(one.request.id, at + MINUTE);
      expect(over).toMatchObject({
        state: 'over',
        sources: [{ lastVisitAt: at + MINUTE }, { kind: 'brand' }],
      });
      expect(await records.requests.request('never', at)).toBeUndefined();
    });

    it('leaves the schedule as it was, and puts nothing off', async () => {
      const { records } = world();
      await records.sources.add([domain('news.example')], NOW);
      await visit(records, 'news.example', NOW);
      const planned = NOW + 6 * HOUR;
      await ask(records, domain('news.example'), NOW + HOUR);
      await visit(records, 'news.example', NOW + HOUR, {
        failures: 3,
        outcome: 'unreachable',
        nextVisitAt: NOW + 25 * HOUR,
      });
      expect(await sourceOf(records, 'news.example')).toMatchObject({ nextVisitAt: planned, failures: 0 });
      await visit(records, 'news.example', planned, {
        failures: 1,
        outcome: 'unreachable',
        nextVisitAt: planned + 12 * HOUR,
      });
      expect(await sourceOf(records, 'news.example')).toMatchObject({
        nextVisitAt: planned + 12 * HOUR,
        failures: 1,
      });
    });

    it('is another one, where it is asked for during a visit', async () => {
      const { records } = world();
      await records.sources.add([domain('news.example')], NOW);
      const [work] = await records.sources.takeDue('domain', 10, NOW, LEASE);
      const made = await ask(records, domain('news.example'), NOW + 1);
      if (work === undefined || !made.ok) throw new Error('it was refused');
      const files = work.sources.map(({ source: { kind } }) => fileVisit(work, kind));
      await records.sources.commitDomainVisit({ domain: 'news.example', at: NOW + 2, files, found: [] });
      expect((await records.requests.request(made.request.id, NOW + 2))?.state).toBe('open');
      expect(await visit(records, 'news.example', NOW + 3)).toBe(true);
      expect((await records.requests.request(made.request.id, NOW + 3))?.state).toBe('over');
      expect(await sourceOf(records, 'news.example')).toMatchObject({ nextVisitAt: NOW + 6 * HOUR });
    });

    it('is due at once under the lease of a clock that was ahead', async () => {
      const { records } = world();
      await records.sources.add([domain('news.example')], NOW);
      const ahead = NOW + 24 * HOUR;
      expect(await records.sources.takeKeys('domain', ['news.example'], ahead, LEASE)).toHaveLength(1);
      const made = await ask(records, domain('news.example'), NOW);
      expect(made).toMatchObject({ ok: true, request: { state: 'open' } });
      expect(await visit(records, 'news.example', NOW + 1)).toBe(true);
      const id = made.ok ? made.request.id : '';
      expect((await records.requests.request(id, NOW + 1))?.state).toBe('over');
    });

    it('has to wait after a visit, and as long as the site asks', async () => {
      const { records } = world();
      await records.sources.add([domain('news.example')], NOW);
      await visit(records, 'news.example', NOW);
      const soon = await ask(records, domain('news.example'), NOW + MINUTE);
      expect(soon).toEqual({ ok: false, reason: 'visited', waitMs: 9 * MINUTE });
      await ask(records, domain('news.example'), NOW + HOUR);
      const wait = { outcome: 'throttled', nextVisitAt: NOW + 9 * HOUR, failures: 1 };
      await visit(records, 'news.example', NOW + HOUR, wait);
      expect(await sourceOf(records, 'news.example')).toMatchObject({ nextVisitAt: NOW + 9 * HOUR });
      const held = await ask(records, domain('news.example'), NOW + 2 * HOUR);
      expect(held).toEqual({ ok: false, reason: 'throttled', waitMs: 7 * HOUR });
    });

    it('can be judged before, which changes nothing', async () => {
      const { records } = world();
      const may = (visit: NewVisit) =>
        records.requests.mayAsk({ id: 'none', visit, cooldownMs: COOLDOWN }, NOW);
      expect(await may(domain('news.example'))).toMatchObject({ ok: true, isNew: true, isNewDomain: true });
      expect(await sourceOf(records, 'news.example')).toBeUndefined();
      await records.sources.add([domain('news.example')], NOW);
      expect(await may(domain('news.example'))).toMatchObject({ ok: true, isNew: true, isNewDomain: false });
      const made = await ask(records, domain('news.example'), NOW);
      expect(await may(domain('news.example'))).toMatchObject({
        ...{ ok: true, isNew: false },
        request: { id: made.ok && made.request.id },
      });
      expect(await may(agentAt('https://a.example/mcp'))).toEqual({ ok: false, reason: 'unknown_agent' });
      expect(await records.requests.request('none', NOW)).toBeUndefined();
    });

    it('is of an agent that is in the list, and its probe counts for no badge and no history', async () => {
      const { records } = world();
      const url = 'https://a.example/mcp';
      expect(reasonOf(await ask(records, agentAt(url), NOW))).toBe('unknown_agent');
      await publish(records, 'news.example', { authorized_agents: [{ url, authorized_for: 'All' }] });
      const probe = async (at: number) => {
        const [work] = await records.sources.takeKeys('agent', [url], at, LEASE);
        if (work === undefined) throw new Error('it is not due');
        const seen = observed(url, { at });
        await records.sources.commitProbe(probing(work, seen, { at, nextVisitAt: at + HOUR }));
      };
      await probe(NOW);
      expect(reasonOf(await ask(records, agentAt(url), NOW + 20 * MINUTE))).toBe('ok');
      await probe(NOW + 20 * MINUTE);
      expect(await records.sources.get({ kind: 'agent', key: url })).toMatchObject({
        nextVisitAt: NOW + HOUR,
      });
      await probe(NOW + HOUR);
      let counted = 0;
      await records.compliance.reconsider(
        url,
        (before) => {
          counted = before.probes.total;
          return { ...before, events: [], nextRunAt: null };
        },
        NOW + HOUR,
      );
      const { total } = await records.agents.contacts(url, { since: 0, now: NOW + HOUR, limit: 1 });
      expect([counted, total]).toEqual([2, 3]);
      const period = { from: NOW, now: NOW + HOUR, stepMs: HOUR };
      expect(await records.agents.health(url, period)).toEqual({
        whole: { from: NOW, probes: 2, answered: 2, uptime: 1 },
        parts: [NOW, NOW + HOUR].map((from) => ({ from, probes: 1, answered: 1, uptime: 1 })),
        ...{ incidents: [], isCut: false },
      });
      await publish(records, 'news.example', { authorized_agents: [] }, NOW + 2 * HOUR);
      const gone = await ask(records, agentAt(url), NOW + 80 * HOUR);
      expect(gone).toEqual({ ok: false, reason: 'unknown_agent' });
      expect((await records.sources.get({ kind: 'agent', key: url }))?.nextVisitAt).toBe(NOW + 2 * HOUR);
    });

    it('is counted among all sources, in pieces', async () => {
      const { records } = world();
      await publish(records, 'news.example', { authorized_agents: [] });
      await records.sources.add([domain('new.example')], NOW);
      const first = await records.sources.tally(0, 2, NOW + 90 * MINUTE);
      const last = Math.max(...first.map((row) => row.last));
      const rest = await records.sources.tally(last, 10, NOW + 90 * MINUTE);
      const rows = [...first, ...rest].map(({ last: _last, ...row }) => row);
      expect(rows.find(({ kind, outcome }) => kind === 'adagents' && outcome !== null)).toEqual({
        ...{ kind: 'adagents', outcome: 'indexed', counts: true, minutes: 90, isOwnFault: false, n: 1 },
      });
      expect(rows).toContainEqual({
        kind: 'brand',
        outcome: null,
        counts: false,
        minutes: null,
        isOwnFault: false,
        n: 1,
      });
      expect(rows.reduce((sum, { n }) => sum + n, 0)).toBe(4);
      expect(await records.sources.tally(last + 100, 10, NOW)).toEqual([]);
    });
  });
}
