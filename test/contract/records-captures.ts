import { describe, expect, it } from 'vitest';
import type { Answered, Capture, FetchErrorCode } from '../../src/domain/capture.ts';
import type { SourceKey } from '../../src/domain/source.ts';
import { answered, HOUR, NOW, type RecordsWorld, sha256 } from './records-fixtures.ts';
import { fileVisit, takeOne } from './records-steps.ts';

const KEY: SourceKey = { kind: 'adagents', key: 'news.example' };
const URL = 'https://news.example/.well-known/adagents.json';
const DAY = 24 * HOUR;

const page = (status: number, body: string) => (at: number) => ({ ...answered(URL, body, at), status });
const file = (text: string) => page(200, text);
const unchanged = (at: number) => ({ ...answered(URL, '', at), status: 304, bodyHash: '' });
const moved = (at: number): Capture => ({
  ...(answered(URL, 'one', at) as Answered),
  finalUrl: 'https://www.news.example/a.json',
  trail: [{ url: URL, status: 301, location: 'https://www.news.example/a.json' }],
});
const failed = (code: FetchErrorCode, detail: string) => (at: number) => {
  const failure = { code, detail };
  return { ok: false, requestedUrl: URL, finalUrl: URL, trail: [], at, durationMs: 9, failure } as const;
};

/** An answer stands for every visit in a row that got it. */
export function describeCaptures(world: () => RecordsWorld): void {
  describe('captures', () => {
    /** Makes a visit an hour for each answer, and gives what is kept, oldest first: what, since when, until when, how often. */
    async function kept(...answers: readonly ((at: number) => Capture)[]) {
      const { records } = world();
      let hash = '';
      for (const [hour, answer] of answers.entries()) {
        const at = NOW + hour * HOUR;
        const work = await takeOne(records, 'domain', 'news.example', at);
        const capture = answer(at);
        if (capture.ok && capture.status === 200) hash = capture.bodyHash;
        const read = { captures: [capture], validators: [{ url: URL, bodyHash: hash }], nextVisitAt: at + 1 };
        const files = [fileVisit(work, 'adagents', read), fileVisit(work, 'brand', { nextVisitAt: at + 1 })];
        await records.sources.commitDomainVisit({ domain: 'news.example', at, files, found: [] });
      }
      const captures = (await records.sources.journey(KEY, 100))?.captures ?? [];
      return captures
        .toReversed()
        .map(({ status, error, at, lastSeenAt, times }) => [
          status ?? error?.code,
          (at - NOW) / HOUR,
          (lastSeenAt - NOW) / HOUR,
          times,
        ]);
    }

    it.each([
      ['the same file', [file('one'), file('one'), file('one')], [[200, 0, 2, 3]]],
      ['a 304 to it', [file('one'), unchanged, unchanged], [[200, 0, 2, 3]]],
      ['a page that is not the file, whatever it says', [page(404, 'a'), page(404, 'b')], [[404, 0, 1, 2]]],
      [
        'the same kind of failure, in other words',
        [failed('timeout', 'after 5 s'), failed('timeout', 'after 6 s')],
        [['timeout', 0, 1, 2]],
      ],
    ])('extend what is kept: %s', async (_name, answers, rows) => {
      expect(await kept(...answers)).toEqual(rows);
    });

    it.each([
      ['another file', [file('one'), file('two')], 2],
      ['what was said before the last answer', [file('one'), file('two'), file('one')], 3],
      ['another status', [page(404, ''), page(410, '')], 2],
      ['another failure', [failed('timeout', ''), failed('dns', '')], 2],
      ['a failure after an answer', [file('one'), failed('dns', '')], 2],
      ['another way to the same file', [file('one'), moved], 2],
      ['a 304 after a page that is not the file', [file('one'), page(404, ''), unchanged], 3],
    ])('begin anew with %s', async (_name, answers, rows) => {
      const found = await kept(...answers);
      expect(found).toHaveLength(rows);
      expect(found.every(([, , , times]) => times === 1)).toBe(true);
    });

    it('keep the words and the time of the last failure', async () => {
      await kept(failed('timeout', 'after 5 s'), failed('timeout', 'after 6 s'));
      const journey = await world().records.sources.journey(KEY, 10);
      expect(journey?.captures).toMatchObject([{ error: { code: 'timeout', detail: 'after 6 s' } }]);
    });

    it.each([
      ['absent', 0],
      ['unreachable', 0],
      ['refused', 2],
      ['invalid', 2],
    ] as const)('of a domain that never published and is %s: %i', async (outcome, rows) => {
      const { records } = world();
      const work = await takeOne(records, 'domain', 'news.example', NOW);
      const error = { code: 'http_404', detail: 'not there' };
      const captures = [page(404, '')(NOW), file('ads.txt')(NOW)];
      const read = { captures, outcome, error, nextVisitAt: NOW + 1 };
      const files = [fileVisit(work, 'adagents', read), fileVisit(work, 'brand', { nextVisitAt: NOW + 1 })];
      await records.sources.commitDomainVisit({ domain: 'news.example', at: NOW, files, found: [] });
      const journey = await records.sources.journey(KEY, 10);
      expect(journey?.captures).toHaveLength(rows);
      expect(await records.sources.hasBody(sha256('ads.txt'))).toBe(rows > 0);
      expect(journey?.source).toMatchObject({ lastOutcome: outcome, lastError: error, lastVisitAt: NOW });
    });

    it('of a file that was read once are kept when it is gone', async () => {
      const { records } = world();
      const answers = [
        ['indexed', file('one')],
        ['absent', page(404, '')],
      ] as const;
      for (const [hour, [outcome, answer]] of answers.entries()) {
        const at = NOW + hour * HOUR;
        const work = await takeOne(records, 'domain', 'news.example', at);
        const read = { captures: [answer(at)], outcome, nextVisitAt: at + 1 };
        const files = [fileVisit(work, 'adagents', read), fileVisit(work, 'brand', { nextVisitAt: at + 1 })];
        await records.sources.commitDomainVisit({ domain: 'news.example', at, files, found: [] });
      }
      expect((await records.sources.journey(KEY, 10))?.captures.map(({ status }) => status)).toEqual([
        404, 200,
      ]);
    });

    it('stay as long as a visit gets them, with their body, and go 30 days after', async () => {
      const { records } = world();
      await kept(file('one'), ...Array.from({ length: 48 }, () => unchanged));
      expect(await records.prune(NOW + 31 * DAY)).toMatchObject({ captures: 0, bodies: 0 });
      expect(await records.sources.hasBody(sha256('one'))).toBe(true);
      expect(await records.prune(NOW + 33 * DAY)).toMatchObject({ captures: 1, bodies: 1 });
    });
  });
}
