import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type FakeWeb, startWeb } from '../scenarios/support/web.ts';
import { begin, run, start, tempStore } from './support/cli.ts';

const SITES = Array.from({ length: 60 }, (_, index) => `site-${index}.example`);

let web: FakeWeb;
/** While it is closed, no site answers. */
let gate = Promise.resolve();

/** Every site takes a few milliseconds to say that it authorises the one agent. */
beforeAll(async () => {
  const body = (domain: string) =>
    JSON.stringify({ publisher: { domain }, agents: [{ url: 'https://hub.example/mcp' }] });
  web = await startWeb(
    Object.fromEntries(
      SITES.map((domain) => [
        domain,
        (request, response) => {
          if (request.url !== '/.well-known/adagents.json') return response.writeHead(404).end();
          return void gate.then(() => setTimeout(() => response.end(body(domain)), 10));
        },
      ]),
    ),
  );
});

afterAll(() => web.close());

const words = (store: string) => {
  const way = ['--store', store, '--connect-to', web.connectTo, '--concurrency', '4'];
  return ['crawl', ...SITES, ...way, '--json', '--progress', 'none'];
};
const crawl = (store: string) => start(words(store));

/** Waits until some sites were asked, in a run that is far from its end. */
async function underWay(): Promise<void> {
  web.requests.length = 0;
  while (web.requests.length < 30) await new Promise((resolve) => setTimeout(resolve, 5));
}

interface Facts {
  readonly integrity: string;
  /** Captures of adagents.json by domain. */
  readonly visits: ReadonlyMap<string, number>;
  readonly leased: number;
  readonly publishers: number;
}

function read(store: string): Facts {
  const database = new DatabaseSync(store.replace(/^sqlite:/, ''), { readOnly: true });
  const all = (sql: string) => database.prepare(sql).all() as Record<string, string | number>[];
  try {
    const visits = all(
      "SELECT source.key, count(*) AS n FROM capture JOIN source ON source.id = capture.source WHERE source.kind = 'adagents' AND capture.requested_url LIKE '%/adagents.json' AND source.key LIKE 'site-%' GROUP BY source.key",
    );
    return {
      integrity: String(all('PRAGMA integrity_check')[0]?.integrity_check),
      visits: new Map(visits.map((row) => [String(row.key), Number(row.n)])),
      leased: Number(all('SELECT count(*) AS n FROM source WHERE lease_until > 0')[0]?.n),
      publishers: Number(
        all('SELECT count(DISTINCT publisher) AS n FROM authorisation WHERE seen_until IS NULL')[0]?.n,
      ),
    };
  } finally {
    database.close();
  }
}

const once = (facts: Facts) => [...facts.visits.values()].every((count) => count === 1);

describe('a crawl that is interrupted', () => {
  it('by SIGINT stops cleanly, and the same command goes on', async () => {
    const store = tempStore();
    const first = crawl(store);
    await underWay();
    first.child.kill('SIGINT');
    const stopped = await first.ended;
    expect(stopped.code).toBe(130);
    expect(JSON.parse(stopped.stdout)).toMatchObject({ interrupted: true });
    const between = read(store);
    expect(between).toMatchObject({ integrity: 'ok', leased: 0 });
    expect(between.visits.size).toBeLessThan(SITES.length);
    expect(between.publishers).toBe(between.visits.size);
    expect(JSON.parse(stopped.stdout).domains_visited).toBe(between.visits.size);

    const second = await run(...words(store));
    expect(second.code).toBe(0);
    expect(JSON.parse(second.stdout).domains_visited).toBeLessThanOrEqual(
      SITES.length + 1 - between.visits.size,
    );
    const after = read(store);
    expect([after.visits.size, once(after), after.publishers]).toEqual([SITES.length, true, SITES.length]);
  });

  it('by one Ctrl-C that reaches it twice still stops cleanly', async () => {
    const store = tempStore();
    const first = begin(...words(store));
    await underWay();
    // in this process, where nothing can come between the two
    process.emit('SIGINT');
    process.emit('SIGINT');
    const stopped = await first.ended;
    expect(stopped.code).toBe(130);
    expect(JSON.parse(stopped.stdout)).toMatchObject({ interrupted: true });
    expect(read(store)).toMatchObject({ integrity: 'ok', leased: 0 });
  });

  it('by SIGKILL loses nothing that was acknowledged, and need not wait for its leases', async () => {
    const store = tempStore();
    const first = crawl(store);
    await underWay();
    first.child.kill('SIGKILL');
    await first.ended;
    const between = read(store);
    expect(between.integrity).toBe('ok');
    expect(between.visits.size).toBeGreaterThan(0);
    expect(between.visits.size).toBeLessThan(SITES.length);
    expect(between.leased).toBeGreaterThan(0);

    const second = await run(...words(store));
    expect(second.code).toBe(0);
    const after = read(store);
    expect([after.visits.size, once(after), after.publishers]).toEqual([SITES.length, true, SITES.length]);
    expect(after).toMatchObject({ integrity: 'ok', leased: 0 });
  });

  it('begins anew when it had finished', async () => {
    const store = tempStore();
    const again = async () => {
      const args = ['--store', store, '--connect-to', web.connectTo, '--json', '--depth', '0'];
      const { stdout } = await run('crawl', 'site-1.example', ...args);
      return JSON.parse(stdout).outcomes;
    };
    expect(await again()).toMatchObject({ unchanged: 0 });
    expect(await again()).toMatchObject({ unchanged: 1 });
  });
});

describe('the same crawl in two processes at once', () => {
  it('is shared: each site is visited once, and neither takes the other’s work', async () => {
    const store = tempStore();
    // the first waits for as long as the second one takes to start
    vi.stubEnv('REGISTRY_VISIT_DEADLINE_MS', '600000');
    onTestFinished(() => void vi.unstubAllEnvs());
    const first = crawl(store);
    await underWay();
    const closed = Promise.withResolvers<void>();
    gate = closed.promise;
    const second = crawl(store);
    await second.until('stderr', /another process is running the same crawl/);
    closed.resolve();
    const [one, two] = await Promise.all([first.ended, second.ended]);
    expect([one.code, two.code]).toEqual([0, 0]);
    expect(one.stderr + two.stderr).not.toContain('the lease was lost');
    const facts = read(store);
    expect([facts.visits.size, once(facts)]).toEqual([SITES.length, true]);
  });
});
