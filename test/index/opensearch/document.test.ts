import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimsOf } from '../../../src/domain/accreditation-claim.ts';
import type { AgentDocument } from '../../../src/domain/agent-document.ts';
import { FACET_PARAMETERS } from '../../../src/domain/agent-search.ts';
import { storedDocument } from '../../../src/index/opensearch/document.ts';
import { listQuery } from '../../../src/index/opensearch/query.ts';
import { fullDocument } from '../../api/support/documents.ts';
import { documentOf } from '../../contract/agent-index-samples.ts';

const URL_A = 'https://a.example/';
const { mappings } = JSON.parse(readFileSync('schemas/index/agents.json', 'utf8'));

interface Stored {
  readonly metric_id: string[];
  readonly metric_id_lower: string[];
  readonly accreditation: string[];
}
const stored = (parts: Partial<AgentDocument>) =>
  storedDocument({ agent: URL_A, version: 1, document: documentOf({ url: URL_A, ...parts }) }) as Stored;

describe('an agent in OpenSearch', () => {
  it('has the fields of the mapping and no others', () => {
    const document = fullDocument(URL_A);
    const fields = Object.keys(storedDocument({ agent: URL_A, version: 1, document }));
    expect(mappings.dynamic).toBe('strict');
    expect([...fields, 'generation'].toSorted()).toEqual(Object.keys(mappings.properties).toSorted());
    expect(Object.keys(mappings.properties)).toEqual(expect.arrayContaining([...FACET_PARAMETERS]));
  });

  it('keeps its version when it is dropped', () => {
    expect(storedDocument({ agent: URL_A, version: 7 })).toEqual({ url: URL_A, seq: 7, listed: false });
  });

  it('has each metric with its accreditations, and each badge with its axes', () => {
    const flags = { verified_by_operator: false, verified_by_aao: false } as const;
    const claims = claimsOf({
      metric_id: 'Reach',
      accreditations: [
        { accrediting_body: 'MRC', valid_until: '2026-11-23', ...flags },
        { accrediting_body: 'ABC', ...flags },
      ],
    });
    const badges = [
      { role: 'measurement', axes: ['spec'] },
      { role: 'creative', axes: ['live', 'spec'] },
    ] as const;
    expect(stored({ metricIds: ['Reach'], accreditations: ['MRC', 'ABC'], claims, badges })).toMatchObject({
      metric_id: ['Reach'],
      metric_id_lower: ['reach'],
      accreditation: ['MRC', 'ABC'],
      metrics: [
        {
          metric_id: 'Reach',
          metric_id_lower: ['reach'],
          accreditations: [
            { accrediting_body: 'MRC', valid_until: '2026-11-23' },
            { accrediting_body: 'ABC' },
          ],
        },
      ],
      verified: true,
      verification_mode: ['spec', 'live'],
      badges,
    });
  });

  it('has metric_ids lower-cased as q is', () => {
    expect(stored({ metricIds: ['İd', 'ΑΣ'] }).metric_id_lower).toEqual(['i̇d', 'ας']);
  });

  it('has no term that Lucene refuses, and a long value is still found', () => {
    const long = `${'x'.repeat(20_000)}Needle${'😀'.repeat(20_000)}`;
    const { metric_id, metric_id_lower, accreditation } = stored({
      metricIds: [long],
      accreditations: [long],
    });
    for (const term of [...metric_id, ...metric_id_lower, ...accreditation])
      expect(Buffer.byteLength(term)).toBeLessThanOrEqual(32_766);
    expect(listQuery({ metricIds: [long] })).toMatchObject({
      bool: { filter: [{}, { terms: { metric_id } }] },
    });
    expect(metric_id_lower.some((part) => part.includes('xneedle😀'))).toBe(true);
  });

  it('has any 192 code units of a long metric_id in one part', () => {
    const text = Array.from({ length: 30_192 }, (_, n) => String.fromCharCode(97 + ((n * 7_919) % 26))).join(
      '',
    );
    const parts = stored({ metricIds: [text] }).metric_id_lower;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 30_000 }), (at) => {
        expect(parts.some((part) => part.includes(text.slice(at, at + 192)))).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('distinguishes a long value from its digest', () => {
    const [digest = ''] = stored({ metricIds: ['x'.repeat(40_000)] }).metric_id;
    expect(stored({ metricIds: [digest] }).metric_id).not.toEqual([digest]);
  });
});
