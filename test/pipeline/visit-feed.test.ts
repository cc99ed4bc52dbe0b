import { describe, expect, it } from 'vitest';
import type { VisitWork } from '../../src/domain/source.ts';
import { VisitFeed } from '../../src/pipeline/visit-feed.ts';
import { keysOf, names, workFor, workList } from './support.ts';

describe('the feed of visits', () => {
  it('hands out each visit once and knows the visit behind a request', async () => {
    const feed = new VisitFeed(workList(names(2)).take);
    const first = await feed.fetchNextRequest();
    const second = await feed.fetchNextRequest();
    expect([first?.url, second?.url]).toEqual(['https://d0.example/', 'https://d1.example/']);
    expect(first && feed.begin(first)).toEqual(workFor('d0.example'));
    expect(await feed.fetchNextRequest()).toBeNull();
  });

  it('is finished only when everything in hand was handled', async () => {
    const feed = new VisitFeed(workList(names(1)).take);
    const request = await feed.fetchNextRequest();
    expect(await feed.isEmpty()).toBe(true);
    expect(await feed.isFinished()).toBe(false);
    if (request) await feed.markRequestHandled(request);
    expect(await feed.isFinished()).toBe(true);
    expect([feed.handledCount(), feed.length()]).toEqual([1, 1]);
  });

  it('asks a store that had nothing again only after it was woken', async () => {
    const list = workList([]);
    let asked = 0;
    const feed = new VisitFeed((limit) => {
      asked += 1;
      return list.take(limit);
    });
    await feed.isEmpty();
    await feed.isEmpty();
    expect(asked).toBe(1);
    list.waiting.push('late.example');
    expect(await feed.fetchNextRequest()).toBeNull();
    feed.wake();
    expect((await feed.fetchNextRequest())?.uniqueKey).toBe('late.example');
  });

  it('is not put to sleep by an answer that was on its way when it was woken', async () => {
    const answers: ((works: ReturnType<typeof workFor>[]) => void)[] = [];
    const feed = new VisitFeed<VisitWork>(() => new Promise((resolve) => answers.push(resolve)));
    const empty = feed.isEmpty();
    feed.wake();
    answers.shift()?.([]);
    expect(await empty).toBe(true);
    const next = feed.fetchNextRequest();
    answers.shift()?.([workFor('found.example')]);
    expect((await next)?.uniqueKey).toBe('found.example');
  });

  it('takes once for many who ask at the same time', async () => {
    let asked = 0;
    const list = workList(names(4));
    const feed = new VisitFeed((limit) => {
      asked += 1;
      return list.take(limit);
    });
    const requests = await Promise.all([1, 2, 3, 4].map(() => feed.fetchNextRequest()));
    expect(asked).toBe(1);
    expect(new Set(requests.map((request) => request?.uniqueKey)).size).toBe(4);
  });

  it('gives up what it took and what nobody began', async () => {
    const feed = new VisitFeed(workList(names(4)).take);
    const begun = await feed.fetchNextRequest();
    if (begun) feed.begin(begun);
    await feed.fetchNextRequest();
    expect(keysOf(await feed.drain())).toEqual(['d1.example', 'd2.example', 'd3.example']);
    expect(keysOf(await feed.drain())).toEqual([]);
  });

  it('gives up what was on its way from the store as well', async () => {
    const answers: ((works: ReturnType<typeof workFor>[]) => void)[] = [];
    const feed = new VisitFeed<VisitWork>(() => new Promise((resolve) => answers.push(resolve)));
    void feed.fetchNextRequest();
    feed.close();
    const drained = feed.drain();
    answers.shift()?.([workFor('a.example'), workFor('late.example')]);
    expect(keysOf(await drained)).toContain('late.example');
  });

  it('takes nothing more once it is closed', async () => {
    const list = workList(names(2));
    const feed = new VisitFeed(list.take);
    feed.close();
    expect(await feed.fetchNextRequest()).toBeNull();
    expect(list.waiting).toEqual(names(2));
  });

  it('does not try anything a second time: the schedule knows when to come back', async () => {
    const feed = new VisitFeed(workList(names(1)).take);
    const request = await feed.fetchNextRequest();
    if (request) await feed.reclaimRequest(request);
    expect(await feed.fetchNextRequest()).toBeNull();
    expect(await feed.isFinished()).toBe(true);
  });
});
