import type { AgentSettings, AgentTestSetup, LifecycleStage } from '../../domain/compliance.ts';
import { type Owner, proveAgainBy } from '../../domain/ownership.ts';

/** An owner's settings on the wire; the names are those of the compliance operation. */
export interface AgentSettingsBody {
  readonly agent_url: string;
  readonly member: string | null;
  readonly proven_at: string | null;
  /** Only while an old verification must be renewed. */
  readonly prove_again_by?: string;
  readonly compliance_opt_out: boolean;
  readonly monitoring_paused: boolean;
  readonly check_interval_hours: number;
  readonly lifecycle_stage: LifecycleStage;
  readonly compliance_target: string | null;
  readonly test_setup: AgentTestSetup | null;
  readonly next_run_at: string | null;
}

/** The next scheduled test; a time in the past is due and queued. */
export function nextRunTime(due: number | null): string | null {
  return due === null ? null : new Date(due).toISOString();
}

/** Without an owner `member` and `proven_at` are null: an operator sees the settings of any agent. `due`: epoch milliseconds. */
export function agentSettings(
  agent: string,
  owner: Owner | undefined,
  settings: AgentSettings,
  due: number | null,
): AgentSettingsBody {
  const until = owner && proveAgainBy(owner);
  return {
    agent_url: agent,
    member: owner?.member ?? null,
    proven_at: owner === undefined ? null : new Date(owner.provenAt).toISOString(),
    ...(until !== undefined && { prove_again_by: new Date(until).toISOString() }),
    compliance_opt_out: settings.optedOut,
    monitoring_paused: settings.monitoringPaused,
    check_interval_hours: settings.checkIntervalHours,
    lifecycle_stage: settings.lifecycleStage,
    compliance_target: settings.complianceTarget ?? null,
    test_setup: settings.testSetup ?? null,
    next_run_at: nextRunTime(due),
  };
}
