import fc from 'fast-check';

/** What the texts of a format are made of. Random bytes are refused at the first one; these come far. */
export interface Grammar {
  /** Good texts; most inputs are one of them with a few changes. */
  readonly samples: readonly string[];
  /** Marks and words of the format. */
  readonly tokens: readonly string[];
  /** What opens and closes something. */
  readonly pairs?: readonly (readonly [open: string, close: string])[];
  /** One of many members, keys or lines, by its number. */
  readonly members?: readonly ((n: number) => string)[];
  /** Longest text, characters. */
  readonly most: number;
}

/** Texts of a format: changed samples, long runs, deep nesting, many members, marks in any order. */
export function textsOf({ samples, tokens, pairs = [], members = [], most }: Grammar): fc.Arbitrary<string> {
  const token = fc.constantFrom(...tokens);
  const part = fc.oneof(
    { weight: 4, arbitrary: token },
    { weight: 3, arbitrary: repeated(token, most) },
    ...pairs.map((pair) => ({ weight: 1, arbitrary: nested(pair, token, most) })),
    ...members.map((member) => ({ weight: 1, arbitrary: many(member, most) })),
  );
  const changed = fc
    .tuple(fc.constantFrom(...samples), fc.array(change(part, most), { minLength: 1, maxLength: 4 }))
    .map(([sample, changes]) => changes.reduce((text, apply) => apply(text), sample));
  return fc
    .oneof(
      { weight: 3, arbitrary: changed },
      { weight: 1, arbitrary: fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')) },
    )
    .map((text) => text.slice(0, most));
}

/** Mostly few, sometimes hundreds, now and then as many as fit. */
function times(most: number): fc.Arbitrary<number> {
  return fc.oneof(
    { weight: 12, arbitrary: fc.integer({ min: 1, max: 9 }) },
    { weight: 5, arbitrary: fc.integer({ min: 10, max: 300 }) },
    { weight: 1, arbitrary: fc.integer({ min: 300, max: most }) },
  );
}

function repeated(token: fc.Arbitrary<string>, most: number): fc.Arbitrary<string> {
  return fc.tuple(token, times(most)).map(([text, n]) => runOf(text, n, most));
}

function nested(
  [open, close]: readonly [string, string],
  token: fc.Arbitrary<string>,
  most: number,
): fc.Arbitrary<string> {
  return fc
    .tuple(token, times(most), fc.boolean())
    .map(([inside, n, isClosed]) => runOf(open, n, most) + inside + (isClosed ? runOf(close, n, most) : ''));
}

function many(member: (n: number) => string, most: number): fc.Arbitrary<string> {
  return times(most / 4).map((n) =>
    Array.from({ length: Math.min(n, most / 4) }, (_, at) => member(at)).join(''),
  );
}

/** Something put in, taken out, said again or cut off, anywhere. */
function change(part: fc.Arbitrary<string>, most: number): fc.Arbitrary<(text: string) => string> {
  const place = fc.integer({ min: 0, max: 9_999 });
  const at = (text: string, share: number) => Math.floor((text.length * share) / 10_000);
  const between = (text: string, one: number, other: number) =>
    [at(text, Math.min(one, other)), at(text, Math.max(one, other))] as const;
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(place, part).map(([share, added]) => (text: string) => {
        const here = at(text, share);
        return text.slice(0, here) + added + text.slice(here);
      }),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(place, place, part).map(([one, other, added]) => (text: string) => {
        const [from, to] = between(text, one, Math.min(9_999, one + (other % 300)));
        return text.slice(0, from) + added + text.slice(to);
      }),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(place, place, times(most)).map(([one, other, n]) => (text: string) => {
        const [from, to] = between(text, one, other);
        return text.slice(0, to) + runOf(text.slice(from, to), n, most) + text.slice(to);
      }),
    },
    { weight: 1, arbitrary: place.map((share) => (text: string) => text.slice(0, at(text, share))) },
  );
}

function runOf(text: string, n: number, most: number): string {
  return text === '' ? '' : text.repeat(Math.max(1, Math.min(n, Math.floor(most / text.length))));
}

/** What JSON texts are made of, for readers of values: most of them are syntactically right. */
export interface JsonGrammar {
  readonly samples: readonly unknown[];
  /** Texts that mean something in the format. */
  readonly words: readonly string[];
  readonly most: number;
}

type Change = (value: unknown) => unknown;

/** Samples with values in them said often, nested deeply, made long or of another type; a few are no JSON any more. */
export function jsonTextsOf({ samples, words, most }: JsonGrammar): fc.Arbitrary<string> {
  const word = fc.constantFrom(...words);
  const often = times(most / 8);
  const fitting = (it: unknown, n: number) =>
    Array.from({ length: Math.max(1, Math.min(n, Math.floor(most / 2 / lengthOf(it)))) }, (_, at) => at);
  const changeOf = fc.oneof(
    {
      weight: 3,
      arbitrary: word.map(
        (text): Change =>
          () =>
            text,
      ),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom<unknown>(null, true, 0, -1.5, '', [], {}).map(
        (it): Change =>
          () =>
            it,
      ),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(word, often).map(
        ([text, n]): Change =>
          () =>
            runOf(text, n, most / 2),
      ),
    },
    {
      weight: 2,
      arbitrary: often.map(
        (n): Change =>
          (it) =>
            fitting(it, n).map((at) => numbered(it, at)),
      ),
    },
    {
      weight: 2,
      arbitrary: often.map(
        (n): Change =>
          (it) =>
            fitting(it, n).map(() => it),
      ),
    },
    {
      weight: 1,
      arbitrary: often.map(
        (n): Change =>
          (it) =>
            Object.fromEntries(fitting(it, n).map((at) => [`k${at}`, it])),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(word, times(2_000)).map(
        ([name, n]): Change =>
          (it) =>
            nestedIn(it, name, n),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(word, word).map(
        ([name, text]): Change =>
          (it) =>
            isObject(it) ? { ...it, [name]: text } : it,
      ),
    },
  );
  const texts = fc
    .tuple(
      fc.constantFrom(...samples),
      fc.array(fc.tuple(fc.nat(999), changeOf), { minLength: 1, maxLength: 4 }),
    )
    .map(([sample, changes]) =>
      JSON.stringify(changes.reduce((value, [place, apply]) => changedAt(value, place, apply), sample)).slice(
        0,
        most,
      ),
    );
  const broken = textsOf({
    samples: samples.map((sample) => JSON.stringify(sample)),
    tokens: [
      '"',
      '\\',
      '\\u0000',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '1',
      '"a":',
      '-',
      '1e9',
      ' ',
      '\n',
      'null',
      '\ufeff',
      '/*',
      ...words,
    ],
    pairs: [
      ['[', ']'],
      ['{"a":', '}'],
      ['[{"a":', '}]'],
    ],
    members: [(n) => `"k${n}":1,`, () => '"a":1,', (n) => `${n},`],
    most,
  });
  return fc.oneof({ weight: 4, arbitrary: texts }, { weight: 1, arbitrary: broken });
}

/** With the comma behind it. */
function lengthOf(value: unknown): number {
  return (JSON.stringify(value)?.length ?? 4) + 1;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function numbered(value: unknown, at: number): unknown {
  if (typeof value === 'string') return `${value}${at}`;
  if (typeof value === 'number') return value + at;
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, typeof item === 'string' ? `${item}${at}` : item]),
  );
}

function nestedIn(value: unknown, name: string, times: number): unknown {
  let nest = value;
  for (let depth = 0; depth < Math.min(times, 2_000); depth += 1)
    nest = depth % 2 === 0 ? [nest] : { [name]: nest };
  return nest;
}

/** The value with one place in it changed: the one that so many steps lead to, counted round. */
function changedAt(value: unknown, place: number, apply: Change): unknown {
  if (place % 4 === 0 || typeof value !== 'object' || value === null) return apply(value);
  const keys = Object.keys(value);
  const key = keys[Math.floor(place / 4) % Math.max(1, keys.length)];
  if (key === undefined) return apply(value);
  const inside = changedAt((value as Record<string, unknown>)[key], (place * 7 + 3) % 1_000, apply);
  if (Array.isArray(value)) return value.with(Number(key), inside);
  return { ...value, [key]: inside };
}
