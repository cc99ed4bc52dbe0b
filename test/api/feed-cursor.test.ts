import { describe, expect, it } from 'vitest';
import { feedCursor, positionOf } from '../../src/api/operations/feed/position.ts';

const secretOf = (byte: number) => new Uint8Array(32).fill(byte);
const SECRET = secretOf(1);
const AT = 64 * 28_000_000_000;

describe('a cursor of the feed', () => {
  it.each([
    { agents: 0, edges: 0, isFirst: true, at: AT },
    { agents: 2 ** 32 - 1, edges: 2 ** 33 - 1, isFirst: false, at: AT },
    { agents: 123_456, edges: 7_654_321, isFirst: true, at: AT },
  ])('is the position that it was made of: %j', (position) => {
    const cursor = feedCursor(position, SECRET);
    expect(cursor).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(positionOf(cursor, SECRET)).toEqual(position);
  });

  it('is of its time by 64 ms, and later in the order of texts when it is of a later one', () => {
    const place = { agents: 3, edges: 4, isFirst: false };
    const [first, second] = [AT + 63, AT + 64].map((at) => feedCursor({ ...place, at }, SECRET));
    expect(positionOf(first as string, SECRET)).toEqual({ ...place, at: AT });
    expect((first as string) < (second as string)).toBe(true);
  });

  it.each([
    ['01a205b3-d007-7800-8000-0000000000b0', { agents: 0, edges: 0, isFirst: true }],
    ['01a205b3-d007-7000-83c4-800074cbb11b', { agents: 123_456, edges: 7_654_321, isFirst: false }],
  ])('of the layout before is read for good: %s', (cursor, position) => {
    expect(positionOf(cursor, SECRET)).toEqual({ ...position, at: Date.UTC(2026, 10, 23) + 7 });
  });

  it('of other records leads to no place that this registry has reached', () => {
    const [AGENTS, EDGES] = [2 ** 21, 2 ** 24];
    const foreign = Array.from({ length: 5_000 }, (_, n) =>
      positionOf(feedCursor({ agents: n, edges: n, isFirst: n % 2 === 0, at: AT + n }, secretOf(2)), SECRET),
    );
    const read = foreign.filter((one) => one !== undefined);
    expect(read.length).toBeLessThan(10);
    expect(read.filter(({ agents, edges }) => agents <= AGENTS && edges <= EDGES)).toEqual([]);
  });

  it('in which one bit is another is none', () => {
    const cursor = feedCursor({ agents: 3, edges: 4, isFirst: false, at: AT }, SECRET);
    const others = [...cursor].map((digit, place) =>
      digit === '-'
        ? ''
        : `${cursor.slice(0, place)}${(Number.parseInt(digit, 16) ^ 1).toString(16)}${cursor.slice(place + 1)}`,
    );
    expect(others.map((other) => positionOf(other, SECRET)).filter((one) => one !== undefined)).toEqual([]);
  });
});
