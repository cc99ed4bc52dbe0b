import { expect, it } from 'vitest';
import { createAllowance } from '../../src/base/allowance.ts';

it('an allowance counts each name for itself, and begins anew when its window is over', () => {
  const clock = { value: 0, now: () => clock.value };
  const wait = createAllowance({ clock, max: 2, windowMs: 1_000 });
  expect(['a', 'a', 'b', 'a', 'b'].map(wait)).toEqual([0, 0, 0, 1_000, 0]);
  clock.value = 400;
  expect(wait('a')).toBe(600);
  clock.value = 1_000;
  expect(['a', 'a', 'a'].map(wait)).toEqual([0, 0, 1_000]);
});

it('an allowance holds nobody for long after the clock was put back', () => {
  const clock = { value: 1e9, now: () => clock.value };
  const wait = createAllowance({ clock, max: 1, windowMs: 1_000 });
  wait('a');
  clock.value = 0;
  expect(wait('a')).toBe(0);
  expect(wait('a')).toBe(1_000);
});
