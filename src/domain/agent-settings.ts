import { type LifecycleStage, NEVER_TESTED } from './compliance.ts';

/** What an owner decides about the tests of an agent. */
export interface AgentSettings {
  readonly optedOut: boolean;
  readonly monitoringPaused: boolean;
  /** Between two tests, whole hours. */
  readonly checkIntervalHours: number;
  readonly lifecycleStage: LifecycleStage;
}

/** The stages in which an agent is tested by the clock (docs/operating/heartbeat.md). */
export const MONITORED_STAGES: readonly LifecycleStage[] = ['testing', 'production'];

/** True for agents that the heartbeat tests at all. */
export function isMonitored({ optedOut, monitoringPaused, lifecycleStage }: MonitoringSettings): boolean {
  return !optedOut && !monitoringPaused && MONITORED_STAGES.includes(lifecycleStage);
}

type MonitoringSettings = Pick<AgentSettings, 'optedOut' | 'monitoringPaused' | 'lifecycleStage'>;

export type SettingsChange = Partial<AgentSettings>;

/** Shortest and longest interval between tests, hours. */
export const INTERVAL_HOURS = { min: 6, max: 168 } as const;

/** Of an agent whose owner has decided nothing. */
export const DEFAULT_SETTINGS: AgentSettings = {
  optedOut: NEVER_TESTED.optedOut,
  monitoringPaused: NEVER_TESTED.monitoringPaused,
  checkIntervalHours: NEVER_TESTED.checkIntervalHours,
  lifecycleStage: NEVER_TESTED.lifecycleStage,
};

/** Only what a change really changes; empty when nothing. */
export function effectiveChange(before: AgentSettings, change: SettingsChange): SettingsChange {
  const names = Object.keys(change) as (keyof AgentSettings)[];
  const changed = names.filter((name) => change[name] !== undefined && change[name] !== before[name]);
  return Object.fromEntries(changed.map((name) => [name, change[name]]));
}
