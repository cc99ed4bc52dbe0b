import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/domain/finding.ts';
import {
  agentAt,
  answered,
  authorisation,
  facts,
  HOUR,
  NOW,
  type RecordsWorld,
  sha256,
} from './records-fixtures.ts';
import { declare, fileVisit, publish, reading, takeOne } from './records-steps.ts';

const AGENT = 'https://agent.example/mcp';
const KEY = { kind: 'adagents', key: 'news.example' } as const;

/** What a visit leaves. */
export function describeVisits(world: () => RecordsWorld): void {
  describe('visits', () => {
    it('keeps captures, the body once, the declaration and the schedule', async () => {
      const { sources } = world().records;
      const work = await takeOne(world().records, 'domain', 'news.example');
      const finding: Finding = { severity: 'warning', code: 'odd', pointer: '/x', message: 'odd' };
      const visit = reading(
        work,
        'adagents',
        '{"v":1}',
        facts({ references: [{ domain: 'house.example', reason: 'brand' }] }),
      );
      const files = visit.files.map((file) => ({ ...file, findings: file.declaration ? [finding] : [] }));
      expect(await sources.commitDomainVisit({ ...visit, files, found: [agentAt(AGENT)] })).toEqual({
        accepted: true,
        newAgents: 1,
      });
      const journey = await sources.journey(KEY, 10);
      expect(journey?.source).toMatchObject({
        lastOutcome: 'indexed',
        lastSuccessAt: NOW,
        nextVisitAt: NOW + 6 * HOUR,
        contentHash: sha256('{"v":1}'),
      });
      expect(journey?.captures).toMatchObject([
        { status: 200, bytes: 7, bodyHash: sha256('{"v":1}'), trail: [] },
      ]);
      expect(journey?.references).toEqual([{ domain: 'house.example', reason: 'brand' }]);
      expect(journey?.lastFindings).toEqual([finding]);
      expect(await sources.declaration(KEY)).toMatchObject({
        ...KEY,
        via: 'own',
        findings: [finding],
        seenFrom: NOW,
      });
      expect(new TextDecoder().decode(await sources.body(sha256('{"v":1}')))).toBe('{"v":1}');
    });

    it('gives a large body back byte by byte, however it is kept', async () => {
      const { sources } = world().records;
      const text = `{"v":${' '.repeat(300_000)}1}`;
      const work = await takeOne(world().records, 'domain', 'news.example');
      await sources.commitDomainVisit(reading(work, 'adagents', text, facts()));
      expect(new TextDecoder().decode(await sources.body(sha256(text)))).toBe(text);
      expect((await sources.journey(KEY, 10))?.captures).toMatchObject([{ bytes: text.length }]);
    });

    it('keeps versions for ever, and leaves equal edges as they were', async () => {
      const { records } = world();
      const kept = authorisation('news.example', AGENT);
      const gone = authorisation('news.example', 'https://gone.example/', { entry: '/authorized_agents/1' });
      await declare(records, 'news.example', 'adagents', 'one', facts({ authorisations: [kept, gone] }), NOW);
      await declare(
        records,
        'news.example',
        'adagents',
        'two',
        facts({ authorisations: [kept] }),
        NOW + HOUR,
      );
      const journey = await records.sources.journey(KEY, 10);
      expect(journey?.declarations.map(({ seenFrom, seenUntil }) => [seenFrom, seenUntil])).toEqual([
        [NOW + HOUR, undefined],
        [NOW, NOW + HOUR],
      ]);
      expect(await records.agents.authorisations(AGENT, 10)).toEqual([{ ...kept, seenFrom: NOW }]);
      expect(journey?.authorisations).toContainEqual({ ...gone, seenFrom: NOW, seenUntil: NOW + HOUR });
    });

    it('keeps the last good declaration and its edges when a later visit fails', async () => {
      const { records } = world();
      await declare(
        records,
        'news.example',
        'adagents',
        'one',
        facts({ authorisations: [authorisation('news.example', AGENT)] }),
      );
      const work = await takeOne(records, 'domain', 'news.example', NOW + HOUR);
      const error = { code: 'timeout', detail: 'no answer in time' };
      const failed = fileVisit(work, 'adagents', { outcome: 'unreachable', failures: 1, error });
      await records.sources.commitDomainVisit({
        domain: 'news.example',
        at: NOW + HOUR,
        files: [failed, fileVisit(work, 'brand')],
        found: [],
      });
      const source = await records.sources.get(KEY);
      expect(source).toMatchObject({
        lastOutcome: 'unreachable',
        lastError: error,
        lastSuccessAt: NOW,
        contentHash: sha256('one'),
      });
      expect(await records.agents.authorisations(AGENT, 10)).toHaveLength(1);
    });

    it('says where the file that counts was read from, also after a visit that failed', async () => {
      const { records } = world();
      const file = { authorized_agents: [{ url: AGENT, authorized_for: 'all' }] };
      await publish(records, 'news.example', file);
      const work = await takeOne(records, 'domain', 'news.example', NOW + HOUR);
      const error = { code: 'http_500', detail: 'a page about the fault' };
      const answer = answered('https://news.example/.well-known/adagents.json', '<html>', NOW + HOUR);
      const failed = fileVisit(work, 'adagents', {
        outcome: 'failed',
        failures: 1,
        error,
        captures: [answer],
      });
      await records.sources.commitDomainVisit({
        domain: 'news.example',
        at: NOW + HOUR,
        files: [failed, fileVisit(work, 'brand')],
        found: [],
      });
      const text = JSON.stringify(file);
      expect(await records.sources.liveFile(KEY)).toMatchObject({
        source: { lastError: error, lastSuccessAt: NOW },
        url: 'https://news.example/.well-known/adagents.json',
        body: { hash: sha256(text), bytes: text.length },
      });
      const brand = await records.sources.liveFile({ kind: 'brand', key: 'news.example' });
      expect(Object.keys(brand ?? {})).toEqual(['source']);
      expect(await records.sources.liveFile({ kind: 'brand', key: 'never.example' })).toBeUndefined();
    });

    it('ends everything that followed from a file that is gone for good', async () => {
      const { records } = world();
      const said = facts({
        authorisations: [authorisation('news.example', AGENT)],
        references: [{ domain: 'm.example', reason: 'manager' }],
      });
      await declare(records, 'news.example', 'adagents', 'one', said);
      const work = await takeOne(records, 'domain', 'news.example', NOW + HOUR);
      const absent = fileVisit(work, 'adagents', {
        outcome: 'absent',
        ends: true,
        absentVisits: 2,
        absentSince: NOW,
      });
      await records.sources.commitDomainVisit({
        domain: 'news.example',
        at: NOW + HOUR,
        files: [absent, fileVisit(work, 'brand')],
        found: [],
      });
      expect(await records.sources.declaration(KEY)).toBeUndefined();
      expect(await records.sources.journey(KEY, 9)).toMatchObject({
        references: [],
        source: { absentVisits: 2, absentSince: NOW },
      });
      const [facts_] = await records.agents.facts([AGENT]);
      expect(facts_).toMatchObject({
        declared: false,
        declarationEndedAt: NOW + HOUR,
        portfolio: { publisherCount: 0, publishers: [] },
      });
    });
  });
}
