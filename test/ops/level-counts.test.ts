import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../src/compose/engines.ts';
import { readConfig } from '../../src/config.ts';
import { createDueLevels } from '../../src/ops/level-counts.ts';
import { createMetrics } from '../../src/ops/metrics.ts';

describe('the visits that are due', () => {
  it('are counted once for all who ask within some seconds, and anew after that', async () => {
    const store = await openStore({ ...readConfig({}), store: 'sqlite::memory:' }, { create: true });
    onTestFinished(store.close);
    const clock = { value: 1_800_000_000_000, now: () => clock.value };
    const metrics = createMetrics({ version: '1.0.0', process: false });
    const count = createDueLevels({ records: store.records, metrics, clock });
    const add = (key: string) =>
      store.records.sources.add([{ kind: 'domain', key, foundVia: 'operator' }], clock.value);
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

  it('are counted for a hundredth of the time when that takes long', async () => {
    const clock = { value: 1_800_000_000_000, now: () => clock.value };
    const metrics = createMetrics({ version: '1.0.0', process: false });
    const store = await openStore({ ...readConfig({}), store: 'sqlite::memory:' }, { create: true });
    onTestFinished(store.close);
    let counts = 0;
    const countDue = async () => {
      counts += 1;
      clock.value += 2_000;
      return { domains: 1_000_000, agents: 0 };
    };
    const records = { ...store.records, sources: { ...store.records.sources, countDue } };
    const count = createDueLevels({ records, metrics, clock });
    await count();
    clock.value += 197_000;
    await count();
    expect(counts).toBe(1);
    clock.value += 1_000;
    await count();
    expect(counts).toBe(2);
  });

  it('are counted after ten minutes at the latest, also when the clock is set forward meanwhile', async () => {
    const clock = { value: 1_800_000_000_000, now: () => clock.value };
    const metrics = createMetrics({ version: '1.0.0', process: false });
    const store = await openStore({ ...readConfig({}), store: 'sqlite::memory:' }, { create: true });
    onTestFinished(store.close);
    let counts = 0;
    const countDue = async () => {
      counts += 1;
      if (counts === 1) clock.value += 3_600_000;
      return { domains: 1, agents: 0 };
    };
    const records = { ...store.records, sources: { ...store.records.sources, countDue } };
    const count = createDueLevels({ records, metrics, clock });
    await count();
    await count();
    expect(counts).toBe(2);
  });
});
