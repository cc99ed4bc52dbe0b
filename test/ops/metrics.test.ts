import { describe, expect, it } from 'vitest';
import { RegistryError } from '../../src/errors.ts';
import { countFault } from '../../src/ops/engine-metrics.ts';
import { createMetrics } from '../../src/ops/metrics.ts';

describe('the metrics', () => {
  it('count what the crawl reports', async () => {
    const metrics = createMetrics({ version: '1.2.3' });
    metrics.visit('domain', 'indexed');
    metrics.visitTook('domain', 0.2);
    metrics.probe('timeout');
    metrics.fetched('domain', 1_234);
    metrics.due('agent', 3);
    metrics.indexWritten(4);
    metrics.indexLag(2);
    metrics.indexRetried(1);
    const text = await metrics.text();
    for (const line of [
      'registry_build_info{version="1.2.3"} 1',
      'registry_visits_total{kind="domain",outcome="indexed"} 1',
      'registry_visit_duration_seconds_count{kind="domain"} 1',
      'registry_probes_total{result="timeout"} 1',
      'registry_fetched_bytes_total{kind="domain"} 1234',
      'registry_due_visits{kind="agent"} 3',
      'registry_index_documents_written_total 4',
      'registry_index_lag_changes 2',
      'registry_index_retried_items_total 1',
    ]) {
      expect(text).toContain(line);
    }
  });

  it('show the clock as it is when they are asked for', async () => {
    const metrics = createMetrics();
    let skewMs = 0;
    metrics.clock(() => skewMs);
    skewMs = 600_000;
    const text = await metrics.text();
    expect(text).toContain('registry_clock_skew_seconds 600');
  });

  it('show a self-check that was never made as older than any', async () => {
    const metrics = createMetrics();
    metrics.selfCheck(undefined, 5_000);
    expect(await metrics.text()).toContain('registry_self_check_age_seconds +Inf');
    metrics.selfCheck({ at: 3_000, differences: 0 } as never, 5_000);
    expect(await metrics.text()).toContain('registry_self_check_age_seconds 2\n');
  });

  it('share nothing with other instances of the process', async () => {
    const [one, other] = [createMetrics(), createMetrics()];
    one.listCache('hit');
    expect(await other.text()).not.toContain('result="hit"');
  });

  it('add the figures of the process when asked', async () => {
    expect(await createMetrics({ process: true }).text()).toContain('process_cpu_seconds_total');
  });
});

describe('a fault of an engine', () => {
  it('is counted by engine and code, and no other error is', async () => {
    const metrics = createMetrics();
    const fault = new RegistryError('index_missing', 'the index has no live generation');
    expect(countFault(metrics, fault)).toBe(fault);
    expect(countFault(metrics, new RegistryError('usage', 'no'))).toBeUndefined();
    expect(countFault(metrics, new Error('no'))).toBeUndefined();
    const text = await metrics.text();
    const counted = text.split('\n').filter((line) => line.startsWith('registry_engine_faults_total{'));
    expect(counted).toEqual(['registry_engine_faults_total{engine="index",code="index_missing"} 1']);
  });
});
