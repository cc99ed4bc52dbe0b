import { expect, it } from 'vitest';
import { NegativeAnswers } from '../../../src/adapters/dns/negative-answers.ts';

const clock = { value: 0, now: () => clock.value };

it('keeps the newest 10,000 names, and none for a clock that went back', () => {
  const negative = new NegativeAnswers(clock);
  for (let n = 0; n <= 10_000; n += 1) negative.keep(`n${n}.example`, 'ENOTFOUND', 'there is no such name');
  expect(negative.of('n0.example')).toBeUndefined();
  expect(negative.of('n1.example')).toBe('there is no such name (ENOTFOUND)');
  expect(negative.of('n10000.example')).toBe('there is no such name (ENOTFOUND)');
  clock.value = -365 * 86_400_000;
  expect(negative.of('n1.example')).toBeUndefined();
});
