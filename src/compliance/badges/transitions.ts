import type { Badge, BadgeEvent, BadgeEventKind } from '../../domain/badge.ts';

const HOUR = 3_600_000;

/** From the first failing run; the first failing run at or after its end revokes (docs/reference/badges.md). */
export const BADGE_GRACE_MS = 48 * HOUR;

/** When something happens to a badge, and by which run. */
export interface TransitionCause {
  readonly at: number;
  readonly runId: string | null;
}

/** A badge after something happened, and what there is to tell of it. */
export interface BadgeTransition {
  readonly badge: Badge;
  readonly events: readonly BadgeEvent[];
}

/** Ends a badge, whatever state it is in. `why` is the end of a sentence. */
export function revoke(badge: Badge, why: string, moment: TransitionCause): BadgeTransition {
  const revoked = { ...badge, revokedAt: Math.max(moment.at, badge.verifiedAt) };
  return { badge: revoked, events: [event('revoked', badge, `Revoked: ${why}.`, moment)] };
}

/**
 * A failing run begins the grace; the first one 48 h or more after that ends the badge. A clock that is wrong ends none:
 * one that jumped ahead has not settled so much time, and one that is behind begins no grace before the settled time.
 */
export function afterFailure(
  badge: Badge,
  why: string,
  moment: TransitionCause,
  settled = moment.at,
): BadgeTransition {
  const latest = Math.max(moment.at, settled);
  if (badge.graceSince === null) {
    const reason = `In grace: ${why}; a run that fails at or after ${text(latest + BADGE_GRACE_MS)} revokes it.`;
    return { badge: { ...badge, graceSince: latest }, events: [event('grace', badge, reason, moment)] };
  }
  // a grace that lies in the future is of a clock that has been put back
  const graceSince = Math.min(badge.graceSince, latest);
  if (Math.min(moment.at, settled) - graceSince < BADGE_GRACE_MS)
    return { badge: { ...badge, graceSince }, events: [] };
  return revoke(badge, `${why}, and has not passed since ${text(graceSince)}`, moment);
}

/** A passing run ends the grace and says what the badge is for now. */
export function afterPass(
  badge: Badge,
  verified: Pick<Badge, 'specialisms' | 'protoVersion'>,
  moment: TransitionCause,
): BadgeTransition {
  const wasInGrace = badge.graceSince !== null;
  const hasGrown = verified.specialisms.join() !== badge.specialisms.join();
  const events = [
    ...(wasInGrace ? [event('recovered', badge, 'Every declared specialism passes again.', moment)] : []),
    ...(hasGrown
      ? [event('changed', badge, `It is now for ${verified.specialisms.join(', ')}.`, moment)]
      : []),
  ];
  return { badge: { ...badge, ...verified, graceSince: null }, events };
}

/** Gives or takes the `live` axis; `whyNot` is the end of a sentence, undefined when it is covered. */
export function withLiveAxis(
  { badge, events }: BadgeTransition,
  whyNot: string | undefined,
  moment: TransitionCause,
): BadgeTransition {
  const isLive = badge.axes.includes('live');
  if (isLive === (whyNot === undefined)) return { badge, events };
  const reason =
    whyNot === undefined
      ? 'The live axis was added: in production, healthy and passing for 7 days.'
      : `The live axis was taken away: ${whyNot}.`;
  const axes = whyNot === undefined ? (['spec', 'live'] as const) : (['spec'] as const);
  return { badge: { ...badge, axes }, events: [...events, event('changed', badge, reason, moment)] };
}

function event(
  kind: BadgeEventKind,
  { role, line }: Badge,
  reason: string,
  moment: TransitionCause,
): BadgeEvent {
  return { kind, role, line, reason, ...moment };
}

function text(at: number): string {
  return new Date(at).toISOString();
}
