import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { createHttpServer } from '../../src/api/http-server.ts';
import { backOff } from '../../src/base/back-off.ts';
import { RegistryError } from '../../src/errors.ts';
import { reportIndexing } from '../../src/ops/engine-metrics.ts';
import { createMetrics } from '../../src/ops/metrics.ts';

const AWAY = new RegistryError('index_unavailable', 'the index does not answer');
const CLOSED = new RegistryError('index_read_only', 'the index takes no writes');

interface Line {
  readonly msg: string;
  readonly code?: string;
  readonly failures?: number;
}

function recordingLog() {
  const lines: string[] = [];
  return {
    log: pino({}, { write: (line: string) => void lines.push(line) }),
    lines: () => lines.map((line) => JSON.parse(line) as Line),
  };
}

it('an outage is logged where it begins and where it ends, and counted in between', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { log, lines } = recordingLog();
  const metrics = createMetrics({ version: '1' });
  const { onFault, onRecovered } = reportIndexing(log, metrics);
  const ends = [AWAY, AWAY, CLOSED, CLOSED, undefined, undefined, AWAY];
  const pass = backOff(
    async () => {
      const end = ends.shift();
      if (end !== undefined) throw end;
    },
    1_000,
    onFault,
    onRecovered,
  );
  while (ends.length > 0) {
    vi.advanceTimersByTime(31_000);
    await pass.run();
  }
  vi.useRealTimers();
  expect(lines().map(({ code, failures }) => code ?? failures)).toEqual([
    'index_unavailable',
    'index_read_only',
    4,
    'index_unavailable',
  ]);
  expect(await metrics.text()).toContain('code="index_unavailable"} 3');
});

it('requests that fail for one engine, or take too long, share a line, and other faults have each their own', async () => {
  const { log, lines } = recordingLog();
  const metrics = createMetrics({ version: '1' });
  const { server } = createHttpServer({ logger: log, metrics, trustedProxies: [], version: '1' } as never);
  server.get('/away', async () => Promise.reject(AWAY));
  server.get('/fault', async () => Promise.reject(new Error('ours')));
  server.get('/late', { handlerTimeout: 1 }, () => new Promise(() => {}));
  for (const url of ['/away', '/away', '/fault', '/away', '/fault', '/late', '/late', '/late'])
    expect((await server.inject(url)).statusCode).toBeGreaterThanOrEqual(500);
  await server.close();
  expect(lines().filter(({ msg }) => msg === 'request failed')).toHaveLength(4);
});
