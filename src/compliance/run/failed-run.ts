import type { ComplianceRun, RunTrigger } from '../run-result.ts';
import { RUNNER_VERSION } from './run-bundle.ts';
import { totalsOf } from './totals.ts';

export interface FailedRun {
  /** A UUID. */
  readonly runId: string;
  readonly url: string;
  readonly trigger: RunTrigger;
  readonly target: string;
  /** Of the bundle. */
  readonly version: string | null;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly now: number;
  /** One sentence, lower case; shown to the owner, so with nothing of our insides. */
  readonly detail: string;
}

/** A run that could not even be made, by a fault of ours: nothing of the agent was seen, and nothing is held against it. */
export function failedRun(failed: FailedRun): ComplianceRun {
  const { runId, url, trigger, target, version, startedAt, now, detail } = failed;
  return {
    run_id: runId,
    agent_url: url,
    started_at: new Date(startedAt).toISOString(),
    finished_at: new Date(now).toISOString(),
    duration_ms: Math.max(0, Math.round(now - startedAt)),
    trigger,
    dry_run: false,
    outcome: 'inconclusive',
    inconclusive: { reason: 'own_fault', detail },
    requested_compliance_target: target,
    proto_version: version,
    runner_version: RUNNER_VERSION,
    agent: null,
    storyboards: [],
    not_selected: [],
    steps: [],
    totals: totalsOf({ storyboards: [], steps: [] }),
    notices: [],
    observations: [],
    made: [],
    requests: 0,
  };
}
