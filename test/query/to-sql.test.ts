import { describe, expect, it } from 'vitest';
import type { AgentFilter } from '../../src/domain/agent-query.ts';
import { agentFlags, fixedPart, fixedTerms, signature, type Term, valueTerm } from '../../src/query/terms.ts';
import { listSql, planQuery, type Vocabulary } from '../../src/query/to-sql.ts';

const COMMON = valueTerm('metric', 0);
const RARE = valueTerm('metric', 1);
const GONE = valueTerm('metric', 2);
const BODY = valueTerm('body', 0);
const MEASUREMENT = fixedPart({ type: 'measurement' }).term;
const VERIFIED = fixedPart({ type: 'measurement', verified: true }).term;

const SIZES = new Map<Term, number>([
  [MEASUREMENT, 80_000],
  [VERIFIED, 30],
  [COMMON, 50_000],
  [RARE, 5],
  [BODY, 20_000],
]);
const METRICS: Readonly<Record<string, Term>> = { common: COMMON, rare: RARE, gone: GONE };
const vocabulary: Vocabulary = {
  metric: (value) => METRICS[value],
  body: (value) => (value === 'MRC' ? BODY : undefined),
  metricsContaining: (q) =>
    Object.entries(METRICS)
      .filter(([value]) => value.includes(q))
      .map(([, term]) => term),
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

  it('keeps all text of the user out of the statements', () => {
    expect(Object.values(listSql(3)).join()).not.toMatch(/['"]/);
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
    const flags = agentFlags('brand', [
      { role: 'brand', axes: ['spec'] },
      { role: 'creative', axes: ['live'] },
    ]);
    const { term, mask, want } = fixedPart(filter);
    expect(fixedTerms(flags).includes(term)).toBe(expected);
    expect((flags & mask) === want).toBe(expected);
  });

  it('give sets with a common term a common bit', () => {
    const bits = (terms: readonly Term[]) => BigInt(signature(terms));
    expect(bits([COMMON, BODY]) & bits([BODY])).not.toBe(0n);
    expect(bits([COMMON, RARE]) & bits([BODY])).toBe(0n);
    expect(bits(Array.from({ length: 200 }, (_, at) => at + 64))).toBe(2n ** 52n - 1n);
  });
});
