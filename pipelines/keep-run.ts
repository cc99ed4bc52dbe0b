import { decideRun } from '../src/compliance/decide.ts';
import type { ComplianceRun } from '../src/compliance/run-result.ts';
import type { JudgedRun } from '../src/domain/judged-run.ts';
import type { RunEnd } from '../src/ops/visit-metrics.ts';
import type { ComplianceAfter, ComplianceBefore } from '../src/ports/compliance.ts';
import type { RunWork } from '../src/ports/run-schedule.ts';
import type { RunContext } from './run-context.ts';

/** Of one agent in a row by our own fault: then somebody should look, and the log says so once. */
const OFTEN = 3;

/** A run that was made, with what it says of the agent. */
export interface RunToKeep {
  readonly work: RunWork;
  readonly report: ComplianceRun;
  readonly run: JudgedRun;
}

/**
 * Keeps a run with all that follows from it, in one transaction under its lease. Nothing is kept when the lease was lost,
 * or when the owner has opted out or is gone by then.
 */
export async function keepRun({ work, run, report }: RunToKeep, context: RunContext): Promise<RunEnd> {
  const { records, clock, tiers, log, onLost } = context;
  const now = clock.now();
  const decide = decideRun(run, { now, settled: clock.settled?.() ?? now, ...(tiers && { tiers }) });
  let isWithdrawn = false;
  let after: ComplianceAfter | undefined;
  const agreed = (before: ComplianceBefore) => {
    isWithdrawn = before.settings.optedOut || before.owner === undefined;
    if (isWithdrawn) throw new Error('the owner does not agree any more'); // what is thrown here keeps nothing
    after = decide(before);
    return after;
  };
  const wanted = {
    agent: work.key,
    run: { ...run, started_at: report.started_at },
    report,
    lease: work.lease,
  };
  const outcome = await records.compliance.saveRun(wanted, agreed, now).catch((error: unknown) => {
    if (isWithdrawn) return 'withdrawn' as const;
    throw error;
  });
  if (outcome !== 'saved') await records.runs.release([work.lease]);
  if (outcome === 'lost') {
    log.warn({ agent: work.key }, 'test not kept: the lease was lost');
    onLost?.(work.key);
    return 'lost';
  }
  if (outcome === 'withdrawn' || outcome === 'unknown_agent') {
    log.info({ agent: work.key }, 'test not kept: its owner does not agree any more');
    return 'withdrawn';
  }
  warnOfOwnFaults(work.key, after, context);
  const { outcome: end, inconclusive, verdict } = run;
  log.debug({ agent: work.key, run: run.run_id, outcome: end, status: verdict.status }, 'agent tested');
  return end === 'inconclusive' ? (inconclusive?.reason ?? 'own_fault') : end;
}

/** It costs the agent nothing, and nobody would notice. */
function warnOfOwnFaults(agent: string, after: ComplianceAfter | undefined, { log }: RunContext): void {
  const last = after?.standing.lastAttempt;
  if (last?.reason?.startsWith('own_') !== true || last.inRow !== OFTEN) return;
  log.warn(
    { agent, reason: last.reason, in_row: last.inRow },
    'tests of this agent are inconclusive by our own fault',
  );
}
