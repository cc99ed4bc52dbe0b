import { expect, test } from 'vitest';
import { createRandom } from '../src/random.ts';

const draw = (seed: number): number[] => {
  const random = createRandom(seed);
  return Array.from({ length: 5 }, () => random.int(1_000));
};

test('the same seed gives the same numbers, another seed others', () => {
  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
});

test('a fork follows from its label, not from what was drawn before', () => {
  const used = createRandom(7);
  used.int(10);
  expect(used.fork('a').int(1_000_000)).toBe(createRandom(7).fork('a').int(1_000_000));
  expect(used.fork('a').int(1_000_000)).not.toBe(used.fork('b').int(1_000_000));
});

test('numbers stay below their bound and reach both ends', () => {
  const random = createRandom(1);
  const seen = new Set(Array.from({ length: 200 }, () => random.int(4)));
  expect([...seen].sort()).toEqual([0, 1, 2, 3]);
});

test('shuffling keeps the elements and leaves the list alone', () => {
  const list = [1, 2, 3, 4, 5, 6];
  const shuffled = createRandom(3).shuffled(list);
  expect(shuffled.toSorted()).toEqual(list);
  expect(list).toEqual([1, 2, 3, 4, 5, 6]);
});
