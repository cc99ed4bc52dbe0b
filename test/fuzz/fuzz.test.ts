import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FuzzedParser, fuzz, inputOf } from './fuzz.ts';
import { KEPT } from './kept.ts';
import { PARSERS } from './parsers.ts';

const seed = fc.readConfigureGlobal().seed ?? 0;
/** `npm run bench -- abuse` gives many more, and looks at their time. Here a text that hangs is found. */
const INPUTS = 40;

describe('whoever reads what strangers write', () => {
  it.each(PARSERS.map((parser) => [parser.name, parser] as const))('never throws: %s', (_name, parser) => {
    const { faults } = fuzz(parser, { inputs: INPUTS, seed, budgetMs: 2_000 });
    expect(faults.map(({ input, why }) => ({ why, ...input, text: input.text.slice(0, 300) }))).toEqual([]);
  });

  it.each(KEPT)('is through with what once took long: %s, %s', (name, _why, text) => {
    const parser = PARSERS.find((one) => one.name === name);
    expect(() => parser?.read(text)).not.toThrow();
    expect(parser).toBeDefined();
  });
});

describe('the fuzzing itself', () => {
  const parser = (read: FuzzedParser['read']): FuzzedParser => ({
    name: 'sample',
    texts: fc.string({ maxLength: 30 }),
    read,
  });
  const run = { inputs: 700, seed: 7, budgetMs: 50 };

  it('tells a text for which a parser throws, by the seed and number that make it again', () => {
    const throws = parser((text) => {
      if (text.includes('!')) throw new Error('no');
    });
    const [fault] = fuzz(throws, run).faults;
    const { seed: made = 0, number = 0, text } = fault?.input ?? {};
    expect([fault?.why, text?.includes('!')]).toEqual(['Error: no', true]);
    expect(inputOf(throws, made, number)).toBe(text);
    expect(fuzz({ ...throws, promises: () => true }, run).faults).toEqual([]);
  });

  it('tells a text that takes longer than the budget each time, and forgives a pause', () => {
    let now = 0;
    let calls = 0;
    const clock = { ...run, processorMs: () => now };
    const pausing = parser(() => {
      calls += 1;
      now += calls === 3 ? 70 : 1;
    });
    expect(fuzz(pausing, clock)).toMatchObject({ faults: [], longestMs: 1 });
    const slow = parser((text) => {
      now += text.includes('!') ? 70 : 1;
    });
    const [fault] = fuzz(slow, clock).faults;
    expect(fault?.why).toBe('it took 70 ms');
  });
});
