import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eventId } from '../../src/api/operations/feed/position.ts';

it('is time, log, number, rank and what it is about, as digits in this order', () => {
  const place = fc.record({
    at: fc.integer({ min: 0, max: 2 ** 47 }),
    log: fc.constantFrom('agents' as const, 'edges' as const),
    seq: fc.integer({ min: 1, max: 2 ** 33 - 1 }),
    rank: fc.integer({ min: 0, max: 15 }),
    about: fc.integer({ min: 0, max: 2 ** 36 - 1 }),
  });
  const digits = (value: bigint, count: number) => value.toString(16).padStart(count, '0');
  fc.assert(
    fc.property(place, ({ at, log, seq, rank, about }) => {
      const high = (log === 'edges' ? 0x800n : 0n) | BigInt(Math.floor(seq / 2 ** 22));
      const low = (BigInt(seq % 2 ** 22) << 40n) | (BigInt(rank) << 36n) | BigInt(about) | (1n << 63n);
      const hex = `${digits(BigInt(at), 12)}7${digits(high, 3)}${digits(low, 16)}`;
      const expected = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
      expect(eventId({ at, log, seq, rank, about })).toBe(expected);
    }),
    { numRuns: 2_000 },
  );
});
