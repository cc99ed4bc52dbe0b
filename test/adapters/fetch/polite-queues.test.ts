import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPoliteQueues, type Leave, Pace } from '../../../src/adapters/fetch/polite-queues.ts';

beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => vi.useRealTimers());

function start() {
  const queues = createPoliteQueues({ now: Date.now });
  const order: string[] = [];
  const visit = async (
    domain: string,
    name: string,
    lastsMs: number,
    gapMs = 1_000,
    signal?: AbortSignal,
  ) => {
    const leave: Leave | undefined = await queues.enter(domain, signal);
    order.push(`${Date.now() - 1_000_000} ${name}${leave === undefined ? ' gave up' : ''}`);
    setTimeout(() => leave?.(gapMs), lastsMs);
  };
  return { queues, order, visit };
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
  expect(order).toEqual(['0 a', '0 late gave up', '50 b gave up', '1100 c']);
  expect(vi.getTimerCount()).toBe(0);
});

test('a clock that is put back by a year makes nobody wait for longer than the gap', async () => {
  const { queues, visit, order } = start();
  void visit('news.example', 'a', 0);
  await vi.advanceTimersByTimeAsync(1);
  vi.setSystemTime(1_000_000 - 365 * 86_400_000);
  expect(queues.book('news.example', 1_000, 2_000)).toBe(1_000);
  void visit('news.example', 'b', 0);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(order).toHaveLength(2);
});

test('waiting costs one timer a domain, however many wait', async () => {
  const { visit } = start();
  void visit('news.example', 'first', 0);
  await vi.advanceTimersByTimeAsync(1);
  for (let index = 0; index < 100; index++) void visit('news.example', `${index}`, 0);
  await Promise.resolve();
  expect(vi.getTimerCount()).toBe(1);
});

test('single requests to a domain are booked a gap apart, and not at all beyond the longest wait', () => {
  const { queues } = start();
  const waits = [1, 2, 3, 4].map(() => queues.book('news.example', 1_000, 2_000));
  expect(waits).toEqual([0, 1_000, 2_000, undefined]);
});

test('a visit waits for one booked request at most, however many strangers go on booking', async () => {
  const { queues, order, visit } = start();
  const book = () => queues.book('news.example', 1_000, 20_000);
  for (let index = 0; index < 10; index++) book();
  const bookings = setInterval(book, 100);
  void visit('news.example', 'a', 0);
  void visit('news.example', 'b', 0);
  await vi.advanceTimersByTimeAsync(2_500);
  clearInterval(bookings);
  expect(order).toEqual(['1000 a', '2001 b']);
});

test('closing ends all waiting', async () => {
  const { queues, order, visit } = start();
  for (const name of ['a', 'b', 'c']) void visit('news.example', name, 100);
  await vi.advanceTimersByTimeAsync(1);
  queues.close();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(order).toEqual(['0 a', '1 b gave up', '1 c gave up']);
});

test('ten requests start in any second of a visit', () => {
  const pace = new Pace(10);
  const starts = Array.from({ length: 25 }, () => pace.book(0));
  expect(starts).toEqual([...Array(10).fill(0), ...Array(10).fill(1_000), ...Array(5).fill(2_000)]);
  expect(pace.book(2_500)).toBe(0);
});
