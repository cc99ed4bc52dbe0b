import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openStore } from '../../src/compose/engines.ts';
import { readConfig } from '../../src/config.ts';
import { createDueLevels } from '../../src/ops/level-counts.ts';
import { createMetrics } from '../../src/ops/metrics.ts';

describe('the visits that are due', () => {
  it('are counted once for all who ask within some seconds, and anew after that', async () => {
    const { records, clock, metrics } = await openParts();
    const count = createDueLevels({ records, metrics, clock });
    const add = (key: string) =>
      records.sources.add([{ kind: 'domain', key, foundVia: 'operator' }], clock.value);
    await add('a.example');
    await count();
    await add('b.example');
    clock.value += 9_000;
    await Promise.all([count(), count()]);
    expect(await metrics.text()).toContain('registry_due_visits{kind="domain"} 1');
    clock.value += 1_000;
    await count();
    expect(await metrics.text()).toContain('registry_due_visits{kind="domain"} 2');
    expect(await metrics.text()).toContain('registry_due_oldest_seconds{kind="domain"} 10');
  });

  it('are counted once for all who ask meanwhile, also when that takes minutes', async () => {
    const { records, clock, metrics } = await openParts();
    const counts: PromiseWithResolvers<{ domains: number; agents: number }>[] = [];
    const countDue = () => {
      const begun = Promise.withResolvers<{ domains: number; agents: number }>();
      counts.push(begun);
      return begun.promise;
    };
    const slow = { ...records, sources: { ...records.sources, countDue } };
    const count = createDueLevels({ records: slow, metrics, clock });
    const scrapes = [count()];
    await vi.waitUntil(() => counts.length > 0);
    for (let scrape = 0; scrape < 3; scrape += 1) {
      clock.value += 60_000;
      scrapes.push(count());
      await setImmediate();
    }
    for (const begun of counts) begun.resolve({ domains: 7, agents: 0 });
    await Promise.all(scrapes);
    expect(counts).toHaveLength(1);
    expect(await metrics.text()).toContain('registry_due_visits{kind="domain"} 7');
  });

  it('are counted for a hundredth of the time when that takes long', async () => {
    const { count, clock, counted } = await openSlow([2_000, 2_000]);
    await count();
    clock.value += 199_999;
    await count();
    expect(counted()).toBe(1);
    clock.value += 1;
    await count();
    expect(counted()).toBe(2);
  });

  it('are counted after ten minutes at the latest, also when the clock is set forward meanwhile', async () => {
    const { count, clock, counted } = await openSlow([3_600_000, 0]);
    await count();
    clock.value += 599_999;
    await count();
    expect(counted()).toBe(1);
    clock.value += 1;
    await count();
    expect(counted()).toBe(2);
  });
});

async function openParts() {
  const clock = { value: 1_800_000_000_000, now: () => clock.value };
  const metrics = createMetrics({ version: '1.0.0', process: false });
  const { records, close } = await openStore(
    { ...readConfig({}), store: 'sqlite::memory:' },
    { create: true },
  );
  onTestFinished(close);
  return { records, clock, metrics };
}

/** As many counts as there are times, in milliseconds, each of which takes so long by the clock. */
async function openSlow(takeMs: readonly number[]) {
  const { records, clock, metrics } = await openParts();
  let counts = 0;
  const countDue = async () => {
    clock.value += takeMs[counts] ?? 0;
    counts += 1;
    return { domains: 1_000_000, agents: 0 };
  };
  const slow = { ...records, sources: { ...records.sources, countDue } };
  return { count: createDueLevels({ records: slow, metrics, clock }), clock, counted: () => counts };
}
