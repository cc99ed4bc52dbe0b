import { type AgentSettings, DEFAULT_SETTINGS } from '../../../../domain/agent-settings.ts';
import type { AgentSettingsTable } from '../../schema-agents.ts';

/** Columns of `agent_settings`, null where an owner has decided nothing. */
type ChosenRow = {
  readonly [Column in keyof Omit<AgentSettingsTable, 'agent'>]: AgentSettingsTable[Column] | null;
};

/** What an owner has decided, and the usual for the rest. */
export function chosenSettings(row: ChosenRow): AgentSettings {
  const { optedOut, monitoringPaused, checkIntervalHours, lifecycleStage } = DEFAULT_SETTINGS;
  return {
    optedOut: row.opted_out === null ? optedOut : row.opted_out === 1,
    monitoringPaused: row.monitoring_paused === null ? monitoringPaused : row.monitoring_paused === 1,
    checkIntervalHours: row.check_interval_hours ?? checkIntervalHours,
    lifecycleStage: row.lifecycle_stage ?? lifecycleStage,
  };
}
