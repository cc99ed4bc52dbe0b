import type { BadgeEventKind } from '../../domain/badge.ts';
import type { ComplianceState } from '../../records/runs/compliance-state.ts';
import type { BadgeEventPage, ComplianceStore, KeptBadgeEvent } from '../../records/runs/compliance-store.ts';
import { timelineCursor } from '../history-pages.ts';
import { type OptedOutDetail, optedOut, type VerifiedBadge, verifiedBadges } from './compliance-detail.ts';

/** One event of the badge history, with its reason. */
export interface BadgeEventBody {
  readonly at: string;
  readonly kind: BadgeEventKind;
  readonly role: string;
  readonly line: string;
  readonly reason: string;
  readonly run_id: string | null;
}

export interface BadgesBody {
  readonly agent_url: string;
  /** The active ones. */
  readonly badges: readonly VerifiedBadge[];
  readonly events: readonly BadgeEventBody[];
  readonly next_cursor: string | null;
}

interface Viewed {
  readonly agent: string;
  readonly state: ComplianceState;
  /** Without a trailing slash; empty: links are relative. */
  readonly baseUrl: string;
}

/** A page of an agent's badge history, or the short form if it opted out; `limit` is at most the page size of the store, less one. */
export async function readBadgeTimeline(
  compliance: Pick<ComplianceStore, 'badgeEvents'>,
  viewed: Viewed,
  page: BadgeEventPage,
): Promise<BadgesBody | OptedOutDetail> {
  const { agent, state } = viewed;
  const events = state.settings.optedOut
    ? []
    : await compliance.badgeEvents(agent, { ...page, limit: page.limit + 1 });
  return badgeTimeline(viewed, events, page.limit);
}

/** A page of a badge history from one entry more than its limit, or the short form of an agent that opted out. */
function badgeTimeline(
  { agent, state, baseUrl }: Viewed,
  events: readonly KeptBadgeEvent[],
  limit: number,
): BadgesBody | OptedOutDetail {
  if (state.settings.optedOut) return optedOut(agent, state.settings.lifecycleStage);
  const page = events.slice(0, limit);
  const last = events.length > limit ? page.at(-1) : undefined;
  return {
    agent_url: agent,
    badges: verifiedBadges(agent, state.badges, baseUrl),
    events: page.map(badgeEvent),
    next_cursor: last === undefined ? null : timelineCursor(last),
  };
}

export function badgeEvent({ at, kind, role, line, reason, runId }: KeptBadgeEvent): BadgeEventBody {
  return { at: new Date(at).toISOString(), kind, role, line, reason, run_id: runId };
}
