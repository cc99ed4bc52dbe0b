import type { BodyRoom } from '../src/crawl/body-room.ts';
import type { Tally } from '../src/crawl/progress.ts';
import type { FileBounds } from '../src/discovery/read-document.ts';
import type { SharedFiles } from '../src/discovery/shared-files.ts';
import type { Logger } from '../src/ops/log.ts';
import type { Metrics } from '../src/ops/metrics.ts';
import type { AgentIndex } from '../src/ports/agent-index.ts';
import type { Clock } from '../src/ports/clock.ts';
import type { ControlProbe, Fetcher } from '../src/ports/fetcher.ts';
import type { Records } from '../src/ports/records.ts';
import type { Span, Tracing } from '../src/ports/tracing.ts';

/** What every visit needs. */
export interface VisitContext {
  readonly fetcher: Fetcher;
  readonly records: Records;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly shared: SharedFiles;
  /** For the large bodies of all visits under way. */
  readonly bodies: BodyRoom;
  readonly limits: CrawlLimits;
  /** Whether our own way to the network works, asked when an agent's does not; absent: it is believed to. */
  readonly control?: ControlProbe;
  readonly tally: Tally;
  readonly tracing: Tracing;
  /** Stops the run cleanly. */
  readonly signal: AbortSignal;
  /** The named crawl that the visits belong to; absent in a run over due sources. */
  readonly run?: { readonly id: number; readonly maxDepth: number; readonly joined: boolean };
  /** Trace of one visit; its log lines carry the trace id. */
  readonly traced?: { readonly trace: string; readonly span: Span };
  /** Hears of visits that came too late: their lease was another's by then, and nothing was written. */
  readonly onLost?: (key: string) => void;
}

/** What a whole crawl needs: what its visits found is searched as it goes on. */
export interface CrawlContext extends VisitContext {
  readonly index: AgentIndex;
}

export interface CrawlLimits {
  /** Domains visited at the same time. */
  readonly concurrency: number;
  /** Agents probed at the same time. */
  readonly probeConcurrency: number;
  /** For a domain's visit, milliseconds. */
  readonly visitDeadlineMs: number;
  /** For a probe, milliseconds. */
  readonly probeDeadlineMs: number;
  /** Probes an hour for one registrable domain. */
  readonly probesPerHour: (registrableDomain: string) => number;
  /** How much one file may bring in, by the host that it was read from. */
  readonly bounds: (host: string) => FileBounds;
}
