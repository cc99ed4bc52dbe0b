import type { TierTable } from '../src/compliance/badges/conditions.ts';
import type { LiveRunOptions } from '../src/compliance/run/run-agent.ts';
import type { Logger } from '../src/ops/log.ts';
import type { Metrics } from '../src/ops/metrics.ts';
import type { Clock } from '../src/ports/clock.ts';
import type { ControlProbe, Fetcher } from '../src/ports/fetcher.ts';
import type { Records } from '../src/ports/records.ts';
import type { RunCredential } from '../src/ports/run-credential.ts';
import type { Span, Tracing } from '../src/ports/tracing.ts';

/** With what, and as whom, agents are tested. */
export type TestSetup = Pick<LiveRunOptions, 'bundle' | 'target' | 'version' | 'testKit' | 'sign'>;

export interface RunLimits {
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
  readonly records: Pick<Records, 'compliance' | 'owners' | 'runs'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly setup: TestSetup;
  readonly limits: RunLimits;
  /** What the agent's owner has stored for tests; undefined for nothing. */
  readonly credentialOf: (agent: string) => Promise<RunCredential | undefined>;
  /** Whether our own way to the network works, asked when this agent's does not; absent: it is believed to. */
  readonly control?: ControlProbe;
  /** Where they are not the usual ones. */
  readonly tiers?: TierTable;
  /** Stops the runs cleanly. */
  readonly signal: AbortSignal;
  /** What one run is told under; its log lines carry the trace too. */
  readonly traced?: { readonly trace: string; readonly span: Span };
  /** Hears of runs that came too late: their lease was another's by then, and nothing was kept. */
  readonly onLost?: (key: string) => void;
}
