import { describe, expect, it, onTestFinished } from 'vitest';
import { schedule } from '../../pipelines/schedule.ts';
import { reconsiderDue } from '../../pipelines/sweep.ts';
import { work } from '../../pipelines/work.ts';
import { composeVisits } from '../../src/compose/visits.ts';
import { readConfig } from '../../src/config.ts';
import { createDueLevels } from '../../src/ops/level-counts.ts';
import { createMetrics } from '../../src/ops/metrics.ts';
import { deadHolder } from '../support/dead-holder.ts';
import { type MemoryQueue, memoryQueue, until } from './support/memory-queue.ts';
import { openRunWorld, type RunWorld, urlOf } from './support/run-world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TRACE = 'd'.repeat(32);

/** A scheduler and a worker of the kind `heartbeat`, until the test ends. */
function begin(world: RunWorld, queue: MemoryQueue, workers = 1) {
  const end = new AbortController();
  const metrics = createMetrics();
  const { signal } = end;
  const context = world.context({ signal, metrics });
  const visits = composeVisits({ ...context, config: readConfig({}), records: world.store.records });
  const off = { crawl: 'off', probe: 'off', index: 'off', prune: 'off' } as const;
  const running = [
    schedule({ ...visits, queue, signal, timetable: { ...off, heartbeat: 'always' }, ahead: 100 }),
    ...Array.from({ length: workers }, (_, at) =>
      work({ queue, kinds: ['heartbeat'], holder: `worker ${at}`, visits, runs: context, timeoutMs: 60_000 }),
    ),
  ];
  const stop = async () => {
    end.abort();
    await Promise.all(running);
  };
  onTestFinished(stop);
  return { metrics, stop };
}

describe('jobs of the heartbeat', () => {
  it('are put on the queue when an agent is due, and done by the workers, each agent once', async () => {
    const hosts = ['a.example', 'b.example', 'c.example'];
    const world = await openRunWorld(Object.fromEntries(hosts.map((host) => [host, {}])));
    await world.own(...hosts);
    const queue = memoryQueue();
    const { metrics, stop } = begin(world, queue, 2);
    await until(() => hosts.every((host) => queue.told.includes(`heartbeat done ${urlOf(host)}`)));
    await stop();
    for (const host of hosts) expect(await world.outcomes(host)).toEqual(['complete']);
    expect(metrics.runCounts().complete).toBe(3);
    const tested = world.logged().filter(({ msg }) => msg === 'agent tested');
    for (const { trace_id } of tested) expect(trace_id).toMatch(/^[0-9a-f]{32}$/);
  });

  it('are done without a test when the agent is not due any more, or not known', async () => {
    const world = await openRunWorld({ 'a.example': {}, 'b.example': {} });
    await world.own('a.example');
    await world.beat();
    const calls = world.heard.length;
    const queue = memoryQueue();
    const keys = [urlOf('a.example'), urlOf('b.example')];
    await queue.add(
      'heartbeat',
      keys.map((key) => ({ key, traceId: TRACE })),
    );
    const { metrics, stop } = begin(world, queue);
    await until(() => queue.told.length === 2);
    await stop();
    expect(world.heard.length).toBe(calls);
    expect(await metrics.text()).toContain('registry_jobs_total{kind="heartbeat",outcome="not_due"} 2');
  });

  it('wait again when the worker is stopped, and so does the agent', async () => {
    const world = await openRunWorld({ 'a.example': { raw: () => {} } });
    await world.own('a.example');
    const queue = memoryQueue();
    const { stop } = begin(world, queue);
    await until(() => world.heard.length > 0);
    await stop();
    expect(queue.told).toEqual([`heartbeat putBack ${urlOf('a.example')}`]);
    const due = await world.store.records.runs.takeDue(10, world.clock.value, 1, 'elsewhere');
    expect(due.map(({ key }) => key)).toEqual([urlOf('a.example')]);
  });
});

describe('agents that a killed worker had', () => {
  it('are given back by the next one of its machine, and so put on the queue', async () => {
    const world = await openRunWorld({ 'a.example': {} });
    await world.own('a.example');
    const { runs, politeness } = world.store.records;
    const holder = deadHolder();
    await politeness.claim(['a.example'], holder, world.clock.value, HOUR);
    await runs.takeDue(1, world.clock.value, HOUR, holder);
    const queue = memoryQueue();
    const { stop } = begin(world, queue);
    await until(() => queue.told.includes(`heartbeat done ${urlOf('a.example')}`));
    await stop();
    expect(await world.outcomes('a.example')).toEqual(['complete']);
  });
});

describe('a run that somebody asks for', () => {
  it('is not behind thousands that are due', async () => {
    const world = await openRunWorld({});
    const hosts = Array.from({ length: 400 }, (_, at) => `a${at}.example`);
    await world.own(...hosts);
    const { records } = world.store;
    const queue = memoryQueue();
    const end = new AbortController();
    const scheduling = schedule({
      ...{ ...world.context({ signal: end.signal }), records, queue, ahead: 5_000 },
      timetable: { crawl: 'off', probe: 'off', index: 'off', prune: 'off', heartbeat: 'always' },
    });
    await until(() => queue.waiting('heartbeat').length > 0);
    expect(queue.waiting('heartbeat')).toHaveLength(100);
    const runId = '7d1f6a52-3c57-4b8e-9a55-0d3f5a2f9b12';
    const asked = urlOf('a399.example');
    const wanted = { agent: asked, runId, trigger: 'manual', actor: { kind: 'operator' } } as const;
    await records.runs.request(wanted, () => 0, world.clock.value);
    const begun = await queue.take('heartbeat', 60);
    await records.runs.takeKeys(
      begun.map(({ key }) => key),
      world.clock.value,
      HOUR,
      'elsewhere',
    );
    await until(() => queue.waiting('heartbeat').length > 40);
    end.abort();
    await scheduling;
    expect(queue.waiting('heartbeat')).toContain(asked);
    expect(queue.waiting('heartbeat').length).toBeLessThanOrEqual(150);
  });
});

describe('the levels of the heartbeat', () => {
  it('say how many wait, how many were asked for, and how long the longest overdue one has waited', async () => {
    const world = await openRunWorld({ 'a.example': {}, 'b.example': {} });
    await world.own('a.example', 'b.example');
    world.clock.value += 90_000;
    const { records } = world.store;
    const runId = '7d1f6a52-3c57-4b8e-9a55-0d3f5a2f9b11';
    const actor = { kind: 'operator' } as const;
    const wanted = { agent: urlOf('b.example'), runId, trigger: 'manual', actor } as const;
    await records.runs.request(wanted, () => 0, world.clock.value);
    const metrics = createMetrics();
    await createDueLevels({ records, metrics, clock: world.clock })();
    const text = await metrics.text();
    expect(text).toContain('registry_runs_due_oldest_seconds 90');
    expect(text).toContain('registry_runs_asked 1');
  });
});

describe('the sweep over badges', () => {
  it('looks once a day at agents that nothing else has looked at', async () => {
    const world = await openRunWorld({ 'a.example': {} });
    await world.own('a.example');
    await world.beat();
    const context = world.context();
    expect(await reconsiderDue(context)).toBe(0);
    world.clock.value += DAY + 1;
    expect(await reconsiderDue(context)).toBe(1);
    expect(await reconsiderDue(context)).toBe(0);
  });

  it('goes on with the others when one agent cannot be decided on', async () => {
    const world = await openRunWorld({});
    await world.own('a.example', 'b.example');
    world.clock.value += DAY + 1;
    const { records } = world.store;
    const compliance: typeof records.compliance = {
      ...records.compliance,
      reconsider: (agent, ...rest) =>
        agent === urlOf('a.example')
          ? Promise.reject(new Error('ours'))
          : records.compliance.reconsider(agent, ...rest),
    };
    expect(await reconsiderDue(world.context({ records: { ...records, compliance } }))).toBe(1);
    expect(world.logged()).toMatchObject([{ agent: urlOf('a.example'), level: 50 }]);
  });

  it('comes to those behind hundreds that cannot be decided on, and does not try these again at once', async () => {
    const world = await openRunWorld({});
    const bad = Array.from({ length: 201 }, (_, at) => `a${at}.example`);
    await world.own(...bad);
    world.clock.value += 1;
    await world.own('z.example');
    const { records } = world.store;
    let tries = 0;
    const reconsider: typeof records.compliance.reconsider = (agent, ...rest) => {
      tries += 1;
      if (agent !== urlOf('z.example')) return Promise.reject(new Error('ours'));
      return records.compliance.reconsider(agent, ...rest);
    };
    const context = world.context({
      records: { ...records, compliance: { ...records.compliance, reconsider } },
    });
    expect(await reconsiderDue(context)).toBe(1);
    expect(tries).toBe(202);
    world.clock.value += 60_000;
    expect(await reconsiderDue(context)).toBe(0);
    expect(tries).toBe(202);
    world.clock.value += HOUR;
    await reconsiderDue(context);
    expect(tries).toBe(403);
  });
});
