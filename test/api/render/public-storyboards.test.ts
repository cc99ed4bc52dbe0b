import { describe, expect, it } from 'vitest';
import { publicStoryboards } from '../../../src/api/render/public-storyboards.ts';
import type { StoryboardOutcome } from '../../../src/domain/judged-run.ts';
import { board, declaring, judgedRun, START } from '../../compliance/support/judged-runs.ts';

const RESULTS: readonly StoryboardOutcome[] = ['pass', 'fail', 'incomplete', 'skipped'];
const PLACES = [
  ['a', 'core'],
  ['b', 'core'],
  ['sales_guaranteed', 'media_buy'],
  ['c', 'media_buy'],
  ['d', 'media_buy'],
] as const;

/** A run of all these, each with its result. */
const runOf = (results: readonly StoryboardOutcome[]) =>
  judgedRun(START, {
    agent: declaring('sales-guaranteed'),
    storyboards: PLACES.map(([id, track], at) => board(id, track, results[at] ?? 'skipped')),
  });

/** Every way in which so many storyboards can come out. */
function allOf(count: number): readonly (readonly StoryboardOutcome[])[] {
  if (count === 0) return [[]];
  return allOf(count - 1).flatMap((before) => RESULTS.map((one) => [...before, one]));
}

const told = (...results: readonly StoryboardOutcome[]) =>
  publicStoryboards(runOf(results)).map(({ result, duration_ms: ms }) => [result, ms]);

describe('the storyboards of a run, for everybody', () => {
  it('are told nothing that the public fields do not say, and nothing that is wrong', () => {
    const seen = new Map<string, string>();
    for (const results of allOf(PLACES.length)) {
      const run = runOf(results);
      const { storyboard_statuses: _, ...open } = run.verdict;
      const shown = publicStoryboards(run);
      const before = seen.get(JSON.stringify(open)) ?? JSON.stringify(shown);
      expect(JSON.stringify(shown)).toBe(before);
      seen.set(JSON.stringify(open), before);
      for (const { storyboard_id: id, result } of shown) {
        const truth = results[PLACES.findIndex(([one]) => one === id)];
        expect([null, truth]).toContain(result);
      }
    }
  });

  it('are told with their time where the counts leave one possibility, and are for the owner elsewhere', () => {
    expect(told('pass', 'pass', 'pass', 'pass', 'pass')).toEqual(Array(5).fill(['pass', 10]));
    // one of two passes, and the headline names the other; so c and d are known, too
    expect(told('fail', 'pass', 'fail', 'fail', 'fail')).toEqual([
      ['fail', 10],
      ['pass', 10],
      ...Array(3).fill(['fail', 10]),
    ]);
    // of c and d, in the order of their ids, one passes and one does not
    const parted = [
      ['pass', 10],
      ['pass', 10],
      ['fail', 10],
      ['pass', 10],
      ['pass', 10],
    ];
    expect(told('pass', 'pass', 'pass', 'fail', 'pass')).toEqual(parted);
    expect(told('fail', 'skipped', 'pass', 'pass', 'fail').slice(1)).toEqual([
      [null, null],
      [null, null],
      [null, null],
      ['pass', 10],
    ]);
  });

  it('are incomplete where the counts leave no other possibility', () => {
    // none was skipped and the track does not fail
    expect(told('incomplete', 'incomplete', 'pass', 'pass', 'pass').slice(0, 2)).toEqual([
      ['incomplete', 10],
      ['incomplete', 10],
    ]);
    // one may be incomplete and the other skipped
    expect(told('incomplete', 'skipped', 'pass', 'pass', 'pass').slice(0, 2)).toEqual([
      [null, null],
      [null, null],
    ]);
    expect(told('skipped', 'skipped', 'pass', 'incomplete', 'pass').slice(0, 2)).toEqual([
      ['skipped', 10],
      ['skipped', 10],
    ]);
  });

  it('say nothing by a headline that was recorded elsewhere', () => {
    const run = { ...runOf(['fail', 'pass', 'pass', 'pass', 'pass']), imported: true };
    expect(publicStoryboards(run).map(({ result }) => result)).toEqual([null, null, 'pass', 'pass', 'pass']);
  });
});
