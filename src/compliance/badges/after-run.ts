import type { AgentSettings } from '../../domain/agent-settings.ts';
import { foldRun } from '../verdict/fold-run.ts';
import { nextRunAt } from '../verdict/next-run.ts';
import type { Standing } from '../verdict/standing.ts';
import type { JudgedRun } from '../verdict/verdict.ts';
import { type BadgeInput, type BadgeOutcome, badgesAfter } from './badges-after.ts';

export interface AfterRunInput extends Omit<BadgeInput, 'run' | 'settings'> {
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
