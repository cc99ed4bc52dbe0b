import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinMatches } from '../../src/trusted-match/join.ts';

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const offers = fc.array(
  fc.record(
    { package_id: id, score: fc.integer({ min: 0, max: 10 }).map((tenths) => tenths / 10) },
    { requiredKeys: ['package_id'] },
  ),
);
const eligible = fc.array(id);

describe('the join', () => {
  it('activates what is offered and eligible, the best first, equal ones by id', () => {
    const context = {
      offers: [
        { package_id: 'b', score: 0.5 },
        { package_id: 'a', score: 0.5 },
        { package_id: 'c', score: 0.9 },
        { package_id: 'd' },
        { package_id: 'e', score: 1 },
      ],
    };
    expect(joinMatches(context, { eligible_package_ids: ['d', 'a', 'b', 'c', 'x'] })).toEqual([
      { package_id: 'c', score: 0.9 },
      { package_id: 'a', score: 0.5 },
      { package_id: 'b', score: 0.5 },
      { package_id: 'd', score: 0 },
    ]);
  });

  it('has each package of both, once, and no other', () => {
    fc.assert(
      fc.property(offers, eligible, (made, allowed) => {
        const joined = joinMatches({ offers: made }, { eligible_package_ids: allowed });
        const expected = new Set(
          made.map((offer) => offer.package_id).filter((one) => allowed.includes(one)),
        );
        expect(joined.map(({ package_id }) => package_id).toSorted()).toEqual([...expected].toSorted());
      }),
    );
  });

  it('does not depend on the order of what it gets, and changes none of it', () => {
    fc.assert(
      fc.property(offers, eligible, (made, allowed) => {
        const forwards = joinMatches({ offers: made }, { eligible_package_ids: allowed });
        const copy = structuredClone([made, allowed]);
        const backwards = joinMatches(
          { offers: made.toReversed() },
          { eligible_package_ids: allowed.toReversed() },
        );
        expect(backwards).toEqual(forwards);
        expect([made, allowed]).toEqual(copy);
      }),
    );
  });
});
