import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pointerTo } from '../../src/base/json.ts';
import { positionsOf, type TextSpan, type ValuePlace } from '../../src/base/json-positions.ts';
import { JSON_BOUNDS } from '../../src/discovery/json-faults.ts';
import { readJson } from '../../src/discovery/read-json.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const codes = (text: string, bounds = JSON_BOUNDS): string[] =>
  readJson(bytes(text), bounds).findings.map((finding) => finding.code);

describe('broken text', () => {
  test.each([
    ['{"a": 1,}', 1, 8, 'trailing comma before }'],
    ['{\n  // note\n  "a": 1}', 2, 3, 'comments are not allowed in JSON'],
    ['{\n"a": 1\n"b": 2}', 2, 7, 'missing comma'],
    ['{"a": "x\ny"}', 1, 9, 'line break, tab or other control character inside a string'],
    ['{"a": 1} {}', 1, 10, 'unexpected content after the end of the document'],
    ["{'a': 1}", 1, 2, 'strings must be in double quotes'],
    ['{"a": [1, 2', 1, 12, 'missing closing ]'],
    ['Not Found', 1, 1, 'the text is not a JSON document'],
    ['{"a": nan}', 1, 7, 'string without double quotes'],
  ])('%j is named with its place', (text, line, column, reason) => {
    const [finding] = readJson(bytes(text)).findings;
    expect(finding).toMatchObject({ code: 'syntax', line, column, message: `invalid JSON: ${reason}` });
  });

  test('a broken text that hides deep nesting from the count does not overflow the stack', () => {
    expect(codes(`{"a": "b\n${'['.repeat(200_000)}`)).toEqual(['syntax']);
  });

  test('UTF-16 is named', () => {
    const [finding] = readJson(new Uint8Array([0xff, 0xfe, 0x7b, 0x00])).findings;
    expect(finding?.message).toBe('the file is not encoded in UTF-8: it looks like UTF-16');
  });
});

describe('bounds', () => {
  const small = { depth: 3, values: 6, keys: 2, string: 4 };
  test.each([
    ['[[[1]]]', []],
    ['[[[[1]]]]', ['too_deep']],
    ['"[[[["', []],
    ['["\\"[[["]', []],
    ['[1, 2, 3, 4, 5]', []],
    ['[1, 2, 3, 4, 5, 6, 7]', ['too_many_values']],
    ['{"a": {"a": 1, "b": 2, "c": 3}}', ['too_many_keys']],
    ['["12345"]', ['string_too_long']],
    ['{"12345": 1}', ['string_too_long']],
  ])('%s brings %j', (text, expected) => {
    expect(codes(text, small)).toEqual(expected);
  });

  test('what is over a bound is taken out and its neighbours keep their places', () => {
    const { value } = readJson(bytes('{"a": ["ok", "too long", "ok"], "b": "too long", "c": 1}'), {
      ...JSON_BOUNDS,
      string: 4,
    });
    expect(value).toEqual({ a: ['ok', null, 'ok'], b: null, c: 1 });
  });
});

describe('an object with ten times the keys that it may have', () => {
  const members = (count: number) => Array.from({ length: count }, (_, at) => `"${at}": {"x": 1}`).join(',');
  test.each([
    [20, 'is left out, and its neighbours are read', { a: null, b: 1 }],
    [21, 'is not even parsed', undefined],
  ])('%i keys for 2: it %s', (count, _what, expected) => {
    const bounds = { ...JSON_BOUNDS, keys: 2 };
    const { value, findings } = readJson(bytes(`{"a": {${members(count)}}, "b": 1}`), bounds);
    expect([value, findings.map(({ code }) => code)]).toEqual([expected, ['too_many_keys']]);
  });
});

describe('keys', () => {
  test('the later of two equal keys counts and is pointed at, also when it is escaped', () => {
    const { value, findings } = readJson(bytes('{"x": [{"a/b": 1,\n "a\\u002fb": 2}]}'));
    expect(value).toEqual({ x: [{ 'a/b': 2 }] });
    expect(findings).toMatchObject([
      { code: 'duplicate_key', severity: 'error', pointer: '/x/0/a~1b', line: 2, column: 2 },
    ]);
  });

  test.each(['__proto__', 'constructor', 'prototype', '__\\u0070roto__'])(
    '%s is left out and reaches no prototype',
    (key) => {
      const { value, findings } = readJson(bytes(`{"${key}": {"url": "https://evil.example"}, "a": 1}`));
      expect(Object.keys(value as object)).toEqual(['a']);
      expect((value as { url?: string }).url).toBeUndefined();
      expect(findings.map((finding) => finding.code)).toEqual(['unsafe_key']);
    },
  );
});

describe('places', () => {
  const text = '{\n  "a": {"b/c": [10, {"d": null}]},\n  "~": "x"\n}';
  test.each([
    ['', { line: 1, column: 1 }],
    ['/a', { line: 2, column: 8 }],
    ['/a/b~1c/0', { line: 2, column: 17 }],
    ['/a/b~1c/1/d', { line: 2, column: 27 }],
    ['/~0', { line: 3, column: 8 }],
    ['/a/missing/deeper', { line: 2, column: 8 }],
  ])('%s', (pointer, expected) => expect(readJson(bytes(text)).locate(pointer)).toMatchObject(expected));

  test('a value and its key are as much of the text as they are', () => {
    const found = readJson(bytes(text)).locate('/a/b~1c');
    const partAt = (span: TextSpan | undefined) => span && text.slice(span.offset, span.offset + span.length);
    expect(found && [partAt(found), partAt(found.key)]).toEqual(['[10, {"d": null}]', '"b/c"']);
  });

  test('lines end as editors end them', () => {
    const { findings } = readJson(bytes('{\r\n"a": 1,\r"b": 1,\n"b": 2,\r\n\n"a": 2}'));
    expect(findings.map(({ line, column }) => [line, column])).toEqual([
      [4, 1],
      [6, 1],
    ]);
  });

  test('a pointer that is as long as a key on its way is cut, and a thousand repeated keys bring 200 findings', () => {
    const inside = `{"x": [${'{"k": 1, "k": 2},'.repeat(1_000)} 0]}`;
    const { findings } = readJson(bytes(`{"${'long'.repeat(1_000)}": ${inside}}`));
    expect(findings).toHaveLength(201);
    expect(findings.at(-1)?.message).toContain('800 more');
    expect(new Set(findings.map(({ pointer }) => pointer))).toEqual(new Set(['']));
  });
});

describe('properties', () => {
  const key = fc.string().filter((text) => !['__proto__', 'constructor', 'prototype'].includes(text));
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 5 },
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('json')),
      fc.dictionary(key, tie('json')),
    ),
  }));

  test('each value stands where it is said to', () => {
    const pointersIn = (value: unknown, at = ''): readonly (readonly [string, unknown])[] =>
      typeof value === 'object' && value !== null
        ? [
            [at, value],
            ...Object.keys(value).flatMap((name) =>
              pointersIn((value as Record<string, unknown>)[name], pointerTo(at, name)),
            ),
          ]
        : [[at, value]];
    fc.assert(
      fc.property(json, fc.nat(2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const all = pointersIn(JSON.parse(text));
        const places = positionsOf(
          text,
          all.map(([pointer]) => pointer),
        );
        for (const [pointer, expected] of all) {
          const { offset, length, line, column } = places.get(pointer) as ValuePlace;
          expect(JSON.parse(text.slice(offset, offset + length))).toEqual(expected);
          expect(text.slice(0, offset).split('\n').length).toBe(line);
          expect(offset - text.lastIndexOf('\n', offset - 1)).toBe(offset === 0 ? 1 : column);
        }
      }),
    );
  });

  test('valid JSON reads as JSON.parse does, without findings', () => {
    fc.assert(
      fc.property(json, fc.nat(2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const reading = readJson(bytes(text));
        expect(reading.findings).toEqual([]);
        expect(reading.value).toEqual(JSON.parse(new TextDecoder().decode(bytes(text))));
      }),
    );
  });

  test('a text has a syntax fault with its place when, and only when, JSON.parse refuses it', () => {
    const parts = [
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      '\\',
      ' ',
      '\n',
      '\t',
      '\u0001',
      'u00e9',
      'true',
      'nul',
      '-',
      '0',
      '1.5',
      'e+3',
      '.',
      '/',
      '//',
      '"a"',
    ];
    const refuses = (text: string): boolean => {
      try {
        JSON.parse(text);
        return false;
      } catch {
        return true;
      }
    };
    const isSaid = (text: string): void => {
      if (text.trimStart().startsWith('<')) return; // it is said to be a page
      const [finding] = readJson(bytes(text)).findings.filter(({ code }) => code === 'syntax');
      expect(finding !== undefined).toBe(text.trim() !== '' && refuses(text));
      if (finding !== undefined)
        expect([finding.line, finding.column]).toEqual([expect.any(Number), expect.any(Number)]);
    };
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom(...parts), maxLength: 12 }), isSaid), {
      numRuns: 3_000,
    });
    fc.assert(
      fc.property(json, fc.nat(), fc.constantFrom(...parts), (value, at, part) => {
        const text = JSON.stringify(value);
        isSaid(text.slice(0, at % text.length) + part + text.slice((at % text.length) + 1));
      }),
      { numRuns: 1_000 },
    );
  });

  test('no bytes whatever throw', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (content) => void readJson(content)));
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'{}[]":,\\ \n1atu') }),
        (text) => void readJson(bytes(text)),
      ),
    );
  });
});
