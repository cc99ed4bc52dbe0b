/** A membership tier: what it is called, and whether agents of its members can earn badges. */
export interface Tier {
  readonly label: string;
  readonly apiAccess: boolean;
}

export type TierTable = Readonly<Record<string, Tier>>;

/** The tiers where the configuration names no others (rulings, "tiers that grant badges"). */
export const DEFAULT_TIERS: TierTable = {
  explorer: { label: 'Explorer', apiAccess: false },
  professional: { label: 'Professional', apiAccess: true },
  builder: { label: 'Builder', apiAccess: true },
  partner: { label: 'Partner', apiAccess: true },
  leader: { label: 'Leader', apiAccess: true },
};

/** Subscriptions that grant what the tier does. */
const GRANTING_SUBSCRIPTIONS: readonly string[] = ['active', 'past_due', 'trialing'];

/** What the member that owns an agent has; absent members are not known. */
export interface MemberStanding {
  readonly tier?: string;
  readonly subscriptionStatus?: string;
}

/** The wire's `is_api_access_tier`: tier and subscription together grant badges. False without an owner. */
export function isApiAccessTier(
  member: MemberStanding | undefined,
  tiers: TierTable = DEFAULT_TIERS,
): boolean {
  return tierOf(member?.tier, tiers)?.apiAccess === true && hasSubscription(member);
}

/** The tier's label in the table; undefined for a tier that is not in it. */
export function tierLabel(tier: string | undefined, tiers: TierTable = DEFAULT_TIERS): string | undefined {
  return tierOf(tier, tiers)?.label;
}

/** Why a member's agents earn no badge, as the end of a sentence; undefined when they can. */
export function whyNoBadges(
  member: MemberStanding | undefined,
  tiers: TierTable = DEFAULT_TIERS,
): string | undefined {
  if (member === undefined) return 'no member owns the agent';
  if (tierOf(member.tier, tiers)?.apiAccess !== true) return 'the tier of its member grants no badges';
  return hasSubscription(member) ? undefined : 'the subscription of its member has ended';
}

function hasSubscription(member: MemberStanding | undefined): boolean {
  return (
    member?.subscriptionStatus !== undefined && GRANTING_SUBSCRIPTIONS.includes(member.subscriptionStatus)
  );
}

function tierOf(tier: string | undefined, tiers: TierTable): Tier | undefined {
  return tier !== undefined && Object.hasOwn(tiers, tier) ? tiers[tier] : undefined;
}
