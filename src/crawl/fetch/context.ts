import type { Clock } from '../../ports/clock.ts';
import type { RobotsCache } from '../../ports/robots-cache.ts';
import type { Resolver } from '../dns/host-resolver.ts';
import type { Connector } from './connect.ts';
import type { DomainTurns, Rate } from './domain-turns.ts';
import type { ConnectToTable } from './routes.ts';
import type { Trust } from './trust.ts';
import type { OpenOrigin } from './url-rule.ts';

/** What all visits of one fetcher share. */
export interface FetchContext {
  readonly clock: Clock;
  readonly resolver: Resolver;
  readonly connector: Connector;
  readonly connectTo: ConnectToTable;
  readonly trust: Trust;
  /** The User-Agent header. */
  readonly userAgent: string;
  /** User-Agent and Accept-Encoding of a request for a file, names and values in turn. */
  readonly fileHeaders: readonly string[];
  /** Its product token, lower case, as robots.txt files name us. */
  readonly product: string;
  readonly robots: RobotsCache;
  readonly turns: DomainTurns;
  /** The rate of a registrable domain. */
  readonly rateOf: (domain: string) => Rate;
  /** For an answer of a call, after decompression. */
  readonly maxResponseBytes: number;
}

/** One GET of a file, without its redirects. */
export interface FileRequest {
  readonly url: URL;
  readonly headers: readonly string[];
  readonly maxBytes: number;
  /** Keep the beginning of a body that is too long. */
  readonly cut?: boolean;
  /** Its own limit, below the visit's deadline, milliseconds. */
  readonly limitMs?: number;
}

/** What a fetcher knows of a visit before it begins. */
export interface VisitPlan {
  readonly domain: string;
  readonly rate: Rate;
  readonly opened: OpenOrigin | undefined;
}

/** What a fetcher decides of a visit before it begins. */
export interface Plan extends VisitPlan {
  /** A host that was mapped or opened has no gap. */
  readonly operated: boolean;
  /** A host that is never contacted: its visit fails without a turn. */
  readonly forbidden: boolean;
}
