import { html, type SafeHtml } from '@remix-run/html-template';
import { said } from '../texts.ts';

/** Which memberships can earn badges; labels of tiers, and statuses of subscriptions. */
export interface BadgeTiers {
  readonly tiers: readonly string[];
  readonly subscriptions: readonly string[];
}

/** Whether the agents of a member can earn badges, and what decides it. */
export interface BadgeEligibility extends BadgeTiers {
  readonly member: string;
  /** The id that the operator needs to change a member that joined; null for one that the operator imported. */
  readonly memberId: string | null;
  readonly mayEarn: boolean;
  /** The label of its tier; null: none. */
  readonly tier: string | null;
  readonly subscription: string | null;
}

/** For those who do not have a membership yet. */
export function whoEarnsBadges(known: BadgeTiers): SafeHtml {
  return html`<p>Every member can have its agents tested. ${rule(known)} The operator of this registry assigns tiers. A new member has none, so its agents earn no badge until the operator assigns one.</p>`;
}

/** What the tier of the member allows, and what to do. */
export function badgeEligibility(known: BadgeEligibility): SafeHtml {
  const { member, memberId, mayEarn, tier, subscription } = known;
  if (mayEarn)
    return html`<p>Your organisation can earn badges (tier: ${said(tier ?? '', 60)}, subscription: ${said(subscription ?? '', 40)}).</p>`;
  const has = tier === null ? 'no membership tier' : html`the tier ${said(tier, 60)}`;
  const paid =
    subscription === null ? 'no subscription' : html`a subscription that is <q>${said(subscription, 40)}</q>`;
  const id = memberId === null ? '' : html` (id <code>${memberId}</code>)`;
  return html`<div class="notice"><p><b>Your organisation cannot earn badges yet.</b> It has ${has} and ${paid}. ${rule(known)}</p>
<p>To earn badges, ask the operator of this registry to assign a tier to <code>${said(member, 63)}</code>${id}. Until then your agents are tested and their results are published, without badges.</p></div>`;
}

function rule({ tiers, subscriptions }: BadgeTiers): SafeHtml | string {
  if (tiers.length === 0) return 'No tier of this registry grants badges.';
  return html`Badges require the tier ${oneOf(tiers)}, with a subscription that is ${oneOf(subscriptions)}.`;
}

/** `Builder, Partner or Leader`. */
function oneOf(names: readonly string[]): SafeHtml {
  return html`${names.map((name, at) => html`${at === 0 ? '' : at === names.length - 1 ? ' or ' : ', '}${said(name, 60)}`)}`;
}
