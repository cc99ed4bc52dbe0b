import type { RunTrigger } from '../../domain/judged-run.ts';
import type { AskedRun } from '../../ports/run-schedule.ts';

/** A run that was asked for and is not over. */
export interface AskedRunBody {
  readonly agent_url: string;
  readonly run_id: string;
  readonly state: 'queued' | 'running';
  readonly triggered_by: RunTrigger;
  readonly asked_at: string;
}

/** For the eyes of the agent's owner, of whoever asked for it, and of the operator. */
export function askedRun({ agent, runId, state, trigger, askedAt }: AskedRun): AskedRunBody {
  return {
    agent_url: agent,
    run_id: runId,
    state,
    triggered_by: trigger,
    asked_at: new Date(askedAt).toISOString(),
  };
}
