import { expect, onTestFinished, test } from 'vitest';
import { MEASUREMENT_AGENTS } from '../src/agents/roster-measurement.ts';
import { summarise } from '../src/expectations.ts';
import { BAD_METRICS, metricsOf } from '../src/metrics.ts';
import { createRandom } from '../src/random.ts';
import { startSandbox } from '../src/start-sandbox.ts';

const all = MEASUREMENT_AGENTS.flatMap(({ name }, index) =>
  metricsOf(createRandom(7).fork(name), 'vendor.example', index),
);
const accreditations = all.flatMap(
  (metric) => metric.accreditations as { accrediting_body: string; valid_until: string }[],
);

test('a vendor has two to five metrics, each named once', () => {
  const ids = metricsOf(createRandom(7), 'vendor.example', 3).map(({ metric_id }) => metric_id);
  expect(ids.length).toBeGreaterThanOrEqual(2);
  expect(ids.length).toBeLessThanOrEqual(5);
  expect(new Set(ids).size).toBe(ids.length);
});

test('several bodies accredit, and some of it has expired', () => {
  expect(new Set(accreditations.map((each) => each.accrediting_body)).size).toBeGreaterThanOrEqual(5);
  const years = accreditations.map(({ valid_until }) => Number(valid_until.slice(0, 4)));
  expect(years.some((year) => year < 2025)).toBe(true);
  expect(years.some((year) => year > 2030)).toBe(true);
});

test('bad metrics are expected nowhere', async () => {
  const sandbox = await startSandbox({ seed: 7, publishers: 5, managed: 0 });
  onTestFinished(() => sandbox.close());
  const { expectations } = sandbox;
  const expected = expectations.agents.flatMap(({ metricIds }) => metricIds);
  for (const { metric_id } of BAD_METRICS) expect(expected).not.toContain(metric_id);
  expect(Object.keys(summarise(expectations).agentsByMetric).length).toBeGreaterThanOrEqual(10);
});
