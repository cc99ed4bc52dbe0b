import { describe, expect, it } from 'vitest';
import type { AgentFilter } from '../../../src/domain/agent-query.ts';
import { type PlannedVocabulary, planQuery } from '../../../src/index/embedded/plan.ts';
import { listSql, rowConditions } from '../../../src/index/embedded/term-lists.ts';
import {
  facetLists,
  flagsOf,
  flagsOfDocument,
  signature,
  type Term,
  valueTerm,
} from '../../../src/index/embedded/terms.ts';
import { conditionsOf } from '../../../src/index/query/filters.ts';
import { documentOf } from '../../contract/agent-index-samples.ts';

const COMMON = valueTerm('metric_ids', 0);
const RARE = valueTerm('metric_ids', 1);
const GONE = valueTerm('metric_ids', 2);
const BODY = valueTerm('accreditations', 0);
const flagsFor = (filter: AgentFilter) =>
  flagsOf(conditionsOf(filter).filter((condition) => 'facet' in condition));
const listFor = (filter: AgentFilter) => facetLists(flagsFor(filter))[0]?.term as Term;
const MEASUREMENT = listFor({ type: 'measurement' });
const VERIFIED = listFor({ type: 'measurement', verified: true });

const SIZES = new Map<Term, number>([
  [COMMON, 50_000],
  [RARE, 5],
  [BODY, 20_000],
]);
const METRICS: Readonly<Record<string, Term>> = { common: COMMON, rare: RARE, gone: GONE };
const BEARING = new Map([
  [0, 100_000],
  [flagsFor({ type: 'measurement' }), 80_000],
  [flagsFor({ verified: true }), 400],
  [flagsFor({ type: 'measurement', verified: true }), 30],
]);
const vocabulary: PlannedVocabulary = {
  agentsWith: (flags) => BEARING.get(flags) ?? 0,
  term: (field, value) => (field === 'metric_ids' ? METRICS[value] : value === 'MRC' ? BODY : undefined),
  containing: (_, q) =>
    Object.entries(METRICS)
      .filter(([value]) => value.includes(q))
      .map(([, term]) => term),
  passing: () => [],
  agents: (term) => SIZES.get(term) ?? 0,
};
const plan = (filter: AgentFilter) => planQuery({ type: 'measurement', ...filter }, vocabulary, 50);

describe('planQuery', () => {
  it('walks one list for type and badges', () => {
    expect(plan({})).toMatchObject({ terms: [MEASUREMENT], checks: [] });
    expect(plan({ verified: true })).toMatchObject({ terms: [VERIFIED], checks: [] });
    expect(planQuery({}, vocabulary, 50)).toMatchObject({ terms: [0], checks: [] });
  });

  it('gathers a rare value and checks the common one', () => {
    const { terms, checks } = plan({ metricIds: ['rare'], accreditations: ['MRC'] });
    expect([terms, checks]).toEqual([[RARE], [new Set([BODY])]]);
  });

  it('starts from rare badges rather than from a common value', () => {
    expect(plan({ metricIds: ['common'], verified: true }).terms).toEqual([VERIFIED]);
    expect(plan({ metricIds: ['rare'], verified: true }).terms).toEqual([RARE]);
  });

  it.each<AgentFilter>([
    { metricIds: ['unheard of'] },
    { metricIds: ['gone'] },
    { accreditations: ['unheard of'], metricIds: ['common'] },
    { q: 'nothing' },
    { metricIds: [] },
  ])('walks nothing for %j, which nobody holds', (filter) => {
    expect(plan(filter).terms).toEqual([]);
  });

  it('merges the lists of all metrics with q', () => {
    expect(plan({ q: 'r' }).terms).toEqual([RARE]);
    expect(plan({ q: 'o' }).terms).toEqual([COMMON]);
  });

  it('asks rows only for what not all of them meet', () => {
    const asked = (filter: AgentFilter) => rowConditions(plan(filter)).sql.match(/d\.\w+/g) ?? [];
    expect(asked({})).toEqual([]);
    expect(asked({ verified: true })).toEqual([]);
    expect(asked({ metricIds: ['rare'] })).toEqual(['d.flags']);
    expect(asked({ metricIds: ['common'], verified: true })).toEqual(['d.sig']);
    expect(asked({ metricIds: ['rare'], accreditations: ['MRC'] })).toEqual(['d.flags', 'd.sig']);
    expect(asked({ metricIds: ['common'], accreditations: ['MRC'], verified: true })).toEqual([
      'd.sig',
      'd.sig',
    ]);
  });

  it('keeps all text of the user out of the statements', () => {
    const { walkAll, walk, heads } = listSql(3);
    const { sql } = rowConditions(plan({ q: "o'", metricIds: ['common'], accreditations: ['MRC'] }));
    expect([walkAll, walk(sql), heads(sql)].join()).not.toMatch(/['"]/);
  });
});

describe('the terms', () => {
  it.each<[AgentFilter, boolean]>([
    [{}, true],
    [{ type: 'brand' }, true],
    [{ type: 'sales' }, false],
    [{ verified: true }, true],
    [{ type: 'brand', verified: true }, true],
    [{ verificationModes: ['spec'] }, true],
    [{ type: 'brand', verificationModes: ['live'] }, true],
    [{ verificationModes: ['live', 'spec'] }, false],
  ])('put a brand agent with a spec and a live badge for %j: %j', (filter, expected) => {
    const badges = [
      { role: 'brand', axes: ['spec'] as const },
      { role: 'creative', axes: ['live'] as const },
    ];
    const flags = flagsOfDocument(documentOf({ url: 'https://a.example/', type: 'brand', badges }));
    const wanted = flagsFor(filter);
    expect((flags & wanted) === wanted).toBe(expected);
    const lists = facetLists(flags).map(({ term }) => term);
    expect(facetLists(wanted).every(({ term }) => lists.includes(term))).toBe(expected);
  });

  it('give sets with a common term a common bit', () => {
    const bits = (terms: readonly Term[]) => BigInt(signature(terms));
    expect(bits([COMMON, BODY]) & bits([BODY])).not.toBe(0n);
    expect(bits([COMMON, RARE]) & bits([BODY])).toBe(0n);
    expect(bits(Array.from({ length: 200 }, (_, at) => at + COMMON))).toBe(2n ** 52n - 1n);
  });
});
