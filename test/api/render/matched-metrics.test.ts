import fc from 'fast-check';
import { expect, it } from 'vitest';
import { matchedMembers, mayMatch } from '../../../src/api/render/matched-metrics.ts';
import type { AgentFilter } from '../../../src/domain/agent-query.ts';
import type { Capabilities, Metric } from '../../../src/domain/capabilities.ts';
import { liveText } from '../../../src/index/query/live-text.ts';
import { documentTexts, measuredIn, recordPieces, recordText } from '../../../src/index/query/record-text.ts';
import { documentOf } from '../../contract/agent-index-samples.ts';
import { anyCharacter } from '../../support/any-character.ts';

/** What a stranger writes to be taken for a member, and texts that meet what is asked below. */
const HOSTILE = [
  '{"metric_id":"reach"}',
  ',"measurement_capabilities":{"metrics":[',
  '"accrediting_body":"MRC"',
  '\\',
  '\\"',
  '"',
  'Reach',
  'reach',
  'é\u2028',
  '',
];
const text = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: anyCharacter, maxLength: 6 }));
const metric: fc.Arbitrary<Metric> = fc
  .record({ metric_id: text, unit: text, bodies: fc.array(fc.tuple(text, text), { maxLength: 2 }) })
  .map(({ metric_id, unit, bodies }) => {
    const accreditations = bodies.map(([accrediting_body, valid_until]) => ({
      ...{ accrediting_body, valid_until },
      ...{ verified_by_operator: false as const, verified_by_aao: false as const },
    }));
    return { metric_id, unit, accreditations };
  });
const capabilities: fc.Arbitrary<Capabilities> = fc
  .record({
    tools: fc.array(fc.record({ name: text, description: text }), { maxLength: 2 }),
    metrics: fc.array(metric, { maxLength: 6 }),
    isCut: fc.boolean(),
    formats: fc.option(fc.array(text, { maxLength: 2 })),
  })
  .map(({ tools, metrics, isCut, formats }) => ({
    ...{ tools_count: tools.length, tools },
    measurement_capabilities: { metrics, ...(isCut && { metrics_truncated: true as const }) },
    ...(formats !== null && { creative_capabilities: { formats_supported: formats, ...ABLE } }),
  }));
const ABLE = { can_generate: true, can_validate: false, can_preview: false };
const filter: fc.Arbitrary<AgentFilter> = fc.record(
  {
    metricIds: fc.array(text, { minLength: 1, maxLength: 3 }),
    q: text.map((part) => part.toLowerCase()),
    accreditations: fc.array(text, { minLength: 1, maxLength: 2 }),
    accreditedOn: fc.constant('2026-11-28'),
  },
  { requiredKeys: [] },
);

it('what met a filter is told alike of all metrics and of those that are read for it', () => {
  fc.assert(
    fc.property(capabilities, filter, (can, asked) => {
      const pieces = recordPieces(
        documentTexts({ ...documentOf({ url: 'https://a.example/' }), capabilities: can }),
      );
      const record = recordText({ pieces, digest: '' }, liveText(undefined));
      const read = measuredIn(record, mayMatch(asked));
      expect(matchedMembers(read, asked, '2026-11-28')).toEqual(matchedMembers(can, asked, '2026-11-28'));
    }),
    { numRuns: 1_000 },
  );
});
