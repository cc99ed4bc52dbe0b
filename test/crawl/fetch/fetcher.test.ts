import { connect as tlsConnect } from 'node:tls';
import { describe, expect, it, onTestFinished, test, vi } from 'vitest';
import type { Connector } from '../../../src/crawl/fetch/connect.ts';
import { FetchGuardError } from '../../../src/crawl/fetch/failure.ts';
import { createFetcher } from '../../../src/crawl/fetch/fetcher.ts';
import { TEST_CA } from './certificates.ts';
import { fetcherFor, getOne, serve, TEST_USER_AGENT, visiting } from './web.ts';

const FILE = { url: 'https://news.example/file', maxBytes: 100, redirects: { allow: 'none' } } as const;

test('a visit returns what its work returns and rejects only when its work does', async () => {
  const fetcher = fetcherFor(undefined, {
    resolver: async () => [],
    rates: { 'news.example': { gapMs: 0 } },
  });
  expect(await visiting(fetcher, async () => 42)).toBe(42);
  await expect(visiting(fetcher, () => Promise.reject(new Error('of the work')))).rejects.toThrow(
    'of the work',
  );
  expect(await visiting(fetcher, (visit) => visit.get(FILE))).toMatchObject({ ok: false });
});

test('visits of one registrable domain do not overlap, however many are asked for', async () => {
  const server = await serve((_request, response) => response.end('{}'));
  const fetcher = fetcherFor(server);
  let inside = 0;
  const visits = ['news.example', 'www.news.example', 'a.b.news.example'].map((host) =>
    fetcher.visit({ host, deadlineMs: 5_000 }, async (visit) => {
      inside += 1;
      expect(inside).toBe(1);
      await visit.get(FILE);
      inside -= 1;
    }),
  );
  await Promise.all(visits);
  expect(server.seen).toHaveLength(3);
  await server.close();
});

describe('a stopped visit', () => {
  it('ends what it was doing as interrupted', async () => {
    const controller = new AbortController();
    const server = await serve(() => controller.abort());
    const options = { host: 'news.example', deadlineMs: 15_000, signal: controller.signal };
    const capture = await fetcherFor(server).visit(options, async (visit) => {
      const result = await visit.get(FILE);
      expect(visit.signal.aborted).toBe(true);
      return result;
    });
    expect(capture).toMatchObject({
      ok: false,
      failure: { code: 'interrupted', detail: 'the visit was stopped' },
    });
    await server.close();
  });

  it('makes no request when it was stopped before its turn', async () => {
    const server = await serve((_request, response) => response.end('{}'));
    const fetcher = fetcherFor(server);
    const controller = new AbortController();
    const captures = await visiting(fetcher, async () => {
      const waiting = fetcher.visit(
        { host: 'news.example', deadlineMs: 5_000, signal: controller.signal },
        (visit) => visit.get(FILE),
      );
      controller.abort();
      return waiting;
    });
    expect(captures).toMatchObject({ failure: { code: 'interrupted' } });
    expect(server.connections()).toBe(0);
    await server.close();
  });
});

describe('the gap between two visits', () => {
  /** A public site on loopback: real TLS, and a socket that says a public peer. */
  async function publicSite(robotsText: string) {
    const server = await serve(
      (request, response) => response.end(request.url === '/robots.txt' ? robotsText : '{}'),
      {
        tls: true,
        robots: true,
      },
    );
    const connector: Connector = ({ address, tls }) => {
      const socket = tlsConnect({
        host: '127.0.0.1',
        port: server.port,
        servername: tls?.hostname ?? '',
        ca: TEST_CA,
      });
      return Object.defineProperty(socket, 'remoteAddress', { get: () => address });
    };
    return { server, options: { connector, resolver: async () => ['93.184.216.34'] } };
  }

  /** Whether a second visit has started `laterMs` after the end of the first. */
  async function startsAfter(laterMs: number, robotsText: string, rates = {}): Promise<boolean> {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { server, options } = await publicSite(robotsText);
    const fetcher = fetcherFor(undefined, { ...options, rates });
    expect(await getOne(fetcher)).toMatchObject({ ok: true, status: 200 });
    let started = false;
    const second = visiting(fetcher, async () => {
      started = true;
    });
    await vi.advanceTimersByTimeAsync(laterMs);
    const seen = started;
    await fetcher.close();
    await second;
    await server.close();
    return seen;
  }

  it.each([
    ['a second by default: too early', 999, '', {}, false],
    ['a second by default: late enough', 1_000, '', {}, true],
    ['as the operator set it', 4_999, '', { 'news.example': { gapMs: 5_000 } }, false],
    ['as robots.txt asks us by name', 6_999, 'User-agent: agent-registry\nCrawl-delay: 7', {}, false],
    ['as robots.txt asks us by name: over', 7_000, 'User-agent: agent-registry\nCrawl-delay: 7', {}, true],
    ['not as robots.txt asks everybody', 1_000, 'User-agent: *\nCrawl-delay: 7', {}, true],
  ])('is %s', async (_name, laterMs, robotsText, rates, started) => {
    expect(await startsAfter(laterMs, robotsText, rates)).toBe(started);
  });
});

test('closing interrupts running and waiting visits, waits for them, and leaves no connection', async () => {
  let reached: () => void = () => {};
  const running = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const server = await serve(() => reached());
  const fetcher = fetcherFor(server);
  const captures = [getOne(fetcher), getOne(fetcher), getOne(fetcher, { url: 'https://other.example/' })];
  await running;
  await fetcher.close();
  captures.push(getOne(fetcher));
  for (const capture of await Promise.all(captures))
    expect(capture).toMatchObject({ failure: { code: 'interrupted' } });
  await server.close();
});

test('the deadline counts from the turn, and the signal of the visit says so', async () => {
  const fetcher = fetcherFor(undefined, { resolver: () => new Promise(() => {}) });
  await visiting(
    fetcher,
    async (visit) => {
      expect(visit.signal.aborted).toBe(false);
      await visit.get(FILE);
      expect(visit.signal.reason).toMatchObject({ failure: { code: 'timeout' } });
    },
    80,
  );
});

test('a request to another domain inside a visit waits for a turn there, or fails when it is too far away', async () => {
  const fetcher = fetcherFor(undefined, {
    resolver: async () => ['10.0.0.1'],
    rates: { 'busy.example': { gapMs: 60_000 } },
  });
  const foreign = { ...FILE, url: 'https://busy.example/file' };
  expect(await visiting(fetcher, (visit) => visit.get(foreign))).toMatchObject({
    failure: { code: 'blocked' },
  });
  const second = fetcher.visit({ host: 'other.example', deadlineMs: 5_000 }, (visit) => visit.get(foreign));
  expect(await second).toMatchObject({
    failure: { code: 'timeout', detail: 'rate limit of busy.example: no request slot before the deadline' },
  });
});

test.each([
  [{ ...TEST_USER_AGENT, product: 'agent registry' }],
  [{ ...TEST_USER_AGENT, version: '1\r\nx: y' }],
  [{ ...TEST_USER_AGENT, contact: new URL('javascript:alert(1)') }],
])('a user agent that cannot stand in the header is a usage error', (userAgent) => {
  expect(() => createFetcher({ clock: { now: Date.now }, userAgent })).toThrow(
    expect.objectContaining({ code: 'usage' }),
  );
});

test('what our politeness holds a file back is not its server’s time', async () => {
  let now = 1_000;
  let asked = 0;
  const resolver = async () => {
    if (++asked === 2) now += 15; // less than the gap that has passed
    throw new FetchGuardError('timeout', 'the server is silent');
  };
  const rates = { 'busy.example': { gapMs: 20 } };
  const fetcher = fetcherFor(undefined, { resolver, rates, clock: { now: () => now } });
  const file = (host: string) =>
    fetcher.visit({ host, deadlineMs: 5_000 }, (visit) =>
      visit.get({ ...FILE, url: 'https://busy.example/file' }),
    );
  const [, late] = await Promise.all([file('one.example'), file('two.example')]);
  expect([asked > 1, late?.durationMs]).toEqual([true, 0]);
});
