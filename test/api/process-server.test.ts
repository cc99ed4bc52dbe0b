import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createProcessServer } from '../../src/api/process-server.ts';
import { createMetrics } from '../../src/ops/metrics.ts';

const logger = pino({ level: 'silent' });
const away = () => Promise.reject(new Error('away'));
const well = async () => {};

describe('the HTTP side of a worker', () => {
  it('shows the metrics, counted when they are asked for', async () => {
    const metrics = createMetrics();
    const refresh = async () =>
      metrics.queueDepth('crawl', { waiting: 3, active: 1, oldestAt: 1_000 }, 3_500);
    const server = createProcessServer({ logger, metrics, refresh, checks: {} });
    const { body, headers } = await server.inject('/metrics');
    expect(headers['content-type']).toContain('text/plain');
    for (const line of [
      'registry_queue_jobs{kind="crawl",state="waiting"} 3',
      'registry_queue_jobs{kind="crawl",state="active"} 1',
      'registry_queue_oldest_seconds{kind="crawl"} 2.5',
    ])
      expect(body).toContain(line);
  });

  it('shows the other metrics when the database does not answer', async () => {
    const metrics = createMetrics();
    metrics.jobs('probe', 'done', 2);
    const server = createProcessServer({ logger, metrics, refresh: away, checks: {} });
    const { statusCode, body } = await server.inject('/metrics');
    expect(statusCode).toBe(200);
    expect(body).toContain('registry_jobs_total{kind="probe",outcome="done"} 2');
  });

  it('says that it answers, whatever it stands on', async () => {
    const checks = { records: away };
    const server = createProcessServer({ logger, metrics: createMetrics(), refresh: well, checks });
    expect((await server.inject('/healthz')).json()).toEqual({ status: 'ok' });
    expect((await server.inject('/health')).statusCode).toBe(503);
  });

  it('says whether it is well, and which part is not', async () => {
    const server = (checks: Parameters<typeof createProcessServer>[0]['checks']) =>
      createProcessServer({ logger, metrics: createMetrics(), refresh: well, checks });
    const good = await server({ records: well, queue: well }).inject('/health');
    expect([good.statusCode, good.json()]).toEqual([
      200,
      { status: 'ok', checks: { records: 'ok', queue: 'ok' } },
    ]);
    const bad = await server({ records: well, queue: away }).inject('/health');
    expect([bad.statusCode, bad.json()]).toEqual([
      503,
      { status: 'unavailable', checks: { records: 'ok', queue: 'failed' } },
    ]);
  });
});
