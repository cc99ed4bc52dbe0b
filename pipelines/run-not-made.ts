import { failedRun } from '../src/compliance/run/report.ts';
import type { ComplianceRun } from '../src/compliance/run-result.ts';
import type { Inconclusive, RunTrigger } from '../src/domain/judged-run.ts';
import { RegistryError } from '../src/errors.ts';
import type { RunWork } from '../src/ports/run-schedule.ts';
import type { RunContext } from './run-context.ts';

interface UnmadeRun {
  readonly work: Pick<RunWork, 'url'>;
  readonly runId: string;
  readonly trigger: RunTrigger;
  /** The id of the only storyboard. */
  readonly only?: string;
}

/** A run without a request to the agent, and why there was none. */
export function runNotMade(
  { work, runId, trigger, only }: UnmadeRun,
  inconclusive: Inconclusive,
  { clock, setup }: Pick<RunContext, 'clock' | 'setup'>,
): ComplianceRun {
  const now = clock.now();
  return failedRun({
    ...{ runId, trigger, url: work.url, startedAt: now, now, inconclusive },
    ...{ target: setup.target, version: setup.bundle.version, partial: only !== undefined },
  });
}

/**
 * That the owner's OAuth client got no token is a closed door, as a missing credential is: the agent is not asked, nothing
 * is held against it, and badges end when this lasts. Throws every other error.
 */
export function closedDoor(error: unknown): Inconclusive {
  if (!(error instanceof RegistryError) || error.code !== 'token_refused') throw error;
  const detail = `the stored OAuth client got no token: ${error.message}`;
  return { reason: 'auth_required', lacks: 'credential', detail };
}
