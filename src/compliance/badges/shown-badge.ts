import type { ComplianceState } from '../../ports/compliance.ts';
import { type Badge, isActive } from './badge.ts';

export interface WantedBadge {
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
  { role, line }: WantedBadge,
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
