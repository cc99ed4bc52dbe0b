import { describe, expect, it } from 'vitest';
import { BUDGETS, type Budget, limitsOf } from '../../src/budgets/table.ts';

const ROWS: readonly (readonly [string, Budget])[] = Object.entries(BUDGETS);
const SHARED = ROWS.filter(([, { total }]) => total !== undefined);
const OF_SITES = ROWS.filter(([, { perSite }]) => perSite !== undefined);

describe('the table of budgets', () => {
  it.each(SHARED)('%s gives no party more than a quarter of what all callers share', (_, budget) => {
    const { total = 0, reservedForMembers = 0, perMember = 0, perAddress = 0 } = budget;
    expect(perMember).toBeLessThanOrEqual(total / 4);
    expect(perAddress).toBeLessThanOrEqual(Math.max(0, total - reservedForMembers) / 4);
  });

  it.each(SHARED.filter(([, { perAddress = 0 }]) => perAddress > 0))(
    '%s keeps a part for members, and needs four networks without a key to empty the rest',
    (_, budget) => {
      const { open = 0, perNetwork = 0 } = limitsOf(budget, false, false);
      expect(budget.reservedForMembers).toBeGreaterThanOrEqual(budget.perMember ?? 0);
      expect(perNetwork * 4).toBeLessThanOrEqual(Math.max(4, open));
      expect(perNetwork).toBeGreaterThanOrEqual(budget.perAddress ?? 0);
    },
  );

  it.each(OF_SITES)('%s gives no party more than a quarter of what may be asked of a site', (_, budget) => {
    const { perSite = 0, perPartyAndSite = 0 } = limitsOf(budget, true, true);
    expect(perPartyAndSite).toBeLessThanOrEqual(Math.max(1, perSite / 4));
    expect(limitsOf(budget, true, true).perSiteForOthers).toBeUndefined();
    expect(limitsOf(budget, true, false).perSiteForOthers).toBe(perSite - (budget.reservedForOwners ?? 0));
  });

  it('counts files that checked files refer to by their site alone', () => {
    expect(limitsOf(BUDGETS.referredFiles, true, false)).toEqual({ perSite: 10, perSiteForOthers: 10 });
    expect(limitsOf(BUDGETS.referredFiles, false, true)).toEqual({ perSite: 10 });
  });
});
