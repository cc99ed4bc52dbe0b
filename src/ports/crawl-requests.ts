import type { NewVisit, SourceState, VisitKind } from '../domain/source.ts';

/** A visit that somebody has asked for. Times are epoch milliseconds. */
export interface CrawlRequest {
  readonly id: string;
  readonly kind: VisitKind;
  /** A domain or a canonical agent URL. */
  readonly key: string;
  readonly askedAt: number;
  /** `open`: no visit that began after it was asked for is over. */
  readonly state: 'open' | 'running' | 'over';
  /** What is visited, as it is now. */
  readonly sources: readonly SourceState[];
}

export type AskVisitOutcome =
  /** `isNew`: it was not asked for yet. `isNewDomain`: the registry had never heard of the domain. */
  | {
      readonly ok: true;
      readonly request: CrawlRequest;
      readonly isNew: boolean;
      readonly isNewDomain: boolean;
    }
  /** `visited`: too short ago. `throttled`: the site asked us to wait. */
  | { readonly ok: false; readonly reason: 'visited' | 'throttled'; readonly waitMs: number }
  | { readonly ok: false; readonly reason: 'unknown_agent' };

/** A visit that is to be asked for. */
export interface WantedVisit {
  readonly id: string;
  readonly visit: NewVisit;
  /** Between the end of a visit and the next one on demand, milliseconds. */
  readonly cooldownMs: number;
}

/**
 * Visits that somebody asks for. Asking only moves the time of the next visit forward: whoever visits what is due makes it.
 * What is asked for beside the schedule changes nothing of it: the next visit after it comes when it would have come, a
 * failure of it puts nothing off, and a probe of it counts for no badge.
 */
export interface CrawlRequests {
  /**
   * Asks for a visit of a domain, known or new, or of an agent that is listed. While one is open, everybody is given that one.
   * One that is asked for during a visit is another visit, as what changed may have been read before.
   */
  ask(wanted: WantedVisit, now: number): Promise<AskVisitOutcome>;
  /** What asking would come to. Changes nothing. */
  mayAsk(wanted: WantedVisit, now: number): Promise<AskVisitOutcome>;
  /** Undefined for one that was never made, or more than 7 days ago. */
  request(id: string, now: number): Promise<CrawlRequest | undefined>;
}
