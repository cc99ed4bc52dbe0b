import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DomainTurns, type Leave } from '../../../src/crawl/fetch/domain-turns.ts';

beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => vi.useRealTimers());

function start() {
  const turns = new DomainTurns();
  const order: string[] = [];
  const visit = async (
    domain: string,
    name: string,
    lastsMs: number,
    gapMs = 1_000,
    signal?: AbortSignal,
  ) => {
    const leave: Leave | undefined = await turns.enter(domain, signal);
    order.push(`${Date.now() - 1_000_000} ${name}${leave === undefined ? ' gave up' : ''}`);
    setTimeout(() => leave?.(gapMs), lastsMs);
  };
  return { turns, order, visit };
}

test('visits of one domain come one at a time, in order, a second apart; others do not wait', async () => {
  const { order, visit } = start();
  for (const name of ['a', 'b', 'c']) void visit('news.example', name, 300);
  void visit('other.example', 'other', 300);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(order).toEqual(['0 a', '0 other', '1300 b', '2600 c']);
});

test('a visit that comes within the gap waits, one that comes later does not', async () => {
  const { order, visit } = start();
  void visit('news.example', 'a', 0);
  await vi.advanceTimersByTimeAsync(400);
  void visit('news.example', 'b', 0);
  await vi.advanceTimersByTimeAsync(5_000);
  void visit('news.example', 'c', 0);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(order).toEqual(['0 a', '1000 b', '5400 c']);
});

test('a domain without a gap is still visited one at a time', async () => {
  const { order, visit } = start();
  for (const name of ['a', 'b', 'c']) void visit('news.example', name, 50, 0);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(order).toEqual(['0 a', '50 b', '100 c']);
});

test('a longer gap holds until it has passed', async () => {
  const { order, visit } = start();
  void visit('news.example', 'a', 0, 30_000);
  await vi.advanceTimersByTimeAsync(10);
  void visit('news.example', 'b', 0);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(order).toEqual(['0 a', '30000 b']);
});

test('whoever gives up waiting leaves its place, and no timer runs for nobody', async () => {
  const { order, visit } = start();
  const controller = new AbortController();
  void visit('news.example', 'a', 100);
  void visit('news.example', 'b', 100, 1_000, controller.signal);
  void visit('news.example', 'c', 100);
  void visit('news.example', 'late', 100, 1_000, AbortSignal.abort());
  await vi.advanceTimersByTimeAsync(50);
  controller.abort();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(order).toEqual(['0 late gave up', '0 a', '50 b gave up', '1100 c']);
  expect(vi.getTimerCount()).toBe(0);
});

test('a clock that is put back by a year makes nobody wait for longer than the gap', async () => {
  const { visit, order } = start();
  void visit('news.example', 'a', 0);
  await vi.advanceTimersByTimeAsync(1);
  vi.setSystemTime(1_000_000 - 365 * 86_400_000);
  void visit('news.example', 'b', 0);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(order).toHaveLength(2);
});

test('waiting costs one timer a domain, however many wait', async () => {
  const { visit } = start();
  void visit('news.example', 'first', 0);
  await vi.advanceTimersByTimeAsync(1);
  for (let index = 0; index < 100; index++) void visit('news.example', `${index}`, 0);
  await vi.advanceTimersByTimeAsync(1);
  expect(vi.getTimerCount()).toBe(1);
});

test('single requests to a domain start a gap apart, and not at all beyond the longest wait', async () => {
  const { turns } = start();
  const { signal } = new AbortController();
  const starts = [1, 2, 3, 4].map(async () =>
    (await turns.enterOnce('news.example', 1_000, 2_000, signal)) ? Date.now() - 1_000_000 : undefined,
  );
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await Promise.all(starts)).toEqual([0, 1_000, 2_000, undefined]);
});

test('a single request whose visit is over leaves its place, and the gap of one that was made still holds', async () => {
  const { turns } = start();
  const [made, waiting, last] = [new AbortController(), new AbortController(), new AbortController()];
  const once = async ({ signal }: AbortController) =>
    `${await turns.enterOnce('news.example', 1_000, 9_000, signal)} ${Date.now() - 1_000_000}`;
  const all = Promise.all([made, waiting, last].map(once));
  await vi.advanceTimersByTimeAsync(100);
  made.abort();
  waiting.abort();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await all).toEqual(['true 0', 'false 100', 'true 1000']);
});

test('a visit waits for one single request at most, however many strangers go on asking', async () => {
  const { turns, order, visit } = start();
  const { signal } = new AbortController();
  const ask = () => void turns.enterOnce('news.example', 1_000, 20_000, signal);
  for (let index = 0; index < 10; index++) ask();
  const asking = setInterval(ask, 100);
  void visit('news.example', 'a', 0);
  void visit('news.example', 'b', 0);
  await vi.advanceTimersByTimeAsync(5_000);
  clearInterval(asking);
  expect(order).toEqual(['1000 a', '3000 b']);
});

test('a visit that is stopped keeps its turn until it has ended', async () => {
  const { order, visit } = start();
  const controller = new AbortController();
  void visit('news.example', 'a', 500, 1_000, controller.signal);
  await vi.advanceTimersByTimeAsync(1);
  controller.abort();
  void visit('news.example', 'b', 0);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(order).toEqual(['0 a', '1500 b']);
});

test('closing ends all waiting and leaves no timer', async () => {
  const { turns, order, visit } = start();
  for (const name of ['a', 'b', 'c']) void visit('news.example', name, 100);
  await vi.advanceTimersByTimeAsync(1);
  turns.close();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(order).toEqual(['0 a', '1 b gave up', '1 c gave up']);
  expect(vi.getTimerCount()).toBe(0);
});
