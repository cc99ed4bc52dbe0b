import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AskedClaim, claimTexts, isClaimMet } from '../../../src/domain/accreditation-claim.ts';
import { askedClaimMarks, claimMarks } from '../../../src/index/query/claim-marks.ts';

const DAYS = [
  '1999-12-31',
  '2000-01-01',
  '2026-02-28',
  '2026-02-31',
  '2026-11-23',
  '2026-12-01',
  '2027-01-01',
  '9999-12-31',
];
const day = fc.oneof(
  fc.constantFrom(...DAYS),
  fc
    .date({ min: new Date('2001-01-01'), max: new Date('2170-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
);
const id = fc.constantFrom('a', 'b', 'null', '');
const claims = fc
  .array(
    fc.record({ metric_id: id, accrediting_body: id, valid_until: fc.option(day, { nil: undefined }) }),
    { maxLength: 6 },
  )
  .map((drawn) =>
    drawn.flatMap(({ metric_id, accrediting_body, valid_until }) => {
      const flags = { verified_by_operator: false, verified_by_aao: false } as const;
      const until = valid_until === undefined ? {} : { valid_until };
      return claimTexts({ metric_id, accreditations: [{ accrediting_body, ...until, ...flags }] });
    }),
  );
const some = fc.uniqueArray(id, { minLength: 1, maxLength: 2 });
const asked: fc.Arbitrary<AskedClaim> = fc.record(
  { metricIds: some, bodies: some, on: day },
  { requiredKeys: [] },
);

describe('the marks of accreditations', () => {
  it('find just the agents with a claim that meets what is asked, on any day', () => {
    fc.assert(
      fc.property(claims, asked, (held, wanted) => {
        const marks = new Set(claimMarks(held));
        const found = askedClaimMarks(wanted).some((mark) => marks.has(mark));
        // what ends after the year 2175 holds for ever
        if (wanted.on !== '9999-12-31') expect(found).toBe(held.some((claim) => isClaimMet(claim, wanted)));
      }),
      { examples: [[['a\u001fa\u001fb\u001f19991231'], { on: '2000-01-01' }]] },
    );
  });

  it('are few, for an agent and for a question', () => {
    const [claim = ''] = claimTexts({
      metric_id: 'm',
      accreditations: [{ accrediting_body: 'b', verified_by_operator: false, verified_by_aao: false }],
    });
    expect(claimMarks([claim, claim])).toHaveLength(4 * 9);
    for (const on of DAYS) expect(askedClaimMarks({ on }).length).toBeLessThanOrEqual(25);
  });
});
