import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../src/ops/metrics.ts';

describe('the metrics', () => {
  it('count what the crawl reports', async () => {
    const metrics = createMetrics({ version: '1.2.3' });
    metrics.visit('domain', 'indexed');
    metrics.visitTook('domain', 0.2);
    metrics.probe('timeout');
    metrics.fetched('domain', 1_234);
    metrics.due('agent', 3);
    const text = await metrics.text();
    for (const line of [
      'registry_build_info{version="1.2.3"} 1',
      'registry_visits_total{kind="domain",outcome="indexed"} 1',
      'registry_visit_duration_seconds_count{kind="domain"} 1',
      'registry_probes_total{result="timeout"} 1',
      'registry_fetched_bytes_total{kind="domain"} 1234',
      'registry_due_visits{kind="agent"} 3',
    ]) {
      expect(text).toContain(line);
    }
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
