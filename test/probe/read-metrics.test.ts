import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFindings } from '../../src/calling/findings.ts';
import { readMetrics } from '../../src/probe/read-metrics.ts';

const GOOD = { metric_id: 'good', accreditations: [] };

function read(value: unknown) {
  const findings = createFindings();
  const metrics = readMetrics(value, findings);
  return { metrics, findings: findings.list() };
}

describe('reading metrics', () => {
  it('keeps every field of the wire, and drops what the vendor says of its own verification', () => {
    const accreditation = {
      accrediting_body: 'MRC',
      certification_id: 'c-1',
      valid_until: '2020-02-29',
      evidence_url: 'https://vendor.example/c-1',
    };
    const metric = {
      metric_id: 'viewable_impressions',
      standard_reference: 'MRC 2.0',
      unit: 'impressions',
      description: '<b>seen</b>',
      methodology_url: 'https://vendor.example/how',
      methodology_version: '4',
    };
    const { metrics, findings } = read([
      {
        ...metric,
        accreditations: [{ ...accreditation, verified_by_operator: true, verified: true }],
        internal: 1,
      },
    ]);
    expect(metrics).toEqual([
      { ...metric, accreditations: [{ ...accreditation, verified_by_operator: false }] },
    ]);
    expect(findings).toEqual([]);
  });

  it.each([
    ['an id that is missing', {}, '/metric_id'],
    ['an id that is empty once it is clean', { metric_id: ' \u0000\u202e ' }, '/metric_id'],
    ['an id of 257 characters', { metric_id: 'x'.repeat(257) }, '/metric_id'],
    ['an id that is a number', { metric_id: 7 }, '/metric_id'],
    ['a description of 2,001 characters', { metric_id: 'm', description: 'x'.repeat(2_001) }, '/description'],
    ['a unit of 65 characters', { metric_id: 'm', unit: 'x'.repeat(65) }, '/unit'],
    [
      'a version of 65 characters',
      { metric_id: 'm', methodology_version: 'x'.repeat(65) },
      '/methodology_version',
    ],
    [
      'a url that is not https',
      { metric_id: 'm', methodology_url: 'http://vendor.example/' },
      '/methodology_url',
    ],
    ['a script url', { metric_id: 'm', methodology_url: 'javascript:alert(1)' }, '/methodology_url'],
    [
      'a url with a password',
      { metric_id: 'm', methodology_url: 'https://a:b@vendor.example/' },
      '/methodology_url',
    ],
    [
      'a url of 2,049 characters',
      { metric_id: 'm', methodology_url: `https://v.example/${'x'.repeat(2_031)}` },
      '/methodology_url',
    ],
    ['no object', 'metric', ''],
    ['null', null, ''],
  ])('leaves out a metric with %s, and keeps its neighbours', (_name, bad, field) => {
    const { metrics, findings } = read([GOOD, bad, { ...GOOD, metric_id: 'other' }]);
    expect(metrics.map((metric) => metric.metric_id)).toEqual(['good', 'other']);
    expect(findings).toMatchObject([{ code: 'metric_invalid', pointer: `/measurement/metrics/1${field}` }]);
  });

  it.each([
    ['256 characters of an id', { metric_id: 'x'.repeat(256) }],
    ['256 characters beyond the basic plane', { metric_id: '🎯'.repeat(256) }],
    [
      'optional fields that are null or empty',
      { metric_id: 'm', unit: null, description: '', methodology_url: null },
    ],
    [
      'a url of 2,048 characters',
      { metric_id: 'm', methodology_url: `https://v.example/${'x'.repeat(2_030)}` },
    ],
  ])('accepts %s', (_name, metric) => {
    expect(read([metric])).toMatchObject({ metrics: [{ accreditations: [] }], findings: [] });
  });

  it('keeps the first of two metrics with one id', () => {
    const { metrics, findings } = read([
      { ...GOOD, unit: 'a' },
      { ...GOOD, unit: 'b' },
    ]);
    expect(metrics).toEqual([{ ...GOOD, unit: 'a' }]);
    expect(findings).toMatchObject([{ code: 'metric_duplicate', pointer: '/measurement/metrics/1' }]);
  });

  it('reads at most 500', () => {
    const { metrics, findings } = read(
      Array.from({ length: 501 }, (_, index) => ({ metric_id: `m${index}` })),
    );
    expect(metrics).toHaveLength(500);
    expect(findings).toMatchObject([{ code: 'too_many_metrics' }]);
  });

  it.each([
    ['no body', { certification_id: 'x' }],
    ['a body of 129 characters', { accrediting_body: 'x'.repeat(129) }],
    ['a day that does not exist', { accrediting_body: 'MRC', valid_until: '2026-02-30' }],
    ['a moment in place of a day', { accrediting_body: 'MRC', valid_until: '2026-02-03T00:00:00Z' }],
    ['evidence that is not https', { accrediting_body: 'MRC', evidence_url: 'ftp://vendor.example' }],
    ['no object', 'MRC'],
  ])('leaves out an accreditation with %s, and keeps its metric', (_name, bad) => {
    const good = { accrediting_body: 'JIC' };
    const { metrics, findings } = read([{ metric_id: 'm', accreditations: [bad, good] }]);
    expect(metrics[0]?.accreditations).toEqual([{ ...good, verified_by_operator: false }]);
    expect(findings).toMatchObject([{ code: 'accreditation_invalid' }]);
  });

  it('reads at most 32 accreditations of a metric', () => {
    const accreditations = Array.from({ length: 33 }, () => ({ accrediting_body: 'MRC' }));
    const { metrics, findings } = read([{ metric_id: 'm', accreditations }]);
    expect(metrics[0]?.accreditations).toHaveLength(32);
    expect(findings).toMatchObject([{ code: 'too_many_accreditations' }]);
  });

  it('never throws, and never yields an id outside its rule', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        for (const list of [value, [value], [{ metric_id: value, accreditations: [value] }]]) {
          for (const metric of read(list).metrics) {
            expect([...metric.metric_id].length).toBeGreaterThan(0);
            expect([...metric.metric_id].length).toBeLessThanOrEqual(256);
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});
