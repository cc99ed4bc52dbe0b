import type { TierTable } from '../src/compliance/badges/conditions.ts';
import type { TestBundles } from '../src/compliance/bundles/library.ts';
import type { BuyerSetup } from '../src/compliance/buyer.ts';
import { failedRun } from '../src/compliance/run/report.ts';
import type { LiveRunOptions } from '../src/compliance/run/run-agent.ts';
import type { ComplianceRun } from '../src/compliance/run-result.ts';
import type { Inconclusive, RunTrigger } from '../src/domain/judged-run.ts';
import { RegistryError } from '../src/errors.ts';
import type { Logger } from '../src/ops/log.ts';
import type { Metrics } from '../src/ops/metrics.ts';
import type { Clock } from '../src/ports/clock.ts';
import type { ControlProbe, Fetcher } from '../src/ports/fetcher.ts';
import type { Records } from '../src/ports/records.ts';
import type { RunCredential } from '../src/ports/run-credential.ts';
import type { Span, Tracing } from '../src/ports/tracing.ts';
import type { RunListener } from '../src/ports/webhook-listener.ts';
import type { RunWork } from '../src/records/runs/run-leases.ts';

/** With what, and as whom, agents are tested. */
export type TestSetup = Pick<LiveRunOptions, 'target' | 'version' | 'sign'> & BuyerSetup;

interface RunLimits {
  /** Agents tested at the same time. */
  readonly concurrency: number;
  /** For one run, milliseconds. */
  readonly deadlineMs: number;
  /** For one call, milliseconds. Default 30,000. */
  readonly stepMs?: number;
}

/** What every test of an agent needs. */
export interface RunContext {
  readonly fetcher: Fetcher;
  readonly records: Pick<Records, 'agents' | 'compliance' | 'owners' | 'runs'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly setup: TestSetup;
  readonly bundles: TestBundles;
  readonly limits: RunLimits;
  /** What the agent's owner has stored for tests; undefined for nothing. */
  readonly credentialOf: (agent: string) => Promise<RunCredential | undefined>;
  /** Where agents post webhooks to; absent: steps about webhooks are coverage gaps. */
  readonly webhooks?: { open(url: string): Promise<RunListener> };
  /** Whether our own way to the network works, asked when this agent's does not; absent: it is believed to. */
  readonly control?: ControlProbe;
  /** Where they are not the usual ones. */
  readonly tiers?: TierTable;
  /** Stops the runs cleanly. */
  readonly signal: AbortSignal;
  /** Trace of one run; its log lines carry the trace id. */
  readonly traced?: { readonly trace: string; readonly span: Span };
  /** Hears of runs that came too late: their lease was another's by then, and nothing was kept. */
  readonly onLost?: (key: string) => void;
}

interface UnmadeRun {
  readonly work: Pick<RunWork, 'key'>;
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
    runId,
    trigger,
    url: work.key,
    startedAt: now,
    now,
    inconclusive,
    target: setup.target,
    version: setup.bundle.version,
    partial: only !== undefined,
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
