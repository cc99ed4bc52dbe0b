import { describe, expect, it } from 'vitest';
import { openPgBossQueue } from '../../../src/adapters/queue/pg-boss-queue.ts';
import type { JobKind, JobQueue } from '../../../src/ports/job-queue.ts';
import { freshDatabase } from '../support/engines.ts';
import { openQueue as open, otherProcess } from './other-process.ts';

const TRACE = 'a'.repeat(32);

const keys = (count: number) => Array.from({ length: count }, (_, index) => `d${index}.example`);
const jobs = (...named: readonly string[]) => named.map((key) => ({ key, traceId: TRACE }));
const idsOf = (taken: readonly { readonly id: string }[]) => taken.map(({ id }) => id);
const keysOf = (taken: readonly { readonly key: string }[]) => taken.map(({ key }) => key).toSorted();

/** Asks again until something is there, for as long as the test may take. */
async function untilTaken(queue: JobQueue, kind: JobKind) {
  for (;;) {
    const taken = await queue.take(kind, 10);
    if (taken.length > 0) return taken;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

describe('the job queue in PostgreSQL', () => {
  it('opens on an empty database in two processes at once', async () => {
    const address = await freshDatabase();
    const [queue] = await Promise.all([open(address), otherProcess(address)]);
    expect(await queue.depth('crawl')).toEqual({ waiting: 0, active: 0 });
  });

  it('gives what was added, with its trace', async () => {
    const queue = await open(await freshDatabase());
    const key = `https://agent.example/mcp?q=${'x'.repeat(1_900)}`;
    expect(await queue.add('probe', jobs(key))).toBe(1);
    expect(await queue.take('crawl', 10)).toEqual([]);
    expect(await queue.take('probe', 10)).toEqual([
      { id: expect.any(String), kind: 'probe', key, traceId: TRACE },
    ]);
  });

  it('has each key once, however many processes add it together', async () => {
    const address = await freshDatabase();
    const queue = await open(address);
    const other = await otherProcess(address);
    const named = keys(500);
    const [ours, theirs] = await Promise.all([
      queue.add('crawl', jobs(...named)),
      other.ask({ call: 'add', kind: 'crawl', keys: named.toReversed() }),
    ]);
    expect(ours + (theirs as number)).toBe(500);
    expect(await queue.depth('crawl')).toMatchObject({ waiting: 500, active: 0 });
  });

  it('adds no key that is waiting or in work, and adds it again once it is done', async () => {
    const queue = await open(await freshDatabase());
    await queue.add('crawl', jobs('a.example', 'b.example'));
    const taken = await queue.take('crawl', 1);
    expect(await queue.add('crawl', jobs('a.example', 'b.example'))).toBe(0);
    await queue.done('crawl', idsOf(taken));
    expect(await queue.add('crawl', jobs('a.example', 'b.example'))).toBe(1);
  });

  it('gives each job to one process, in batches, those that wait longest first', async () => {
    const address = await freshDatabase();
    const queue = await open(address);
    const other = await otherProcess(address);
    await queue.add('crawl', jobs('first.example'));
    await queue.add('crawl', jobs(...keys(60)));
    expect(keysOf(await queue.take('crawl', 1))).toEqual(['first.example']);
    const [ours, theirs] = await Promise.all([
      queue.take('crawl', 40),
      other.ask({ call: 'take', kind: 'crawl', limit: 40 }) as ReturnType<JobQueue['take']>,
    ]);
    expect(keysOf([...ours, ...theirs])).toEqual(keys(60).toSorted());
  });

  it('tells how much waits and since when', async () => {
    const queue = await open(await freshDatabase());
    const before = Date.now();
    await queue.add('crawl', jobs(...keys(3)));
    await queue.take('crawl', 1);
    const { oldestAt = 0, ...counts } = await queue.depth('crawl');
    expect(counts).toEqual({ waiting: 2, active: 1 });
    expect(Math.abs(oldestAt - before)).toBeLessThan(60_000);
  });

  it('gives out again what was put back', async () => {
    const queue = await open(await freshDatabase());
    await queue.add('crawl', jobs('a.example'));
    await queue.putBack('crawl', idsOf(await queue.take('crawl', 1)));
    expect(await queue.add('crawl', jobs('a.example'))).toBe(0);
    expect(await untilTaken(queue, 'crawl')).toMatchObject([{ key: 'a.example', traceId: TRACE }]);
  });

  it('gives the jobs of a process that was killed to another one, and keeps those of one that lives', async () => {
    const address = await freshDatabase();
    const queue = await open(address, 10);
    const other = await otherProcess(address, 10);
    await queue.add('crawl', jobs('kept.example', 'lost.example'));
    const ours = await queue.take('crawl', 1);
    const [theirs] = (await other.ask({ call: 'take', kind: 'crawl', limit: 1 })) as Awaited<
      ReturnType<JobQueue['take']>
    >;
    other.child.kill('SIGKILL');
    const again = await untilTaken(queue, 'crawl');
    expect(again).toMatchObject([{ key: theirs?.key }]);
    expect(await queue.depth('crawl')).toMatchObject({ waiting: 0, active: 2 });
    // the dead one wakes up and says that it is done: nobody is harmed
    await queue.done('crawl', [theirs?.id ?? '']);
    await queue.done('crawl', idsOf([...again, ...ours]));
    expect(await queue.depth('crawl')).toEqual({ waiting: 0, active: 0 });
  });

  it('takes "done" for jobs that are gone, and for none', async () => {
    const queue = await open(await freshDatabase());
    await queue.add('index', jobs('index'));
    const ids = idsOf(await queue.take('index', 1));
    await queue.done('index', ids);
    await queue.done('index', ids);
    await queue.putBack('index', ids);
    await queue.done('index', []);
    expect(await queue.depth('index')).toEqual({ waiting: 0, active: 0 });
  });

  it('ticks once a minute, however many processes asked for it', async () => {
    const address = await freshDatabase();
    const queue = await open(address);
    const other = await otherProcess(address);
    let first = () => {};
    const ticked = new Promise<void>((resolve) => {
      first = resolve;
    });
    let ticks = 0;
    const tick = () => {
      ticks += 1;
      first();
    };
    const begun = Date.now();
    await other.ask({ call: 'every', name: 'prune', cron: '* * * * *' });
    other.child.on('message', tick);
    await queue.every('prune', '* * * * *', async () => tick());
    await ticked;
    // another schedule with the same minute would have ticked by now
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    // the tick of a minute may be handled in the next one, beside that minute's own
    const minutes = Math.floor(Date.now() / 60_000) - Math.floor(begun / 60_000) + 1;
    expect(ticks).toBeLessThanOrEqual(minutes);
    await queue.never('prune');
  });

  it.each(['nonsense', '61 * * * *', '* * * *', '* * * * * *'])(
    'refuses the cron expression %j',
    async (cron) => {
      const queue = await open(await freshDatabase());
      await expect(queue.every('crawl', cron, async () => {})).rejects.toMatchObject({ code: 'usage' });
    },
  );

  it('says that it is not available when there is no database, without the password', async () => {
    const address = 'postgres://registry:secret-word@127.0.0.1:1/registry';
    const opening = openPgBossQueue({
      address,
      aliveSeconds: 60,
      superviseSeconds: 15,
      onFault: () => {},
    });
    await expect(opening).rejects.toMatchObject({ code: 'queue_unavailable', retryable: true });
    await opening.catch((error) => expect(String(error.message)).not.toContain('secret-word'));
  });
});
