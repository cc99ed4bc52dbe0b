import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFindings } from '../../src/calling/session.ts';
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
        accreditations: [
          { ...accreditation, verified_by_operator: true, verified_by_aao: true, verified: true },
        ],
        internal: 1,
      },
    ]);
    expect(metrics).toEqual([
      {
        ...metric,
        accreditations: [{ ...accreditation, verified_by_operator: false, verified_by_aao: false }],
      },
    ]);
    expect(findings).toEqual([]);
  });

  it.each([
    ['an id that is missing', {}, '/metric_id'],
    ['an id that is empty once it is clean', { metric_id: ' \u0000\u202e ' }, '/metric_id'],
    ['an id of 257 characters', { metric_id: 'x'.repeat(257) }, '/metric_id'],
    ['an id that is a number', { metric_id: 7 }, '/metric_id'],
    ['no object', 'metric', ''],
    ['null', null, ''],
  ])('leaves out a metric with %s, and keeps its neighbours', (_name, bad, field) => {
    const { metrics, findings } = read([GOOD, bad, { ...GOOD, metric_id: 'other' }]);
    expect(metrics.map((metric) => metric.metric_id)).toEqual(['good', 'other']);
    expect(findings).toMatchObject([{ code: 'metric_invalid', pointer: `/measurement/metrics/1${field}` }]);
  });

  it.each([
    ['description', 'x'.repeat(2_001)],
    ['unit', 'x'.repeat(65)],
    ['unit', { name: 'percent' }],
    ['standard_reference', 7],
    ['methodology_version', 'x'.repeat(65)],
    ['methodology_url', 'http://vendor.example/'],
    ['methodology_url', 'javascript:alert(1)'],
    ['methodology_url', 'https://a:b@vendor.example/'],
    ['methodology_url', `https://v.example/${'x'.repeat(2_031)}`],
  ])('leaves out an optional %s that cannot be read, and keeps the metric', (field, value) => {
    const accreditations = [{ accrediting_body: 'MRC' }];
    const { metrics, findings } = read([{ metric_id: 'm', [field]: value, accreditations }]);
    expect(metrics).toEqual([
      {
        metric_id: 'm',
        accreditations: [{ accrediting_body: 'MRC', verified_by_operator: false, verified_by_aao: false }],
      },
    ]);
    expect(findings).toMatchObject([
      { severity: 'warning', code: 'metric_field_invalid', pointer: `/measurement/metrics/0/${field}` },
    ]);
  });

  it.each([
    ['2027-06-30', '2027-06-30'],
    ['2027-06-30T23:59:59Z', '2027-06-30'],
    ['2027-06-30T23:59:59.999+02:00', '2027-06-30'],
    ['2027-06-30 12:00', '2027-06-30'],
  ])('reads the end %s of an accreditation as the day %s', (valid_until, day) => {
    const { metrics, findings } = read([
      { metric_id: 'm', accreditations: [{ accrediting_body: 'MRC', valid_until }] },
    ]);
    expect(metrics[0]?.accreditations).toMatchObject([{ valid_until: day }]);
    expect(findings).toEqual([]);
  });

  it.each([
    ['valid_until', '2026-02-30'],
    ['valid_until', '2026-02-30T00:00:00Z'],
    ['valid_until', '2026-02-03T'],
    ['valid_until', 'next year'],
    ['valid_until', 1_790_000_000],
    ['evidence_url', 'ftp://vendor.example'],
    ['certification_id', 'x'.repeat(257)],
  ])('leaves out an optional %s %j that cannot be read, and keeps the accreditation', (field, value) => {
    const { metrics, findings } = read([
      { metric_id: 'm', accreditations: [{ accrediting_body: 'MRC', [field]: value }] },
    ]);
    expect(metrics[0]?.accreditations).toEqual([
      { accrediting_body: 'MRC', verified_by_operator: false, verified_by_aao: false },
    ]);
    expect(findings).toMatchObject([
      {
        code: 'accreditation_field_invalid',
        pointer: `/measurement/metrics/0/accreditations/0/${field}`,
      },
    ]);
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
    ['no object', 'MRC'],
  ])('leaves out an accreditation with %s, and keeps its metric', (_name, bad) => {
    const good = { accrediting_body: 'JIC' };
    const { metrics, findings } = read([{ metric_id: 'm', accreditations: [bad, good] }]);
    expect(metrics[0]?.accreditations).toEqual([
      { ...good, verified_by_operator: false, verified_by_aao: false },
    ]);
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
