import {
  DEFAULT_TIERS,
  isApiAccessTier,
  type TierTable,
  tierLabel,
} from '../../../compliance/badges/conditions.ts';
import type { BadgeEligibility, BadgeTiers } from '../../../pages/owner/badge-eligibility.ts';
import type { Records } from '../../../ports/records.ts';

interface EligibilityParts {
  readonly records: { readonly members: Pick<Records['members'], 'get'> };
  readonly tiers?: TierTable;
}

/** Which memberships can earn badges here. */
export function badgeTiers(table: TierTable = DEFAULT_TIERS): BadgeTiers {
  const granting = Object.values(table.tiers).filter(({ apiAccess }) => apiAccess);
  return { tiers: granting.map(({ label }) => label), subscriptions: table.subscriptions };
}

/** Whether the agents of a member can earn badges. */
export async function eligibilityOf(
  { records, tiers = DEFAULT_TIERS }: EligibilityParts,
  slug: string,
): Promise<BadgeEligibility> {
  const member = await records.members.get(slug);
  const tier = member?.tier;
  return {
    ...badgeTiers(tiers),
    ...{ member: slug, memberId: member?.id ?? null, mayEarn: isApiAccessTier(member, tiers) },
    tier: tierLabel(tier, tiers) ?? member?.tierLabel ?? tier ?? null,
    subscription: member?.subscriptionStatus ?? null,
  };
}
