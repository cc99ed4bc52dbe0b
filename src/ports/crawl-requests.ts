import type { NewVisit, SourceState, VisitKind } from '../domain/source.ts';

/** Who asks for a visit: a member by whichever key, or a stranger by an address. */
export interface VisitAsker {
  readonly isMember: boolean;
  /** The same for all requests of one caller. */
  readonly name: string;
}

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

/** What may be asked for; the windows go back from now. */
export interface AskLimits {
  /** Between the end of a visit and the next one on demand, milliseconds. */
  readonly cooldownMs: number;
  /** Visits that one caller may ask for in an hour, and domains new to us in a day. */
  readonly caller: { readonly perHour: number; readonly newPerDay: number };
  /** Visits of one registrable domain in an hour, whoever asks. */
  readonly sitePerHour: number;
  /** The same for all members, or all strangers, together. */
  readonly all: { readonly perHour: number; readonly newPerDay: number };
}

export type AskVisitOutcome =
  | { readonly ok: true; readonly request: CrawlRequest; readonly isNew: boolean }
  | {
      readonly ok: false;
      /** `visited`: too short ago. `throttled`: it asked us to wait. The others are limits. */
      readonly reason: 'visited' | 'throttled' | 'caller' | 'caller_new' | 'site' | 'all' | 'all_new';
      readonly waitMs: number;
    }
  | { readonly ok: false; readonly reason: 'unknown_agent' };

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
  ask(
    wanted: {
      readonly id: string;
      readonly visit: NewVisit;
      readonly by: VisitAsker;
      readonly limits: AskLimits;
    },
    now: number,
  ): Promise<AskVisitOutcome>;
  /** Undefined for one that was never made, or more than 7 days ago. */
  request(id: string, now: number): Promise<CrawlRequest | undefined>;
}
