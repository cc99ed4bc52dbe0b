import type { CrawlContext, CrawlLimits, VisitContext } from '../../pipelines/crawl-context.ts';
import type { Config } from '../config.ts';
import { BodyRoom } from '../crawl/body-room.ts';
import { Tally } from '../crawl/progress.ts';
import { createSharedFiles } from '../discovery/shared-files.ts';
import type { Logger } from '../ops/log.ts';
import { createMetrics, type Metrics } from '../ops/metrics.ts';
import { NO_TRACING } from '../ops/trace.ts';
import type { Clock } from '../ports/clock.ts';
import type { ControlProbe, Fetcher } from '../ports/fetcher.ts';
import type { Records } from '../ports/records.ts';
import type { Tracing } from '../ports/tracing.ts';
import type { Store } from './engines.ts';
import { agreedWith, composeControl, type DomainSettings, fileBounds } from './network.ts';

export interface VisitParts {
  readonly config: Config;
  readonly records: Records;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly metrics?: Metrics;
  readonly tracing?: Tracing;
  readonly domains?: DomainSettings;
  /** The one of the process; without it one is made of the settings. */
  readonly control?: ControlProbe;
}

/** Everything that visits need, from its parts. */
export function composeVisits(parts: VisitParts): VisitContext {
  const { config, records, fetcher, clock, log, signal, metrics, tracing, domains } = parts;
  const tally = new Tally();
  return {
    ...{ records, fetcher, clock, log, signal },
    metrics: metrics ?? createMetrics(),
    shared: createSharedFiles(() => clock.now()),
    bodies: new BodyRoom(),
    tally,
    tracing: tracing ?? NO_TRACING,
    limits: limitsOf(config, domains ?? new Map()),
    ...composeControl(parts),
  };
}

export interface CrawlParts extends Omit<VisitParts, 'records'> {
  readonly store: Store;
}

/** Everything a crawl needs, from its parts. */
export function composeCrawl({ store, ...parts }: CrawlParts): CrawlContext {
  return { ...composeVisits({ ...parts, records: store.records }), index: store.index };
}

function limitsOf(config: Config, domains: DomainSettings): CrawlLimits {
  return {
    concurrency: config.concurrency,
    probeConcurrency: config.probeConcurrency,
    visitDeadlineMs: config.visitDeadlineMs,
    probeDeadlineMs: config.probeDeadlineMs,
    probesPerHour: (domain) => agreedWith(domain, domains)?.probesPerHour ?? config.probesPerHour,
    bounds: fileBounds(config, domains),
  };
}
