import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { putFields } from '../../src/cli/commands/call/fields.ts';

describe('fields of the command line', () => {
  it.each([
    ['a text', ['brief=coffee in Ghent'], { brief: 'coffee in Ghent' }],
    ['an empty text', ['brief='], { brief: '' }],
    ['a text with an equals sign', ['brief=a=b'], { brief: 'a=b' }],
    [
      'what JSON can say',
      ['a=1.5', 'b=true', 'c=null', 'd=[1]', 'e={"f":2}'],
      { a: 1.5, b: true, c: null, d: [1], e: { f: 2 } },
    ],
    ['a text in quotes, which stay', ['id="7"'], { id: '"7"' }],
    ['JSON where it is asked for', ['id:="7"', 'n:=7'], { id: '7', n: 7 }],
    ['a number that is too large for one', ['id=12345678901234567890'], { id: '12345678901234567890' }],
    [
      'members of members',
      ['brand.domain=a.example', 'brand.x.y=1'],
      { brand: { domain: 'a.example', x: { y: 1 } } },
    ],
    [
      'items of lists',
      ['refine.0.scope=request', 'refine.1.scope=product'],
      { refine: [{ scope: 'request' }, { scope: 'product' }] },
    ],
    ['the last of two', ['a=1', 'a=2'], { a: 2 }],
    ['over a member that holds something else', ['keep.a=1'], { keep: { a: 1, b: 2 } }],
    ['$schema', ['$schema=/schemas/3.0.0/x.json'], { $schema: '/schemas/3.0.0/x.json' }],
  ])('hold %s', (_name, fields, expected) => {
    const base = 'keep' in expected ? { keep: { b: 2 } } : {};
    expect(putFields(base, fields)).toEqual(expected);
  });

  it.each([
    ['brief', "'brief' is not a field"],
    ['=x', "'=x' is not a field"],
    [':=1', "':=1' is not a field"],
    ['a:=nope', 'the value after := is not valid JSON'],
    ['a..b=1', 'is not a valid field name'],
    ['.a=1', 'is not a valid field name'],
    [`${'a.'.repeat(40)}b=1`, 'is not a valid field name'],
    ['list.2=1', 'the list has length 1'],
    ['list.x=1', 'the list has length 1'],
    ['single.x=1', 'a value that is neither an object nor a list'],
    ['__proto__.x=1', '__proto__ is not allowed'],
    ['a.constructor=1', 'constructor is not allowed'],
    ['a.prototype.b=1', 'prototype is not allowed'],
    ['a={"b":{"__proto__":{"c":1}}}', '__proto__ is not allowed'],
    ['a=[null,{"__proto__":1}]', '__proto__ is not allowed'],
  ])('are refused: %s', (field, message) => {
    expect(() => putFields({ list: [0], single: 1 }, [field])).toThrow(message);
  });

  it('never reach a prototype and never fail otherwise, whatever they are', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom(...'ab01.:={}[]"_proto', '__proto__') })),
        (fields) => {
          try {
            putFields({}, fields);
          } catch (error) {
            expect(error).toMatchObject({ code: 'usage' });
          }
          expect(Object.keys(Object.prototype)).toEqual([]);
          expect(Object.keys(Array.prototype)).toEqual([]);
        },
      ),
    );
  });
});
