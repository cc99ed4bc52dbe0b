import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { showValue } from '../../src/cli/output/show-value.ts';

const lines = (value: unknown) => showValue(value, '').join('\n').split('\n');

describe('showing a value', () => {
  it('has a line for each single member', () => {
    expect(lines({ a: 'text', b: 1.5, c: true, d: null, e: '', f: [], g: {}, h: [1, 'x'] })).toEqual([
      'a: text',
      'b: 1.5',
      'c: true',
      'd: null',
      "e: ''",
      'f: (none)',
      'g: (empty)',
      'h: 1, x',
    ]);
  });

  it('makes a table of flat objects, with gaps where they differ', () => {
    expect(
      lines({
        list: [
          { id: 'a', n: 1 },
          { id: 'longer', tags: ['x', 'y'] },
        ],
      }),
    ).toEqual(['list (2):', '  id      n  tags', '  a       1', '  longer     x, y']);
  });

  it('goes item by item through what fits no table', () => {
    expect(lines([{ id: 'a', in: { deep: 1 } }, 'single', [[1], 2]])).toEqual([
      '- id: a',
      '  in:',
      '    deep: 1',
      '- single',
      '- - 1',
      '  - 2',
    ]);
  });

  it('cuts what is long and says how long it is', () => {
    expect(lines({ text: 'x'.repeat(12_345) })).toEqual([`text: ${'x'.repeat(300)}… (12,345 characters)`]);
    const list = Array.from({ length: 60 }, (_, index) => ({ id: index }));
    expect(lines({ list }).slice(-2)).toEqual(['  49', '  … and 10 more']);
  });

  it('ends in depth and in length', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`);
    expect(lines(deep).at(-1)).toMatch(/… nested deeper/);
    const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, 1]));
    expect(lines(wide)).toHaveLength(401);
  });

  it('holds nothing that a terminal obeys, whatever the value', () => {
    const evil = fc.constantFrom(
      '\u001b[2J',
      '\r',
      '\u009b',
      '\u202e',
      '\u2066',
      '\u200b',
      '\ufeff',
      '\ud800',
    );
    const text = fc.array(fc.oneof(fc.string(), evil)).map((parts) => parts.join(''));
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.double(),
        fc.constant(null),
        fc.array(tie('any'), { maxLength: 4 }),
        fc.dictionary(text, tie('any'), { maxKeys: 4 }),
      ),
    })).any;
    fc.assert(
      fc.property(value, (one) => {
        for (const line of lines(one)) {
          // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
          expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069\ufeff]/);
          expect(line.isWellFormed()).toBe(true);
        }
      }),
    );
  });
});
