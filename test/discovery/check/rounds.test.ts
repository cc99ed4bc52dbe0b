import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkBytes, type FileCheck } from '../../../src/discovery/check-file.ts';
import { brokenFile, isAuthorised, question } from '../broken-file.ts';

type Json = Record<string, unknown>;

/** A change of the good file, and where it is seen. */
interface Mistake {
  readonly at: string;
  readonly name: string;
  make(file: Json): void;
}

const NOW = Date.parse('2026-06-01T00:00:00Z');
const check = (text: string): FileCheck => checkBytes(Buffer.from(text), { kind: 'adagents', now: NOW });
const entry = (name: string, more: object) => ({
  ...{ url: `https://${name}.example/mcp`, authorized_for: 'display' },
  ...more,
});
const site = (value: string, more: object = {}) => ({
  ...{ property_type: 'website', name: 'News', identifiers: [{ type: 'domain', value }] },
  ...more,
});

function goodFile(): Json {
  return {
    $schema: 'https://schemas.example/3.1/adagents.json',
    last_updated: '2026-01-31T09:00:00Z',
    authorized_agents: [
      entry('a', {
        ...{ authorization_type: 'property_ids', property_ids: ['site'], countries: ['DE', 'AT'] },
        ...{ effective_from: '2026-01-01T00:00:00Z', effective_until: '2027-01-01T00:00:00Z' },
        ...{ delegation_type: 'direct', exclusive: false, placement_ids: ['home'] },
      }),
      entry('b', {
        ...{ authorization_type: 'property_tags', property_tags: ['sport'] },
        signing_keys: [{ kid: 'k', kty: 'OKP', crv: 'Ed25519', x: 'AA' }],
      }),
      entry('c', {
        authorization_type: 'publisher_properties',
        publisher_properties: [
          { publisher_domain: 'other.example', selection_type: 'all' },
          { publisher_domain: 'third.example', selection_type: 'by_id', property_ids: ['p1'] },
        ],
        collections: [{ publisher_domain: 'other.example', collection_ids: ['c1'] }],
      }),
      entry('d', { authorization_type: 'inline_properties', properties: [site('in.news.example')] }),
    ],
    properties: [site('news.example', { property_id: 'site', tags: ['sport'] })],
    placements: [{ placement_id: 'home', name: 'Home', tags: ['top'], property_ids: ['site'] }],
  };
}

function ownerOf(file: Json, pointer: string): [Json, string] {
  const steps = pointer.split('/').slice(1);
  const last = steps.pop() as string;
  return [steps.reduce((at, step) => at[step] as Json, file), last];
}

const written = (at: string, ...values: unknown[]): Mistake[] =>
  values.map((value) => ({
    ...{ at, name: `${at} is ${JSON.stringify(value)}` },
    make(file) {
      const [owner, key] = ownerOf(file, at);
      owner[key] = value;
    },
  }));
const named = (from: string, ...names: string[]): Mistake[] =>
  names.map((name) => ({
    ...{ at: from.replace(/[^/]*$/, name), name: `${from} is called ${name}` },
    make(file) {
      const [owner, key] = ownerOf(file, from);
      owner[name] = owner[key];
      delete owner[key];
    },
  }));
const missing = (...places: string[]): Mistake[] =>
  places.map((at) => ({
    ...{ at, name: `${at} is missing` },
    make(file) {
      const [owner, key] = ownerOf(file, at);
      delete owner[key];
    },
  }));

const [A, B, C, D] = [0, 1, 2, 3].map((n) => `/authorized_agents/${n}`) as [string, string, string, string];
const S = `${C}/publisher_properties`;
const MISTAKES: readonly Mistake[] = [
  ...written(`${A}/url`, 'http://a.example/mcp', 'a.example/mcp', ' https://a.example/mcp', 7, null),
  ...written(`${A}/property_ids`, 'site', [], [{ id: 'site' }], ['site '], null),
  ...named(`${A}/property_ids`, 'propertyIds', 'property_id', 'properties'),
  ...written(`${A}/authorization_type`, 'propertyIds', 'property_id', 'ids', null),
  ...named(`${A}/authorization_type`, 'authorisation_type'),
  ...written(`${A}/countries`, ['de'], 'DE', 'de, at', ['Germany'], [], null, { DE: true }),
  ...named(`${A}/countries`, 'country', 'countires', 'excluded_countries', 'regions'),
  ...written(`${A}/effective_until`, '2027-01-01', '01.01.2027', '2025-01-01T00:00:00Z', 1798761600),
  ...named(`${A}/effective_until`, 'expires_at', 'validUntil'),
  ...written(`${A}/effective_from`, '2026-13-01T00:00:00Z', '2026-01-01 00:00Z', null),
  ...written(`${A}/delegation_type`, 'Direct', 'reseller'),
  ...written(`${A}/exclusive`, 'no', 'false'),
  ...written(`${A}/placement_ids`, 'home', ['hom'], []),
  ...missing(`${A}/authorized_for`, `${B}/url`, `${B}/authorization_type`, `${B}/property_tags`),
  ...written(`${B}/property_tags`, 'sport', ['sports']),
  ...written(`${B}/signing_keys`, [{ kty: 'OKP' }], { kid: 'k', kty: 'OKP' }, 'k'),
  ...written(S, { publisher_domain: 'other.example', selection_type: 'all' }, 'other.example'),
  ...written(`${S}/0/publisher_domain`, 'https://other.example/', ['other.example']),
  ...named(`${S}/0/publisher_domain`, 'domain', 'publisher_domains'),
  ...missing(`${S}/0/selection_type`, `${S}/1/selection_type`, `${S}/1/property_ids`),
  ...written(`${S}/1/property_ids`, 'p1', []),
  ...written(`${C}/collections`, 'c1', ['c1'], { publisher_domain: 'other.example' }),
  ...written(`${D}/properties/0/identifiers`, 'x.example', ['x.example'], []),
  ...written(`${D}/properties/0/identifiers/0/value`, 'https://in.news.example/', null),
  ...written(`${D}/properties/0/property_type`, 'Website', 'web'),
  ...missing(`${D}/properties/0/property_type`, `${D}/properties/0/name`),
  ...named(`${D}/properties/0/identifiers`, 'identifier'),
  ...written('/properties/0/identifiers', { type: 'domain', value: 'news.example' }, 'news.example'),
  ...written('/properties/0/property_id', 5, ' site'),
  ...written('/last_updated', 'yesterday', 1),
  ...named('/last_updated', 'lastUpdated'),
];

/** Faults of the text, each at the n-th place where it can be made. */
const FAULTS: Readonly<Record<string, (text: string, n: number) => string>> = {
  'a comma too many': (text, n) => at(text, /[\]}"](?=\s*\n\s*[\]}])/g, n, (found) => `${found},`),
  'a comma too few': (text, n) => at(text, /,(?=\n)/g, n, () => ''),
  'a comment': (text, n) => at(text, /\n/g, n, () => ' // "ours", {\n'),
  'other quotes': (text, n) => at(text, /"[a-z_]+"(?=:)/g, n, (found) => found.replaceAll('"', "'")),
  'no quotes': (text, n) => at(text, /"[a-z_]+"(?=:)/g, n, (found) => found.replaceAll('"', '')),
  'a byte order mark': (text) => `\ufeff${text}`,
};

function at(text: string, mark: RegExp, n: number, put: (found: string) => string): string {
  const places = [...text.matchAll(mark)];
  const found = places[n % places.length];
  if (found === undefined) return text;
  return text.slice(0, found.index) + put(found[0]) + text.slice(found.index + found[0].length);
}

/** Mistakes in different members, so that each can be made whatever the others are. */
const mistaken = fc.record({
  mistakes: fc.uniqueArray(fc.constantFrom(...MISTAKES), {
    ...{ minLength: 7, maxLength: 7 },
    comparator: (a: string, b: string) => a.startsWith(b) || b.startsWith(a),
    selector: (one) => `${/^\/\w+(?:\/\d+\/\w+)?(?:\/\d+\/\w+)?/.exec(one.name)?.[0]}/`,
  }),
  faults: fc.uniqueArray(fc.tuple(fc.constantFrom(...Object.keys(FAULTS)), fc.nat(99)), {
    ...{ minLength: 2, maxLength: 2 },
    selector: ([name]) => name,
  }),
});

function fileWith(mistakes: readonly Mistake[]): string {
  const file = goodFile();
  for (const { make } of [...mistakes].sort((a, b) => b.name.length - a.name.length)) make(file);
  return JSON.stringify(file, undefined, 2);
}

/** Whether an author who goes to the place of a finding sees the mistake there: in the member or in its object. */
function isTold({ at: place }: Mistake, { findings }: FileCheck): boolean {
  const object = place.slice(0, place.lastIndexOf('/'));
  return findings.some(
    ({ pointer }) =>
      pointer === place || pointer.startsWith(`${place}/`) || (object !== '' && pointer === object),
  );
}

test('a file with nine typical mistakes becomes right in at most two rounds', () => {
  fc.assert(
    fc.property(mistaken, ({ mistakes, faults }) => {
      const broken = faults.reduce((text, [name, n]) => FAULTS[name]?.(text, n) ?? text, fileWith(mistakes));
      const first = check(broken);
      const left = mistakes.filter((mistake) => !isTold(mistake, first));
      const second = check(fileWith(left));
      const unseen = left.filter((mistake) => !isTold(mistake, second));
      expect(unseen.map(({ name }) => name)).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

/** The texts that `--fix` makes, one after the other, until there is nothing certain any more. */
function* fixes(text: string): Generator<string> {
  const { fixed } = check(text);
  if (fixed === undefined || fixed === text) return;
  yield fixed;
  yield* fixes(fixed);
}

test('--fix of nine typical mistakes ends after two rounds at most', () => {
  fc.assert(
    fc.property(mistaken, ({ mistakes, faults }) => {
      const broken = faults.reduce((text, [name, n]) => FAULTS[name]?.(text, n) ?? text, fileWith(mistakes));
      expect([...fixes(broken).take(4)].slice(2)).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

test('--fix of broken parts ends after two rounds at most, and allows no more than the file had before them', () => {
  fc.assert(
    fc.property(
      brokenFile(4),
      fc.array(question, { minLength: 60, maxLength: 60 }),
      ({ whole, copy, what }, asked) => {
        const rounds = [...fixes(JSON.stringify(copy, undefined, 2)).take(4)];
        expect([what, rounds.slice(2)]).toEqual([what, []]);
        const [before, after] = [isAuthorised(whole), isAuthorised(rounds.at(-1) ?? copy)];
        expect([what, asked.filter((one) => after(one) && !before(one))]).toEqual([what, []]);
      },
    ),
    { numRuns: 200 },
  );
});

test.each(MISTAKES.map((mistake) => [mistake.name, mistake] as const))(
  '%s is told in its line',
  (_name, mistake) => {
    const { findings } = check(fileWith([mistake]));
    expect(isTold(mistake, { findings } as FileCheck)).toBe(true);
  },
);
