import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RegistryError } from '../../src/errors.ts';
import { NO_TRACING, newTraceId, openTracing } from '../../src/ops/trace.ts';
import { startCollector } from './support/collector.ts';

const TRACE = 'ab'.repeat(16);

function lines() {
  const written: Record<string, unknown>[] = [];
  const log = pino(
    { level: 'debug', base: null },
    { write: (line: string) => void written.push(JSON.parse(line)) },
  );
  return { log, written };
}

describe('a trace id', () => {
  it('is 16 random bytes in hexadecimal digits', () => {
    expect(newTraceId()).toMatch(/^[0-9a-f]{32}$/);
    expect(newTraceId()).not.toBe(newTraceId());
  });
});

describe('tracing without an endpoint', () => {
  it('does the work, and loads nothing of OpenTelemetry', async () => {
    const { log } = lines();
    const tracing = await openTracing({ log, env: {} });
    const start = { name: 'probe', trace: TRACE, attributes: {} } as const;
    expect(await tracing.visit(start, async () => 7)).toBe(7);
    expect(tracing.visit).toBe(NO_TRACING.visit);
  });

  it.each([
    { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
    { OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
  ])('is what %j asks for', async (env) => {
    const tracing = await openTracing({ log: lines().log, env });
    expect(tracing.visit).toBe(NO_TRACING.visit);
  });

  it('tells the log of each batch which visits led to it, each once', async () => {
    const { log, written } = lines();
    const tracing = await openTracing({ log, env: {} });
    const traces = [TRACE, undefined, TRACE, 'cd'.repeat(16)];
    const start = { name: 'index.write', traces, attributes: { documents: 4 } } as const;
    await tracing.batch(start, async () => {});
    expect(written).toMatchObject([
      {
        msg: 'index.write',
        documents: 4,
        trace_ids: [TRACE, 'cd'.repeat(16)],
        durationMs: expect.any(Number),
      },
    ]);
  });
});

describe('tracing with an endpoint', () => {
  beforeEach(() => void vi.stubEnv('OTEL_SERVICE_NAME', undefined));
  afterEach(() => void vi.unstubAllEnvs());

  async function open() {
    const collector = await startCollector();
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url); // the exporter reads the environment itself
    const { log, written } = lines();
    return { collector, written, tracing: await openTracing({ log }) };
  }

  it('sends each visit as a root of its trace, with what was set on the way', async () => {
    const { collector, tracing } = await open();
    const attributes = { 'server.address': 'news.example' };
    const result = await tracing.visit({ name: 'crawl.visit', trace: TRACE, attributes }, async (span) => {
      span.set({ 'agent_registry.stored': true });
      return 'done';
    });
    await tracing.close();
    expect(result).toBe('done');
    expect(collector.spans).toEqual([
      {
        name: 'crawl.visit',
        traceId: TRACE,
        failed: false,
        service: 'agent-registry',
        attributes: { 'server.address': 'news.example', 'agent_registry.stored': true },
      },
    ]);
  });

  it('sends a batch once for every trace that led to it, and under a new one when none did', async () => {
    const { collector, tracing } = await open();
    const traces = [TRACE, 'cd'.repeat(16), TRACE, undefined];
    await tracing.batch({ name: 'index.write', traces, attributes: {} }, async () => {});
    await tracing.batch({ name: 'stitch', traces: [undefined], attributes: {} }, async () => {});
    await tracing.close();
    expect(collector.spans.map(({ name, traceId }) => [name, traceId])).toEqual([
      ['index.write', TRACE],
      ['index.write', 'cd'.repeat(16)],
      ['stitch', expect.stringMatching(/^[0-9a-f]{32}$/)],
    ]);
  });

  it('keeps the traces of visits at the same time apart', async () => {
    const { collector, tracing } = await open();
    const traces = Array.from({ length: 20 }, () => newTraceId());
    await Promise.all(
      traces.map((trace) =>
        tracing.visit({ name: 'probe', trace, attributes: { of: trace } }, () => Promise.resolve()),
      ),
    );
    await tracing.close();
    expect(collector.spans.map(({ traceId }) => traceId).toSorted()).toEqual(traces.toSorted());
    for (const { traceId, attributes } of collector.spans) expect(attributes).toEqual({ of: traceId });
  });

  it('marks what rejects as failed with the code of the error, and rejects the same way', async () => {
    const { collector, tracing } = await open();
    const error = new RegistryError('index_unavailable', 'the index does not answer');
    const work = () => Promise.reject(error);
    await expect(tracing.visit({ name: 'probe', trace: TRACE, attributes: {} }, work)).rejects.toBe(error);
    await tracing.close();
    expect(collector.spans).toMatchObject([
      { failed: true, attributes: { 'error.type': 'index_unavailable' } },
    ]);
  });

  it('ends, and says so, when nobody listens there', async () => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:9');
    const { log, written } = lines();
    const tracing = await openTracing({ log });
    await tracing.visit({ name: 'probe', trace: TRACE, attributes: {} }, async () => {});
    await tracing.close();
    expect(written.map(({ msg }) => msg)).toContain('traces could not be exported');
  });
});
