import { describe, expect, it } from 'vitest';
import { holds, parseCondition } from '../../src/compliance/storyboards/expressions.ts';

const VALUES = { a: { b: 'x', n: 3, none: null }, list: [{ k: 'v', id: 1 }] };

describe('a condition', () => {
  it.each([
    ['a.b', true],
    ['!a.b', false],
    [' ! a.none ', true],
    ["a.b == 'x'", true],
    ['a.b=="x"', true],
    ["a.b != 'x'", false],
    ['a.n == 3', true],
    ['a.n != "3"', true],
    ['list[k=v].id == 1', true],
    ['list[0].k', true],
    ["a.b == '=='", false],
    ["a.b == 'x' and a.n == 3", true],
    ["a.b == 'y' || a.n > 2 && !a.none", true],
    ["not (a.b == 'x' or a.n >= 4)", false],
    ['a.n < list[0].id', false],
    ['list[0].id <= a.n', true],
    ["a.b < 3 or a.b > 'w'", true],
    ['a.missing == null', true],
    ['a.missing != null or a.none != null', false],
    ["not a.b == 'x'", false],
    ["not a.b == 'y' and not a.n < 3", true],
    ['not not a.none', false],
    ['a == x', false],
  ])('%s is %s', (text, expected) => {
    const condition = parseCondition(text);
    expect(condition && holds(condition, VALUES)).toBe(expected);
  });

  it.each([
    '',
    '!',
    '==',
    'a ==',
    '== 1',
    'a = 1',
    "!a == 'x'",
    "!!a == 'x'",
    'not',
    '(a',
    'a and',
    'a or or b',
    'a b',
    'a..b',
    '1a',
    "a[== 'x'",
  ])('%s is none', (text) => {
    expect(parseCondition(text)).toBeUndefined();
  });

  it.each([
    ['blanks', `a!=${' '.repeat(50_000)}!=${' '.repeat(50_000)}`],
    ['operators', 'a=='.repeat(50_000)],
    ['members', `${'a.'.repeat(50_000)}!`],
  ])('is told from one quickly, whatever the number of its %s', (_name, text) => {
    expect(parseCondition(text)).toBeUndefined();
  });
});
