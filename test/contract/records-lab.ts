import { describe, expect, it } from 'vitest';
import type { LabResult } from '../../src/domain/lab-report.ts';
import { NOW, type RecordsWorld } from './records-fixtures.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const AGENT = 'https://a.example/mcp';
const RESULT: LabResult = {
  ...{ grade: 'A', points: 1, outOf: 1, protocols: ['mcp'], steps: [], durationMs: 5 },
  checks: [{ id: 'https', title: 't', result: 'passed', points: 1, outOf: 1, reason: '\u0000 "\u2028' }],
};
const wanted = (id: string, agent = AGENT) => ({ id, agent, freshMs: 5 * MINUTE, lostMs: MINUTE });

/** What the lab has seen. */
export function describeLab(world: () => RecordsWorld): void {
  describe('a report of the lab', () => {
    it('is one for all who ask while it is under way or fresh, and then there is another', async () => {
      const { lab } = world().records;
      const begun = [];
      for (const [id, at] of [
        ['a', NOW],
        ['b', NOW + 30_000],
        ['c', NOW + MINUTE], // the first is lost
      ] as const)
        begun.push((await lab.begin(wanted(id), at)).report.id);
      expect(begun).toEqual(['a', 'a', 'c']);
      await lab.finish('c', RESULT);
      const fresh = await lab.begin(wanted('d'), NOW + 5 * MINUTE);
      expect(fresh).toEqual({
        begun: false,
        report: { id: 'c', agent: AGENT, askedAt: NOW + MINUTE, result: RESULT },
      });
      expect(await lab.fresh(wanted('d'), NOW + 5 * MINUTE)).toEqual(fresh.report);
      expect(await lab.fresh(wanted('e'), NOW + 6 * MINUTE)).toBeUndefined();
      expect((await lab.begin(wanted('e'), NOW + 6 * MINUTE)).begun).toBe(true);
      expect((await lab.begin(wanted('f', 'https://b.example/'), NOW)).begun).toBe(true);
    });

    it('begins once, however many ask at once', async () => {
      const { lab } = world().records;
      const ids = ['a', 'b', 'c', 'd'];
      const asked = await Promise.all(ids.map((id) => lab.begin(wanted(id), NOW)));
      expect(asked.filter(({ begun }) => begun)).toHaveLength(1);
      expect(new Set(asked.map(({ report }) => report.id)).size).toBe(1);
    });

    it('stays for 90 days, of an agent the last 20; one that could not be made never was', async () => {
      const { records } = world();
      for (let at = 0; at < 22; at += 1) {
        await records.lab.begin(wanted(`r${at}`), NOW + at * 10 * MINUTE);
        await records.lab.finish(`r${at}`, RESULT);
      }
      const found = await Promise.all(
        Array.from({ length: 22 }, (_, at) => records.lab.find(`r${at}`, NOW + DAY)),
      );
      expect(found.map((one) => one !== undefined)).toEqual([false, false, ...Array(20).fill(true)]);
      expect(found.at(-1)?.result).toEqual(RESULT);
      expect(await records.lab.find('r21', NOW + 91 * DAY)).toBeUndefined();
      await records.prune(NOW + 91 * DAY);
      expect(await records.lab.find('r21', NOW + DAY)).toBeUndefined();
      await records.lab.begin(wanted('gone', 'https://b.example/'), NOW);
      await records.lab.finish('gone', undefined);
      expect(await records.lab.find('gone', NOW)).toBeUndefined();
    });
  });
}
