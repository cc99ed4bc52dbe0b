import { describe, expect, it } from 'vitest';
import { createPagesAhead } from '../../src/api/operations/feed/ahead.ts';

/** Pages of a feed that has so many, and what was read of it. */
function feedOf(pages: number) {
  const feed = { pages, read: [] as string[] };
  const read = async (cursor = '0') => {
    const next = String(Number(cursor) + 1);
    feed.read.push(cursor);
    return { json: Buffer.from(`page ${cursor}`), cursor: next, hasMore: Number(next) < feed.pages };
  };
  return { feed, read };
}

describe('pages that are made ahead', () => {
  it('begin when a reader has come twice', async () => {
    const [{ feed, read }, ahead] = [feedOf(9), createPagesAhead()];
    await ahead.read('all', undefined, read, 0);
    expect(feed.read).toEqual(['0']);
    const second = await ahead.read('all', '1', read, 0);
    expect([String(second.json), feed.read]).toEqual(['page 1', ['0', '1', '2']]);
    const third = await ahead.read('all', '2', read, 0);
    expect([String(third.json), feed.read]).toEqual(['page 2', ['0', '1', '2', '3']]);
  });

  it.each([
    ['a reader that had its pages elsewhere', 'all', '5', 0],
    ['one that asks for something else', 'agents', '3', 0],
    ['one that took long', 'all', '3', 30_000],
  ])('are not for %s', async (_, alike, cursor, now) => {
    const [{ feed, read }, ahead] = [feedOf(9), createPagesAhead()];
    for (const place of [undefined, '1', '2']) await ahead.read('all', place, read, 0);
    feed.read.length = 0;
    await ahead.read(alike, cursor, read, now);
    expect(feed.read[0]).toBe(cursor);
  });

  it('never are the last page, which tells all that is there when it is asked for', async () => {
    const [{ feed, read }, ahead] = [feedOf(3), createPagesAhead()];
    await ahead.read('all', undefined, read, 0);
    await ahead.read('all', '1', read, 0);
    feed.pages = 4;
    const third = await ahead.read('all', '2', read, 0);
    expect([third.hasMore, feed.read]).toEqual([true, ['0', '1', '2', '2', '3']]);
  });

  it('that fail are read again for who asks for them', async () => {
    const [{ read }, ahead] = [feedOf(9), createPagesAhead()];
    await ahead.read('all', undefined, read, 0);
    const failing = async (cursor?: string) => {
      if (cursor === '2') throw new Error('the store is away');
      return read(cursor);
    };
    await ahead.read('all', '1', failing, 0);
    expect(String((await ahead.read('all', '2', read, 0)).json)).toBe('page 2');
  });
});
