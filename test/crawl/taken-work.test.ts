import { describe, expect, it } from 'vitest';
import { TakenWork } from '../../src/crawl/taken-work.ts';
import { names, workList } from './work-list.ts';

describe('work that was taken', () => {
  it('is handed out in its order, and no second piece of a domain before the first has ended', async () => {
    const list = workList(['a.one.example', 'b.one.example', 'two.example']);
    const taken = new TakenWork({ ...list, concurrency: 5 });
    const handed = [];
    while (await taken.hasNext()) handed.push(taken.next());
    expect(handed.map((work) => work?.key)).toEqual(['a.one.example', 'two.example']);
    if (handed[0] !== undefined) taken.end(handed[0]);
    expect(taken.next()?.key).toBe('b.one.example');
    expect([taken.next(), await taken.hasNext()]).toEqual([undefined, false]);
  });

  it('asks the records for none of the domains that are in hand', async () => {
    const asked: boolean[] = [];
    const list = workList(['a.one.example']);
    const taken = new TakenWork({
      ...list,
      concurrency: 2,
      take: (limit, busy) => {
        asked.push(busy.has('one.example'));
        return list.take(limit);
      },
    });
    await taken.hasNext();
    const work = taken.next();
    await taken.hasNext();
    if (work !== undefined) taken.end(work);
    await taken.hasNext();
    expect(asked).toEqual([false, true, false]);
  });

  it('does not ask the records again and again while all that is due has to wait', async () => {
    let asks = 0;
    const list = workList(names(30), () => 'hub.example adagents');
    const taken = new TakenWork({
      ...list,
      concurrency: 4,
      take: (limit, busy) => {
        asks += 1;
        return list.take(limit, busy);
      },
    });
    while (await taken.hasNext()) taken.next();
    const before = asks;
    for (let times = 0; times < 50; times += 1) expect(await taken.hasNext()).toBe(false);
    expect(asks - before).toBeLessThan(10);
  });

  it('has half of the slots at most for what the files of one domain led to, and the rest for others', async () => {
    const silent = Array.from({ length: 30 }, (_, n) => `silent-${n}.example`);
    const list = workList([...silent, ...names(4)], (key) =>
      key.startsWith('silent') ? `h${key.length}.hub.example adagents` : undefined,
    );
    const taken = new TakenWork({ ...list, concurrency: 4, batch: 8 });
    const handed = [];
    while (handed.length < 6 && (await taken.hasNext())) handed.push(taken.next()?.key);
    expect(handed).toEqual(['silent-0.example', 'silent-1.example', ...names(4)]);
  });

  it('is released when nothing is handed out any more, also what is being taken', async () => {
    const list = workList(names(9));
    const taken = new TakenWork({ ...list, concurrency: 2, batch: 3 });
    await taken.hasNext();
    taken.next();
    await taken.close();
    expect(list.given).toEqual(['d1.example', 'd2.example']);
    const late = new TakenWork({ ...list, concurrency: 2, batch: 3 });
    const asking = late.hasNext();
    await Promise.all([asking, late.close()]);
    expect(list.given.slice(2)).toEqual(['d3.example', 'd4.example', 'd5.example']);
    expect([await late.hasNext(), late.next()]).toEqual([false, undefined]);
    expect(list.waiting).toHaveLength(3);
  });
});
