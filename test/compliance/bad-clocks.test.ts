import { describe, expect, it } from 'vitest';
import { verdictOf } from '../../src/compliance/verdict/verdict.ts';
import { runNowWait } from '../../src/domain/standing.ts';
import { openRunWorld, urlOf } from '../pipelines/support/run-world.ts';
import { of, tell, timeline } from './support/badge-story.ts';
import { answered, resultsOf, runAt, startAgent, withPhases } from './support/runs.ts';

const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;
const board = withPhases(
  '  - {id: p, steps: [{id: a, task: get_products}, {id: b, task: get_products}, {id: c, task: get_products}]}\n',
);

/** A run in the middle of which the clock jumps. */
async function jumping(by: number) {
  const started = Date.now();
  let offset = 0;
  let calls = 0;
  const { url } = await startAgent({
    answer: () => {
      if (++calls === 2) offset = by;
      return answered({ products: [] });
    },
  });
  const run = await runAt(url, [board], { clock: { now: () => started + offset + calls } });
  return { run, started };
}

describe('a clock that jumps in the middle of a run', () => {
  it('a year ahead ends it without a verdict, and says so', async () => {
    const { run } = await jumping(YEAR);
    expect(run).toMatchObject({
      outcome: 'inconclusive',
      inconclusive: { reason: 'own_deadline', detail: 'the run reached its time limit' },
      totals: { steps: { passed: 2, failed: 0, skipped: 1 } },
    });
    expect(verdictOf(run).status).toBe('unknown');
  });

  it('a year back changes nothing: every step is run, and no time is negative', async () => {
    const { run } = await jumping(-YEAR);
    expect(run.outcome).toBe('complete');
    expect(resultsOf(run)).toEqual(['a: pass', 'b: pass', 'c: pass']);
    expect(Math.min(run.duration_ms, ...run.steps.map(({ duration_ms: ms }) => ms))).toBeGreaterThanOrEqual(
      0,
    );
    expect(Math.max(...run.steps.map(({ duration_ms: ms }) => ms))).toBeLessThan(HOUR);
    expect(Date.parse(run.finished_at)).toBeGreaterThanOrEqual(Date.parse(run.started_at));
    expect(verdictOf(run).observations).toEqual([]);
  });

  it('a year ahead costs the agent nothing: the run counts for nothing, and the next one is made', async () => {
    const world = await openRunWorld({
      'a.example': { onCall: (what) => what === 'get_proto_capabilities' && jump() },
    });
    let jumps = 1;
    const jump = () => {
      if (jumps-- > 0) world.clock.value += YEAR;
    };
    await world.own('a.example');
    await world.beat();
    expect(await world.outcomes('a.example')).toEqual(['own_deadline']);
    world.clock.value += 2 * HOUR;
    await world.beat();
    expect(await world.outcomes('a.example')).toEqual(['complete', 'own_deadline']);
    const state = await world.store.records.compliance.state(urlOf('a.example'));
    expect(state?.standing).toMatchObject({ status: 'passing', lastFailedAt: null, streakDays: 0 });
  });
});

describe('a clock that was wrong for a while', () => {
  it('a year ahead is forgotten once it is right: the agent is tested after its interval, and no time lies in the future', async () => {
    const world = await openRunWorld({ 'a.example': {} });
    await world.own('a.example');
    await world.beat();
    world.clock.value += YEAR;
    await world.beat();
    expect(await world.outcomes('a.example')).toEqual(['complete', 'complete']);
    world.clock.value -= YEAR;
    await world.beat();
    world.clock.value += 13 * HOUR;
    await world.beat();
    expect(await world.outcomes('a.example')).toHaveLength(3);
    const { standing, due } = (await world.store.records.compliance.state(urlOf('a.example'))) ?? {};
    const now = world.clock.value;
    expect(standing).toMatchObject({ status: 'passing', streakDays: 0 });
    for (const time of [
      standing?.lastPassedAt,
      standing?.statusChangedAt,
      standing?.lastAttempt?.at,
      standing?.streakSince,
    ])
      expect(time).toBeLessThanOrEqual(now);
    expect(due).toBeGreaterThan(now);
    expect(due).toBeLessThanOrEqual(now + 12 * HOUR);
  });

  it('a year behind tests nobody twice, and everybody as soon as it is right', async () => {
    const world = await openRunWorld({ 'a.example': {} });
    await world.own('a.example');
    await world.beat();
    world.clock.value -= YEAR;
    await world.beat();
    await world.beat();
    const behind = (await world.outcomes('a.example')).length;
    expect(behind).toBeLessThanOrEqual(2);
    world.clock.value += YEAR + 13 * HOUR;
    await world.beat();
    expect(await world.outcomes('a.example')).toHaveLength(behind + 1);
  });
});

describe('badges and waits under a clock that was a year ahead and is put back', () => {
  const PASS = of({ 'sales-guaranteed': 'pass' });
  const FAIL = of({ 'sales-guaranteed': 'fail' });
  const DAY = 24 * HOUR;

  it('a grace that began in the future begins with the next failing run, and lasts its 48 hours', () => {
    const until = (hours: number) =>
      timeline(tell([0, PASS], [YEAR, FAIL], [HOUR, FAIL], [hours * HOUR, FAIL]));
    expect(until(48)).toEqual(['earned', 'grace']);
    expect(until(49)).toEqual(['earned', 'grace', 'revoked']);
  });

  it('a live axis that came of the wrong time goes, and comes back after seven true days', () => {
    const axes = (...days: readonly number[]) =>
      tell(...days.map((at) => [at, PASS] as const)).badges.at(-1)?.axes;
    expect(axes(0, YEAR)).toEqual(['spec', 'live']);
    expect(axes(0, YEAR, DAY)).toEqual(['spec']);
    expect(axes(0, YEAR, DAY, 7 * DAY)).toEqual(['spec', 'live']);
  });

  it('nobody waits longer for a run than ten minutes', () => {
    const { standing } = tell([YEAR, PASS]);
    const now = standing.lastAttempt?.at ?? 0;
    expect(runNowWait(standing, now - YEAR)).toBe(0);
    expect(runNowWait(standing, now - 1)).toBe(10 * 60_000);
    expect(runNowWait(standing, now + YEAR)).toBe(0);
  });
});
