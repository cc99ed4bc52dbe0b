import { type Badge, isActive } from '../../domain/badge.ts';
import type { ComplianceState } from '../../ports/compliance.ts';
import type { BadgeClaims } from '../../signing/badge-claims.ts';
import { BADGE_TOKEN_LIFETIME } from '../../signing/badge-token.ts';

const HOUR = 3_600;

export interface ClaimedBy {
  /** The registry. */
  readonly issuer: string;
  /** Canonical URL. */
  readonly agent: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

interface BadgeChoice {
  readonly role: Badge['role'];
  /** Absent: of several lines the newest. */
  readonly line?: string;
}

/**
 * The active badge of a role, in grace or not; undefined where there is none, for an agent that opted out and for one
 * never heard of (`undefined`).
 */
export function shownBadge(
  state: Pick<ComplianceState, 'badges' | 'settings'> | undefined,
  { role, line }: BadgeChoice,
): Badge | undefined {
  if (state === undefined || state.settings.optedOut) return undefined;
  const shown = state.badges.filter(
    (badge) => badge.role === role && isActive(badge) && (line === undefined || badge.line === line),
  );
  return shown.toSorted((one, other) => byLine(other.line, one.line))[0];
}

/** `3.10` comes after `3.9`. */
function byLine(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

/**
 * What the token of an active badge says. It is issued at the beginning of the hour, or when the badge was earned in
 * this hour, so that it is the same token for everybody until the next, and ends a day after that.
 */
export function badgeClaims(badge: Badge, { issuer, agent, now }: ClaimedBy): BadgeClaims {
  const seconds = Math.floor(now / 1_000);
  const earned = Math.min(seconds, Math.floor(badge.verifiedAt / 1_000));
  const iat = Math.max(seconds - (seconds % HOUR), earned);
  return {
    iss: issuer,
    sub: agent,
    iat,
    exp: iat + BADGE_TOKEN_LIFETIME,
    role: badge.role,
    verified_protocol_version: badge.line,
    proto_version: badge.protoVersion,
    verified_at: new Date(badge.verifiedAt).toISOString(),
    verified_specialisms: badge.specialisms,
    verification_modes: badge.axes,
  };
}
