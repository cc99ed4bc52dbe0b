import { isApiAccessTier, type TierTable, tierLabel } from '../../compliance/badges/conditions.ts';
import { type Badge, isActive, newestLineFirst } from '../../domain/badge.ts';
import type { LifecycleStage, TrackDetail, VerificationAxis } from '../../domain/compliance.ts';
import {
  type JudgedStatus,
  NOTHING_RECORDED,
  type RunNotice,
  type RunObservation,
  type RunTrigger,
  type SpecialismStatus,
  type StoryboardStatus,
} from '../../domain/judged-run.ts';
import type { Standing } from '../../domain/standing.ts';
import type { ComplianceState, OwnerStanding } from '../../records/runs/compliance-state.ts';

/** The answer of the compliance operation (specification, 2.5; its keys and their order are the same for all). */
export type ComplianceDetail = OptedOutDetail | MonitoredDetail;

/** The short form of an agent that opted out (specification, 2.8), the same for its owner. */
export interface OptedOutDetail {
  readonly agent_url: string;
  readonly status: 'opted_out';
  readonly compliance_opt_out: true;
  readonly lifecycle_stage: LifecycleStage;
}

export interface MonitoredDetail {
  readonly agent_url: string;
  readonly status: JudgedStatus;
  readonly lifecycle_stage: LifecycleStage;
  readonly requested_compliance_target: string | null;
  readonly proto_version: string | null;
  readonly compliance_opt_out: false;
  readonly tracks: Readonly<Record<string, string>>;
  readonly track_details: readonly TrackDetail[];
  readonly streak_days: number;
  readonly last_checked_at: string | null;
  readonly last_passed_at: string | null;
  readonly last_failed_at: string | null;
  readonly status_changed_at: string | null;
  readonly headline: string | null;
  readonly storyboards_passing: number;
  readonly storyboards_total: number;
  /** Of `storyboards_total`; neither passing nor failing. */
  readonly storyboards_incomplete: number;
  readonly check_interval_hours: number;
  readonly declared_specialisms: readonly string[];
  readonly specialism_status: Readonly<Record<string, SpecialismStatus>>;
  readonly storyboard_statuses: readonly StoryboardStatus[];
  readonly notices: readonly RunNotice[];
  readonly observations: readonly RunObservation[];
  readonly membership_tier: string | null;
  readonly membership_tier_label: string | null;
  readonly subscription_status: string | null;
  readonly is_api_access_tier: boolean;
  readonly triggered_by: RunTrigger | null;
  readonly verified: boolean;
  readonly verified_badges: readonly VerifiedBadge[];
}

/** An active badge, in grace or not (specification, 2.7). */
export interface VerifiedBadge {
  readonly role: string;
  readonly proto_version: string;
  readonly verified_at: string;
  readonly verified_specialisms: readonly string[];
  readonly verification_modes: readonly VerificationAxis[];
  readonly verified_protocol_version: string;
  readonly badge_url: string;
}

/** Who reads it, under which address the registry is known, and which memberships grant badges. */
export interface DetailView {
  /** The proven owner reads it. */
  readonly isOwner: boolean;
  /** Without a trailing slash; empty: links are relative. */
  readonly baseUrl: string;
  /** Absent: the usual ones. */
  readonly tiers?: TierTable;
}

/**
 * What the records hold of an agent's compliance. For everybody but the owner the owner-scoped members are null, false
 * or empty: the shape must not reveal who owns the agent (specification, 2.5).
 */
export function complianceDetail(
  agentUrl: string,
  { settings, standing, badges, owner }: ComplianceState,
  view: DetailView,
): ComplianceDetail {
  if (settings.optedOut) return optedOut(agentUrl, settings.lifecycleStage);
  const { latest } = standing;
  const verdict = latest?.verdict ?? NOTHING_RECORDED;
  // Of the most recent check, also one that does not count; all else is of the latest that does (specification, 2.5).
  const { notices, observations } = standing.recent ?? verdict;
  const verified = verifiedBadges(agentUrl, badges, view.baseUrl);
  return {
    agent_url: agentUrl,
    status: standing.status,
    lifecycle_stage: settings.lifecycleStage,
    requested_compliance_target: latest?.requestedTarget ?? null,
    proto_version: latest?.protoVersion ?? null,
    compliance_opt_out: false,
    tracks: verdict.tracks,
    track_details: verdict.track_details,
    streak_days: standing.streakDays,
    last_checked_at: timeOf(latest?.at ?? null),
    last_passed_at: timeOf(standing.lastPassedAt),
    last_failed_at: timeOf(standing.lastFailedAt),
    status_changed_at: timeOf(standing.statusChangedAt),
    headline: verdict.headline === '' ? null : verdict.headline,
    storyboards_passing: verdict.storyboards_passing,
    storyboards_total: verdict.storyboards_total,
    storyboards_incomplete: verdict.storyboards_incomplete ?? 0,
    check_interval_hours: settings.checkIntervalHours,
    declared_specialisms: verdict.declared_specialisms,
    specialism_status: verdict.specialism_status,
    storyboard_statuses: view.isOwner ? standing.storyboards : [],
    notices,
    observations,
    ...(view.isOwner && owner ? ownerScoped(owner, standing, view.tiers) : OWNER_SCOPED_FOR_OTHERS),
    verified: verified.length > 0,
    verified_badges: verified,
  };
}

const OWNER_SCOPED_FOR_OTHERS = {
  membership_tier: null,
  membership_tier_label: null,
  subscription_status: null,
  is_api_access_tier: false,
  triggered_by: null,
} as const;

/** In the order of `OWNER_SCOPED_FOR_OTHERS`, as the order of the keys must not reveal it either. */
function ownerScoped(
  { tier, tierLabel: label, subscriptionStatus }: OwnerStanding,
  { recent, latest }: Standing,
  tiers: TierTable | undefined,
) {
  const member = {
    ...(tier !== undefined && { tier }),
    ...(subscriptionStatus !== undefined && { subscriptionStatus }),
  };
  return {
    membership_tier: tier ?? null,
    membership_tier_label: label ?? tierLabel(tier, tiers) ?? null,
    subscription_status: subscriptionStatus ?? null,
    is_api_access_tier: isApiAccessTier(member, tiers),
    triggered_by: (recent ?? latest)?.trigger ?? null,
  };
}

/**
 * The active badges, newest line first, the same in every operation. The address of a picture without a line shows the
 * newest one of the role, so that of an older line names it.
 */
export function verifiedBadges(
  agentUrl: string,
  badges: readonly Badge[],
  baseUrl: string,
): readonly VerifiedBadge[] {
  const root = `${baseUrl}/api/registry/agents/${encodeURIComponent(agentUrl)}/badge`;
  const roles = new Set<string>();
  return newestLineFirst(badges.filter(isActive)).map((badge) => {
    const isNewest = !roles.has(badge.role);
    roles.add(badge.role);
    const picture = isNewest ? badge.role : `${badge.role}/${badge.line}`;
    return verifiedBadge(badge, `${root}/${picture}.svg`);
  });
}

function verifiedBadge(badge: Badge, pictureUrl: string): VerifiedBadge {
  return {
    role: badge.role,
    proto_version: badge.protoVersion,
    verified_at: new Date(badge.verifiedAt).toISOString(),
    verified_specialisms: badge.specialisms,
    verification_modes: badge.axes,
    verified_protocol_version: badge.line,
    badge_url: pictureUrl,
  };
}

function timeOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** The short form, the same in every operation. */
export function optedOut(agentUrl: string, lifecycleStage: LifecycleStage): OptedOutDetail {
  return {
    agent_url: agentUrl,
    status: 'opted_out',
    compliance_opt_out: true,
    lifecycle_stage: lifecycleStage,
  };
}
