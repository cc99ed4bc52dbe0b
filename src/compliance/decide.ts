import type { AgentSettings } from '../domain/compliance.ts';
import type { JudgedRun } from '../domain/judged-run.ts';
import type { Standing } from '../domain/standing.ts';
import type { ComplianceAfter, ComplianceBefore, ImportBefore, OwnerStanding } from '../ports/compliance.ts';
import { type BadgeInput, type BadgeOutcome, badgesAfter } from './badges/badges-after.ts';
import type { TierTable } from './badges/conditions.ts';
import { foldRun, standingAfterAll } from './verdict/fold-run.ts';
import { nextRunAt, nextRunStill } from './verdict/next-run.ts';

interface AfterRunInput extends Omit<BadgeInput, 'run' | 'settings'> {
  readonly run: JudgedRun;
  /** Before the run. */
  readonly standing: Standing;
  readonly settings: AgentSettings;
  /** When the heartbeat was to come; null for never. */
  readonly due: number | null;
}

export interface AfterRun extends BadgeOutcome {
  readonly standing: Standing;
  readonly nextRunAt: number | null;
}

/** What decisions are made under: the moment, and the tiers that grant badges where they are not the usual ones. */
export interface DecideOptions {
  readonly now: number;
  /** How far the time is settled (ports/clock.ts): no badge is revoked by a clock that has jumped ahead. Absent: `now`. */
  readonly settled?: number;
  readonly tiers?: TierTable;
}

/** What a finished run changes; for `records.compliance.saveRun`. */
export function decideRun(run: JudgedRun, options: DecideOptions) {
  return (before: ComplianceBefore): ComplianceAfter =>
    ofOwned(
      before,
      afterRun({ ...inputOf(before, options), settings: before.settings, run, due: before.due }),
    );
}

/**
 * What the owner, the membership or the time has changed; for `records.compliance.reconsider` after every change of
 * settings, ownership or subscription.
 */
export function decideChange(options: DecideOptions) {
  return (before: ComplianceBefore): ComplianceAfter => decided(before, before.standing, options);
}

/**
 * What runs recorded elsewhere change: the standing that the whole history gives, or what they add to the one that is
 * there when older runs were pruned. They earn no badge: nobody here has seen their steps.
 */
export function decideImport(options: DecideOptions) {
  return (before: ImportBefore): ComplianceAfter => {
    const { forgotten, history, added, standing } = before;
    const after = forgotten
      ? added.reduce((stands, run) => foldRun(stands, run, options.now), standing)
      : standingAfterAll(history, options.now);
    return decided(before, after, options);
  };
}

function decided(before: ComplianceBefore, standing: Standing, options: DecideOptions): ComplianceAfter {
  const { settings, due } = before;
  return ofOwned(before, {
    standing,
    ...badgesAfter({ ...inputOf(before, options), standing }),
    nextRunAt: nextRunStill({ standing, settings, due, now: options.now }),
  });
}

/** The heartbeat comes to agents with a proven owner only (docs/operating/heartbeat.md). */
function ofOwned({ owner }: ComplianceBefore, after: ComplianceAfter): ComplianceAfter {
  return owner === undefined ? { ...after, nextRunAt: null } : after;
}

function inputOf(before: ComplianceBefore, { now, settled, tiers }: DecideOptions): Omit<BadgeInput, 'run'> {
  const { badges, standing, settings, probes, owner } = before;
  return {
    ...{ badges, standing, settings, probes, now },
    ...(owner && { member: memberOf(owner) }),
    ...(settled !== undefined && { settled }),
    ...(tiers && { tiers }),
  };
}

function memberOf({ tier, subscriptionStatus }: OwnerStanding) {
  return {
    ...(tier !== undefined && { tier }),
    ...(subscriptionStatus !== undefined && { subscriptionStatus }),
  };
}

/** All that a finished run changes, to be stored in one transaction: standing, badges with their events, the next run. */
export function afterRun(input: AfterRunInput): AfterRun {
  const { run, settings, due, now } = input;
  const standing = foldRun(input.standing, run, now);
  return {
    standing,
    ...badgesAfter({ ...input, standing }),
    nextRunAt: nextRunAt({ standing, settings, due, now }),
  };
}
