import type { VerificationAxis } from './compliance.ts';

/** What a badge can be for (rulings, "badge role"). */
export const BADGE_ROLES = [
  'media-buy',
  'creative',
  'signals',
  'governance',
  'brand',
  'measurement',
  'rights',
] as const;
export type BadgeRole = (typeof BADGE_ROLES)[number];

/** A badge of an agent, active or not; times are epoch milliseconds. One agent has at most one active for role and line. */
export interface Badge {
  readonly role: BadgeRole;
  /** `major.minor`. */
  readonly line: string;
  readonly axes: readonly VerificationAxis[];
  /** Those that it was verified for, sorted. */
  readonly specialisms: readonly string[];
  /** The bundle of the run that confirmed it last. */
  readonly protoVersion: string;
  /** When it was earned. */
  readonly verifiedAt: number;
  /** Since the first failing run after the last one that passed; null when it is not in grace. */
  readonly graceSince: number | null;
  /** A badge that is revoked stays so; earning it anew makes another one. */
  readonly revokedAt: number | null;
}

export const BADGE_EVENT_KINDS = [
  'earned',
  'grace', // a run failed; it is still shown
  'recovered', // it passed again while in grace
  'changed', // its specialisms or its axes
  'revoked',
] as const;
export type BadgeEventKind = (typeof BADGE_EVENT_KINDS)[number];

/** One line of a badge's timeline. */
export interface BadgeEvent {
  readonly kind: BadgeEventKind;
  readonly role: BadgeRole;
  readonly line: string;
  readonly at: number;
  /** Why, one sentence. */
  readonly reason: string;
  /** The run that did it; null when it was no run's doing. */
  readonly runId: string | null;
}

/** The days that the `live` axis looks back on: of probes, and of passing (rulings, "badge"). */
export const LIVE_WINDOW_MS = 7 * 86_400_000;

/** How often the probes of that window found the agent healthy. */
export interface ProbeHistory {
  readonly total: number;
  readonly healthy: number;
}

/** True for a badge that is shown: in grace or not. */
export function isActive(badge: Badge): boolean {
  return badge.revokedAt === null;
}
