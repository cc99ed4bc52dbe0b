import { readdir } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startCrawler } from '../../src/crawl/crawler.ts';
import { TakenWork } from '../../src/crawl/taken-work.ts';
import type { VisitWork } from '../../src/domain/source.ts';
import { names, workList } from './work-list.ts';

const never = new AbortController().signal;

interface World {
  readonly keys: readonly string[];
  readonly visit: (work: VisitWork, signal: AbortSignal) => Promise<void>;
  readonly signal?: AbortSignal;
  readonly concurrency?: number;
  readonly isOver?: () => Promise<boolean>;
}

/** A crawl of these domains, with what it logs and what it gives back. */
function crawl({ keys, visit, signal = never, concurrency = 4, isOver = async () => true }: World) {
  const list = workList(keys);
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const taken = new TakenWork({ ...list, concurrency });
  const { ended, notify } = startCrawler({
    ...{ taken, visit, signal, concurrency, log, isOver },
  });
  return { ended, notify, list, lines };
}

describe('the crawler', () => {
  it('visits everything once, and no more at a time than it may', async () => {
    const visited: string[] = [];
    let underWay = 0;
    let most = 0;
    const { ended, list } = crawl({
      keys: names(40),
      async visit({ key }) {
        most = Math.max(most, ++underWay);
        await wait(1);
        underWay -= 1;
        visited.push(key);
      },
    });
    await ended;
    expect(visited.toSorted()).toEqual(names(40).toSorted());
    expect(most).toBe(4);
    expect(list.given).toEqual([]);
  });

  it('goes on with what its visits find, and until nothing else can lead to more', async () => {
    const visited: string[] = [];
    const { ended, list } = crawl({
      keys: ['a.example'],
      async visit({ key }) {
        visited.push(key);
        if (key === 'a.example') list.waiting.push('b.example');
      },
      async isOver() {
        if (visited.length === 2) list.waiting.push('c.example');
        return visited.length === 3;
      },
    });
    await ended;
    expect(visited).toEqual(['a.example', 'b.example', 'c.example']);
  });

  it('begins nothing when it is stopped before', async () => {
    const visited: string[] = [];
    const { ended } = crawl({
      keys: names(3),
      signal: AbortSignal.abort(),
      visit: async ({ key }) => void visited.push(key),
    });
    await ended;
    expect(visited).toEqual([]);
  });

  it('waits at a stop for what is under way, which is told, and gives the rest back', async () => {
    const stop = new AbortController();
    const told: boolean[] = [];
    const { ended, list } = crawl({
      keys: names(20),
      signal: stop.signal,
      concurrency: 2,
      async visit(_work, signal) {
        stop.abort();
        await wait(5);
        told.push(signal.aborted);
      },
    });
    await ended;
    expect(told).toEqual(told.map(() => true));
    expect(told.length).toBeLessThanOrEqual(2);
    expect([...list.given, ...list.waiting]).toHaveLength(20 - told.length);
  });

  it('ends with the first fault of a visit, and gives the rest back', async () => {
    const visited: string[] = [];
    const { ended, list, lines } = crawl({
      keys: names(20),
      concurrency: 1,
      async visit({ key }) {
        visited.push(key);
        if (visited.length === 3) throw new Error('the disk is full');
      },
    });
    await expect(ended).rejects.toThrow('the disk is full');
    expect(visited).toHaveLength(3);
    expect([...list.given, ...list.waiting]).toHaveLength(17);
    expect(lines.join('')).toContain('the disk is full');
  });

  it('ends with a fault of the records', async () => {
    const taken = new TakenWork<VisitWork>({
      take: () => Promise.reject(new Error('the records are damaged')),
      release: async () => {},
      concurrency: 2,
    });
    const log = pino({ level: 'silent' });
    const { ended } = startCrawler({
      taken,
      visit: async () => {},
      signal: never,
      concurrency: 2,
      log,
    });
    await expect(ended).rejects.toThrow('the records are damaged');
  });

  it('lets what is under way end, told to, when the records cannot be asked any more', async () => {
    const list = workList(['a.example']);
    let asks = 0;
    const taken = new TakenWork<VisitWork>({
      ...list,
      async take(limit) {
        asks += 1;
        if (asks > 1) throw new Error('the store is busy');
        return await list.take(limit);
      },
      concurrency: 2,
    });
    const ends: string[] = [];
    const { ended } = startCrawler({
      ...{ taken, signal: never, concurrency: 2, log: pino({ level: 'silent' }) },
      async visit(work, signal) {
        if (!signal.aborted) await new Promise((told) => signal.addEventListener('abort', told));
        await wait(5);
        ends.push(work.key);
      },
    });
    await expect(ended).rejects.toThrow('the store is busy');
    expect(ends).toEqual(['a.example']);
  });

  it('visits what turned up while the records were asked for the last time', async () => {
    const list = workList([]);
    let isProbing = true;
    const taken = new TakenWork<VisitWork>({
      ...list,
      async take(limit) {
        const works = await list.take(limit);
        await wait(20);
        if (isProbing) list.waiting.push('found.example');
        isProbing = false;
        return works;
      },
      concurrency: 1,
    });
    const visited: string[] = [];
    const { ended } = startCrawler({
      ...{ taken, signal: never, concurrency: 1, log: pino({ level: 'silent' }) },
      visit: async ({ key }) => void visited.push(key),
      isOver: async () => !isProbing,
    });
    await ended;
    expect(visited).toEqual(['found.example']);
  });

  it('visits all domains of one site while the clock is put back again and again', async () => {
    const now = vi.spyOn(Date, 'now');
    onTestFinished(() => now.mockRestore());
    let time = Date.now();
    now.mockImplementation(() => (time -= 1_000));
    const visited: string[] = [];
    const keys = ['a', 'b', 'c'].map((name) => `${name}.shared.example`);
    await crawl({ keys, concurrency: 1, visit: async ({ key }) => void visited.push(key) }).ended;
    expect(visited).toEqual(keys);
  });

  it('keeps nothing of its own on the disk', async () => {
    const before = await readdir('.');
    await crawl({ keys: names(3), visit: async () => {} }).ended;
    expect(await readdir('.')).toEqual(before);
  });

  it('leaves the signals of the process to others', async () => {
    const before = process.listeners('SIGINT');
    let meanwhile: unknown[] = [];
    const { ended } = crawl({
      keys: ['a.example'],
      async visit() {
        await wait(5);
        meanwhile = process.listeners('SIGINT');
      },
    });
    await ended;
    expect(meanwhile).toEqual(before);
  });
});
