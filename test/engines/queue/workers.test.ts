import { describe, expect, it } from 'vitest';
import { openPgBossQueue } from '../../../src/adapters/queue/pg-boss-queue.ts';
import { freshDatabase } from '../support/engines.ts';
import { countingWeb, type Seen } from './counting-web.ts';
import { allVisited, recordsWith, scheduler, until, worker } from './processes.ts';

const names = (count: number, under = '') =>
  Array.from({ length: count }, (_, at) => `d${at}${under}.example`);

/** What is on the queue now, asked by somebody who takes nothing. */
async function depthOf(address: string) {
  const queue = await openPgBossQueue({ address, aliveSeconds: 10, superviseSeconds: 2, onFault: () => {} });
  try {
    return await queue.depth('crawl');
  } finally {
    await queue.close();
  }
}

describe('workers on the queue', () => {
  it('visit what is due once, two of them with two schedulers, and stop cleanly', async () => {
    const address = await freshDatabase();
    const both = new Set<string>();
    let letGo = () => {};
    const bothAsked = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    // the one that starts first would else have done all of it when the other one comes
    const web = await countingWeb({
      hold: ({ worker: name }) => {
        if (both.add(name).size === 2) letGo();
        return bothAsked;
      },
    });
    const records = await recordsWith(address, names(120));
    const machine = { address, connectTo: web.connectTo };
    const running = [
      scheduler(machine),
      scheduler(machine),
      worker(machine, 'one', '--concurrency', '10'),
      worker(machine, 'two', '--concurrency', '10'),
    ];
    await until(() => allVisited(records));
    const codes = await Promise.all(running.map((process) => process.end('SIGTERM')));
    expect(codes).toEqual([0, 0, 0, 0]);
    expect(names(120).map(web.visits)).toEqual(names(120).map(() => 1));
    expect(new Set(web.seen.map(({ worker }) => worker))).toEqual(new Set(['one', 'two']));
    expect(await depthOf(address)).toMatchObject({ active: 0 });
  });

  it('take turns with the hosts of one registrable domain, and pause between two processes', async () => {
    const address = await freshDatabase();
    const web = await countingWeb({ takesMs: 100 });
    const hosts = names(8, '.shared');
    const records = await recordsWith(address, [...hosts, ...names(6)]);
    const machine = { address, connectTo: web.connectTo };
    scheduler(machine);
    worker(machine, 'one', '--concurrency', '1');
    worker(machine, 'two', '--concurrency', '1');
    await until(() => allVisited(records));
    const shared = web.seen.filter(({ host }) => host.endsWith('.shared.example'));
    expect(new Set(shared.map(({ host }) => host)).size).toBe(8);
    const changes = handOvers(shared);
    for (const [before, after] of changes) expect(after.from - before.until).toBeGreaterThanOrEqual(1_000);
  });

  it('lose nothing by a kill -9, and fetch again no more than was under way', async () => {
    const address = await freshDatabase();
    const concurrency = 8;
    const domains = names(200);
    const web = await countingWeb({ takesMs: 150 });
    const records = await recordsWith(address, domains);
    // a visit that had no time on a busy machine is no longer due, and nothing was fetched
    const machine = { address, connectTo: web.connectTo, env: { REGISTRY_VISIT_DEADLINE_MS: '6000' } };
    scheduler(machine);
    const flags = ['--concurrency', String(concurrency)] as const;
    for (const kill of [1, 2, 3]) {
      const victim = worker(machine, `victim${kill}`, ...flags);
      await web.until(() => web.seen.filter((one) => one.worker === `victim${kill}`).length > 12);
      await victim.end('SIGKILL');
    }
    worker(machine, 'last', ...flags);
    await until(() => allVisited(records));
    const again = domains.map((domain) => web.visits(domain) - 1);
    expect(Math.min(...again)).toBe(0);
    expect(again.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(3 * concurrency);
  });

  it('cannot write when they were frozen for too long', async () => {
    const address = await freshDatabase();
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const web = await countingWeb({
      hold: ({ worker: name, path }) =>
        name === 'frozen' && path === '/.well-known/adagents.json' ? held : undefined,
    });
    const records = await recordsWith(address, ['news.example']);
    const machine = { address, connectTo: web.connectTo };
    scheduler(machine);
    // its lease ends soon after the deadline of the visit, and the other worker waits for that
    const frozen = worker({ ...machine, env: { REGISTRY_VISIT_DEADLINE_MS: '6000' } }, 'frozen');
    await web.until(() => web.visits('news.example') === 1);
    frozen.child.kill('SIGSTOP');
    worker(machine, 'fresh');
    await until(() => allVisited(records));
    const visited = await records.sources.get({ kind: 'adagents', key: 'news.example' });
    letGo();
    frozen.child.kill('SIGCONT');
    expect(await frozen.said('lease lost')).toMatchObject({ domain: 'news.example' });
    expect(await records.sources.get({ kind: 'adagents', key: 'news.example' })).toEqual(visited);
    expect(visited).toMatchObject({ lastOutcome: 'indexed' });
  });

  it('give back what is under way when they are stopped, for others to take at once', async () => {
    const address = await freshDatabase();
    const web = await countingWeb({
      hold: (seen) => (seen.worker === 'slow' ? new Promise(() => {}) : undefined),
    });
    const records = await recordsWith(address, names(10));
    const machine = { address, connectTo: web.connectTo };
    scheduler(machine);
    const slow = worker(machine, 'slow', '--concurrency', '4');
    await web.until(() => web.seen.length === 4);
    expect(await slow.end('SIGTERM')).toBe(0);
    // no lease and no turn is left: whoever comes next need not wait for anything to run out
    const due = await records.sources.due('domain', 100, Date.now() + 5_000);
    expect(due.map(({ key }) => key).toSorted()).toEqual(names(10).toSorted());
    worker(machine, 'next');
    await until(() => allVisited(records));
    await until(async () => (await depthOf(address)).active === 0);
  });

  it('put the trace of their job into the lines of its visit', async () => {
    const address = await freshDatabase();
    const web = await countingWeb();
    await recordsWith(address, ['news.example']);
    const machine = { address, connectTo: web.connectTo };
    scheduler(machine);
    const line = await worker(machine, 'one', '--log-level', 'debug').said('domain visited');
    expect(line).toMatchObject({ domain: 'news.example', trace_id: expect.stringMatching(/^[0-9a-f]{32}$/) });
  });
});

/** Where one worker's requests end and another's begin. */
function handOvers(seen: readonly Seen[]): readonly (readonly [Seen, Seen])[] {
  const pairs: [Seen, Seen][] = [];
  for (const [at, after] of seen.entries()) {
    const before = seen[at - 1];
    if (before !== undefined && before.worker !== after.worker) pairs.push([before, after]);
  }
  return pairs;
}
