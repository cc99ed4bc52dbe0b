import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  agentFields,
  filterClause,
  type QueryClause,
  searchBody,
} from '../../../src/index/opensearch/query.ts';
import { matches } from '../../../src/index/query/matches.ts';
import { anyDocument, anyFilter, documentOf } from '../../contract/agent-index-samples.ts';
import { anyCharacter } from '../../support/any-character.ts';

const URL = 'https://a.example/';
const fieldsOf = (parts: object) => agentFields(documentOf({ url: URL, ...parts }));

describe('the query for OpenSearch', () => {
  it('asks in filter context only, and only for what is listed', () => {
    expect(filterClause({ type: 'sales', verified: true })).toEqual({
      bool: {
        filter: [{ term: { listed: true } }, { term: { type: 'sales' } }, { term: { badges: 'any' } }],
      },
    });
  });

  it('asks for one agent more than wanted, sorted by URL, with no total', () => {
    expect(searchBody({ filter: {}, after: URL, limit: 10_000 })).toEqual({
      query: { bool: { filter: [{ term: { listed: true } }] } },
      sort: [{ url: 'asc' }],
      size: 10_001,
      track_total_hits: false,
      search_after: [URL],
    });
  });

  it.each([
    ['reach', '*reach*'],
    ['*', '*\\**'],
    ['a?b', '*a\\?b*'],
    ['\\', '*\\\\*'],
    ['\\*', '*\\\\\\**'],
  ])('takes q = %s literally', (q, value) => {
    expect(filterClause({ q })).toMatchObject({
      bool: { filter: [{}, { wildcard: { metric_ids_lower: { value } } }] },
    });
  });

  it('has a user’s texts only as values', () => {
    const text = fc.string({ unit: anyCharacter, minLength: 1 });
    fc.assert(
      fc.property(text, fc.array(text, { minLength: 1, maxLength: 3 }), (q, values) => {
        const clause = filterClause({ q, metricIds: values, accreditations: values, sameMetric: true });
        expect(keysOf(clause).filter((key) => !KEYS.has(key))).toEqual([]);
      }),
    );
  });
});

const KEYS = new Set(
  'bool filter should term terms listed wildcard regexp value flags metric_ids metric_ids_lower accreditations claims'.split(
    ' ',
  ),
);

function keysOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(keysOf)];
}

describe('clause and fields together', () => {
  it('hold for the documents that match, as the engine reads them', () => {
    fc.assert(
      fc.property(anyDocument(), anyFilter(), (document, filter) => {
        const fields = { listed: [true], ...agentFields(document) };
        expect(holds(filterClause(filter), fields)).toBe(matches(filter, document));
      }),
      { numRuns: 1_000 },
    );
  });
});

/** What OpenSearch does with the clauses that we send. */
function holds(clause: QueryClause, fields: Readonly<Record<string, readonly unknown[]>>): boolean {
  const [[kind, body] = ['', {}]] = Object.entries(clause) as [string, object][];
  if (kind === 'bool' && 'filter' in body)
    return (body as { filter: QueryClause[] }).filter.every((one) => holds(one, fields));
  if (kind === 'bool' && 'should' in body)
    return (body as { should: QueryClause[] }).should.some((one) => holds(one, fields));
  const [[field, asked] = ['', {}]] = Object.entries(body) as [string, unknown][];
  const terms = fields[field] ?? [];
  if (kind === 'term') return terms.includes(asked);
  if (kind === 'terms') return (asked as readonly unknown[]).some((one) => terms.includes(one));
  if (kind === 'regexp')
    return terms.some((term) => describes((asked as { value: string }).value, String(term)));
  const part = (asked as { value: string }).value.slice(1, -1).replace(/\\(.)/gs, '$1');
  return terms.some((term) => String(term).includes(part));
}

/** Lucene's expressions, of which we use these: a literal, a class of one character, and a number between two of as many digits. */
function describes(pattern: string, term: string): boolean {
  const [, text = '', from] = /^(.*?)(?:<(\d{8})-99999999>)?$/s.exec(pattern) ?? [];
  const matched = new RegExp(
    `^${text.replaceAll("\\'", "'")}${from === undefined ? '' : '(\\d{8})'}$`,
    's',
  ).exec(term);
  return matched !== null && (from === undefined || (matched.at(-1) ?? '') >= from);
}

describe('the fields of a document in OpenSearch', () => {
  it('let one badge cover all axes that are asked for', () => {
    const spec = { role: 'measurement', axes: ['spec'] };
    const both = { role: 'creative', axes: ['live', 'spec'] };
    expect(fieldsOf({ badges: [] }).badges).toEqual([]);
    expect(fieldsOf({ badges: [{ role: 'x', axes: [] }] }).badges).toEqual(['any']);
    expect(fieldsOf({ badges: [spec] }).badges).toEqual(['any', 'spec']);
    expect(fieldsOf({ badges: [spec, both] }).badges).toEqual(['any', 'spec', 'live', 'spec+live']);
    expect(filterClause({ verificationModes: ['live', 'spec'] })).toMatchObject({
      bool: { filter: [{}, { term: { badges: 'spec+live' } }] },
    });
  });

  it('are lower-cased by us, as q is', () => {
    expect(fieldsOf({ metricIds: ['İd', 'ΑΣ'] }).metric_ids_lower).toEqual(['i̇d', 'ας']);
  });

  it('have no term that the engine refuses, and what is long is still found', () => {
    const long = `${'x'.repeat(20_000)}Needle${'😀'.repeat(20_000)}`;
    const fields = fieldsOf({ metricIds: [long], accreditations: [long] });
    const terms = [...fields.metric_ids, ...fields.metric_ids_lower, ...fields.accreditations];
    for (const term of terms) expect(Buffer.byteLength(term)).toBeLessThanOrEqual(32_766);
    expect(filterClause({ metricIds: [long] })).toMatchObject({
      bool: { filter: [{}, { terms: { metric_ids: fields.metric_ids } }] },
    });
    expect(fields.metric_ids_lower.some((piece) => piece.includes('xneedle😀'))).toBe(true);
  });

  it('hold any 192 code units of a long text in one piece', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 30_000 }), (at) => {
        const text = Array.from({ length: 30_192 }, (_, n) =>
          String.fromCharCode(97 + ((n * 7_919) % 26)),
        ).join('');
        const { metric_ids_lower: pieces } = fieldsOf({ metricIds: [text] });
        expect(pieces.some((piece) => piece.includes(text.slice(at, at + 192)))).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('tell a long value from the text that stands for it', () => {
    const long = 'x'.repeat(40_000);
    const [digest] = fieldsOf({ metricIds: [long] }).metric_ids;
    expect(fieldsOf({ metricIds: [digest] }).metric_ids).not.toEqual([digest]);
  });
});
