/** A membership tier: what it is called, and whether agents of its members can earn badges. */
export interface Tier {
  readonly label: string;
  readonly apiAccess: boolean;
}

/** Which memberships grant badges; an operator's own comes from REGISTRY_TIERS. */
export interface TierTable {
  readonly tiers: Readonly<Record<string, Tier>>;
  /** Of subscriptions: those that grant what the tier does. */
  readonly subscriptions: readonly string[];
}

/** The tiers where the configuration names no others (rulings, "tiers that grant badges"). */
export const DEFAULT_TIERS: TierTable = {
  tiers: {
    explorer: { label: 'Explorer', apiAccess: false },
    professional: { label: 'Professional', apiAccess: true },
    builder: { label: 'Builder', apiAccess: true },
    partner: { label: 'Partner', apiAccess: true },
    leader: { label: 'Leader', apiAccess: true },
  },
  subscriptions: ['active', 'past_due', 'trialing'],
};

/** What the member that owns an agent has; absent members are not known. */
export interface MemberStanding {
  readonly tier?: string;
  readonly subscriptionStatus?: string;
}

/** The wire's `is_api_access_tier`: tier and subscription together grant badges. False without an owner. */
export function isApiAccessTier(
  member: MemberStanding | undefined,
  table: TierTable = DEFAULT_TIERS,
): boolean {
  const { tier, subscriptionStatus } = member ?? {};
  if (tier === undefined || subscriptionStatus === undefined) return false;
  return tierOf(tier, table)?.apiAccess === true && table.subscriptions.includes(subscriptionStatus);
}

/** The tier's label in the table; undefined for a tier that is not in it. */
export function tierLabel(tier: string | undefined, table: TierTable = DEFAULT_TIERS): string | undefined {
  return tier === undefined ? undefined : tierOf(tier, table)?.label;
}

/**
 * Why a member's agents earn no badge, as the end of a sentence; undefined when they can. Timelines are public, so it is
 * the same for a tier, a subscription and an owner that are not there: those are the owner's business (specification, 2.5).
 */
export function whyNoBadges(
  member: MemberStanding | undefined,
  table: TierTable = DEFAULT_TIERS,
): string | undefined {
  return isApiAccessTier(member, table) ? undefined : 'no membership that grants badges stands behind it';
}

function tierOf(tier: string, { tiers }: TierTable): Tier | undefined {
  return Object.hasOwn(tiers, tier) ? tiers[tier] : undefined;
}
