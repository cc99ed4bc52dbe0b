import type { LifecycleStage } from '../../domain/compliance.ts';

export {
  BADGE_EVENT_KINDS,
  type Badge,
  type BadgeEvent,
  type BadgeEventKind,
  isActive,
  LIVE_WINDOW_MS,
  type ProbeHistory,
} from '../../domain/badge.ts';

/** Of the owner's settings what decides about badges. */
export interface BadgeSettings {
  readonly optedOut: boolean;
  readonly lifecycleStage: LifecycleStage;
}

/** `3.0` of `3.0.0` and `3.1` of `3.1.0-beta.2`; undefined for what is no version. */
export function lineOf(protoVersion: string | null): string | undefined {
  return /^(\d+\.\d+)(?:\.\d+)?(?:[-+].*)?$/.exec(protoVersion ?? '')?.[1];
}
