import { describe, expect, it } from 'vitest';
import { matchesEntityTag } from '../../src/api/answers.ts';

describe('If-None-Match', () => {
  it.each([
    [undefined, false],
    ['', false],
    ['"abc"', true],
    ['W/"abc"', true],
    ['*', true],
    [' * ', true],
    ['"x", "abc"', true],
    ['"x","y" , W/"abc"', true],
    ['"x"', false],
    ['abc', false],
    ['"abcd"', false],
    ['w/"abc"', false],
  ])('of %j matches "abc": %s', (value, expected) => {
    expect(matchesEntityTag(value, '"abc"')).toBe(expected);
  });
});
