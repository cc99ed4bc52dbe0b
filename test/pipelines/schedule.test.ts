import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ScheduleContext, schedule } from '../../pipelines/schedule.ts';
import { createMetrics } from '../../src/ops/metrics.ts';
import { openWorld, type World } from '../scenarios/support/world.ts';
import { type MemoryQueue, memoryQueue, until } from './support/memory-queue.ts';

const OFF: ScheduleContext['timetable'] = {
  ...{ crawl: 'off', probe: 'off', heartbeat: 'off', index: 'off', prune: 'off' },
};
const names = (count: number, under = '') =>
  Array.from({ length: count }, (_, at) => `d${String(at).padStart(2, '0')}${under}.example`);

async function worldWith(domains: readonly string[]): Promise<World> {
  const world = await openWorld({});
  const visits = domains.map((key) => ({ kind: 'domain', key, foundVia: 'operator' }) as const);
  await world.store.records.sources.add(visits, world.clock.value);
  return world;
}

/** A scheduler that runs until the test ends, or rejects. */
function begin({ store, clock }: World, queue: MemoryQueue, over: Partial<ScheduleContext> = {}) {
  const end = new AbortController();
  const metrics = createMetrics();
  const running = schedule({
    ...{ queue, records: store.records, clock, metrics, log: pino({ level: 'silent' }) },
    signal: end.signal,
    timetable: { ...OFF, crawl: 'always' },
    ahead: 100,
    ...over,
  });
  const stop = () => {
    end.abort();
    return running;
  };
  onTestFinished(stop);
  return { running, stop, metrics };
}

describe('the scheduler', () => {
  it('puts what is due on the queue, each once with a trace of its own, however many schedulers run', async () => {
    const world = await worldWith(names(30));
    const queue = memoryQueue();
    const [one, other] = [begin(world, queue), begin(world, queue)];
    await until(() => queue.waiting('crawl').length === 30);
    await Promise.all([one.stop(), other.stop()]);
    const jobs = [...queue.jobs.crawl.values()].map(({ job }) => job);
    expect(jobs.map(({ key }) => key).toSorted()).toEqual(names(30).toSorted());
    expect(new Set(jobs.map(({ traceId }) => traceId)).size).toBe(30);
    for (const { traceId } of jobs) expect(traceId).toMatch(/^[0-9a-f]{32}$/);
  });

  it('keeps no more waiting than it may, the longest overdue first, and brings more as they are done', async () => {
    const world = await worldWith(names(5, '.late'));
    const later = names(20).map((key) => ({ kind: 'domain', key, foundVia: 'operator' }) as const);
    await world.store.records.sources.add(later, world.clock.value + 1);
    world.clock.value += 10;
    const queue = memoryQueue();
    begin(world, queue, { ahead: 10 });
    await until(() => queue.waiting('crawl').length > 0);
    expect(queue.waiting('crawl')).toEqual([...names(5, '.late'), ...names(5)]);
    const jobs = await queue.take('crawl', 10);
    await world.store.records.sources.takeKeys(
      'domain',
      jobs.map(({ key }) => key),
      world.clock.value,
      60_000,
    );
    await until(() => queue.waiting('crawl').length > 0);
    expect(queue.waiting('crawl')).toEqual(names(20).slice(5, 15));
  });

  it('does not let the hosts of a domain that is being visited stand in the way', async () => {
    const world = await worldWith([...names(50, '.big'), 'small.example']);
    await world.store.records.politeness.claim(['big.example'], 'somebody', world.clock.value, 60_000);
    const queue = memoryQueue();
    begin(world, queue, { ahead: 10 });
    await until(() => queue.waiting('crawl').length > 0);
    expect(queue.waiting('crawl')).toEqual(['small.example']);
  });

  it('opens a kind at the times of its cron expression, until all that was due is on the queue', async () => {
    const world = await worldWith(names(3));
    const queue = memoryQueue();
    const timetable = { ...OFF, crawl: { cron: '*/5 * * * *' }, prune: { cron: '17 3 * * *' } };
    begin(world, queue, { timetable });
    await until(() => queue.ticks.size === 2);
    expect([...queue.ticks].map(([name, { cron }]) => `${name} ${cron}`)).toEqual([
      'crawl */5 * * * *',
      'prune 17 3 * * *',
    ]);
    expect(queue.waiting('crawl')).toEqual([]);
    const ticks = ['crawl', 'prune'].map((name) => queue.ticks.get(name)?.tick());
    await until(() => queue.waiting('crawl').length === 3 && queue.waiting('prune').length === 1);
    expect(queue.waiting('prune')).toEqual(['prune']);
    await Promise.all(ticks);
  });

  it('leaves the rest of a long backlog to another scheduler when it ends, and says that its tick is not done', async () => {
    const world = await worldWith(names(25));
    const queue = memoryQueue();
    const over = { timetable: { ...OFF, crawl: { cron: '17 3 * * *' } }, ahead: 10 };
    const taken = async () => {
      const jobs = await queue.take('crawl', 10);
      const keys = jobs.map(({ key }) => key);
      await world.store.records.sources.takeKeys('domain', keys, world.clock.value, 60_000);
      return keys;
    };
    const first = begin(world, queue, over);
    await until(() => queue.ticks.size === 1);
    const left = queue.ticks
      .get('crawl')
      ?.tick()
      .catch((error: unknown) => error);
    await until(() => queue.waiting('crawl').length === 10);
    const seen = await taken();
    await first.stop();
    expect(await left).toMatchObject({ code: 'interrupted', retryable: true });
    await queue.never('crawl');
    begin(world, queue, over);
    await until(() => queue.ticks.size === 1);
    const again = queue.ticks.get('crawl')?.tick(); // as the queue does with a tick that was not done
    while (seen.length < 25) {
      await until(() => queue.waiting('crawl').length > 0);
      seen.push(...(await taken()));
    }
    await again;
    expect(new Set(seen).size).toBe(25);
  });

  it('goes on by itself when the queue was away', async () => {
    const world = await worldWith(names(3));
    const queue = memoryQueue();
    queue.away = true;
    const { metrics } = begin(world, queue);
    await until(async () =>
      (await metrics.text()).includes('registry_schedule_passes_total{result="error"} 1'),
    );
    queue.away = false;
    await until(() => queue.waiting('crawl').length === 3);
  });

  it('ends with a fault that does not pass', async () => {
    const world = await worldWith(names(3));
    const queue = { ...memoryQueue(), depth: () => Promise.reject(new TypeError('a fault of ours')) };
    await expect(
      schedule({
        ...{ queue, records: world.store.records, clock: world.clock, metrics: createMetrics() },
        log: pino({ level: 'silent' }),
        signal: new AbortController().signal,
        timetable: { ...OFF, crawl: 'always' },
        ahead: 10,
      }),
    ).rejects.toThrow('a fault of ours');
  });
});
