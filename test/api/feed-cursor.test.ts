import { describe, expect, it } from 'vitest';
import { feedCursor, positionOf } from '../../src/api/operations/feed/position.ts';

const secretOf = (byte: number) => new Uint8Array(32).fill(byte);
const AT = Date.UTC(2026, 10, 23);

describe('a cursor of the feed', () => {
  it.each([
    { agents: 0, edges: 0, isFirst: true, at: AT },
    { agents: 2 ** 32 - 1, edges: 2 ** 33 - 1, isFirst: false, at: AT },
  ])('is the position that it was made of: %j', (position) => {
    expect(positionOf(feedCursor(position, secretOf(1)), secretOf(1))).toEqual(position);
  });

  it('is of no other records, but for one in 256', () => {
    const cursor = feedCursor({ agents: 3, edges: 4, isFirst: false, at: AT }, secretOf(0));
    const others = Array.from({ length: 100 }, (_, byte) => positionOf(cursor, secretOf(byte + 1)));
    expect(others.filter((position) => position !== undefined).length).toBeLessThan(5);
  });
});
