import type { DeclaredFacts, ReferenceReason } from '../domain/declared-facts.ts';
import type { Finding } from '../domain/finding.ts';
import type {
  Lease,
  NewVisit,
  SourceKey,
  SourceState,
  SourceTally,
  VisitKind,
  VisitWork,
} from '../domain/source.ts';
import type { CommitResult, DomainVisit, ProbeVisit, StoredDeclaration } from '../domain/visit.ts';
import type { SeenAuthorisation, SeenMention } from './agent-store.ts';
import type { FileTexts, StoredCapture } from './file-texts.ts';

/** Sources with their next visit, the leases on them, captures and declaration versions. */
export interface SourceStore extends FileTexts {
  /** Adds what is not known yet, due at once; returns how many were new. A known source keeps its schedule. */
  add(visits: readonly NewVisit[], now: number): Promise<number>;
  get(key: SourceKey): Promise<SourceState | undefined>;
  /**
   * Opens the run of a named crawl, or resumes an unfinished one of the same fingerprint. One in which nothing was done
   * for a day is closed, and a new one opened. The seeds become its frontier at depth 0. Resuming a run takes the leases of
   * its unfinished items from their holders.
   */
  openRun(run: {
    readonly fingerprint: string;
    readonly seeds: readonly NewVisit[];
    readonly now: number;
  }): Promise<CrawlRun>;
  /**
   * Takes pending items of the run's frontier, with leases; items that somebody else holds, and those of busy domains,
   * are left for later. With `busy` a call takes ten of one registrable domain at most: they take turns, and none is to
   * wait for its turn longer than its lease.
   */
  takeRun(
    runId: number,
    kind: VisitKind,
    limit: number,
    now: number,
    leaseMs: number,
    busy?: BusyDomains,
  ): Promise<readonly VisitWork[]>;
  /** How far a run is. */
  progressOf(runId: number): Promise<RunProgress>;
  closeRun(runId: number, now: number): Promise<void>;
  /**
   * Takes sources whose next visit has come, longest overdue first, with leases; `busy` as above. Of the files of
   * a domain only those that are due, or will be within ten minutes. An agent that nobody declares or registers any
   * more, grace included, is not due until somebody does again.
   */
  takeDue(
    kind: VisitKind,
    limit: number,
    now: number,
    leaseMs: number,
    busy?: BusyDomains,
  ): Promise<readonly VisitWork[]>;
  /**
   * What `takeDue` would take, without taking it: longest overdue first, each domain or agent once, nothing that is
   * under lease, ten of one registrable domain at most, and none of one whose turn somebody has or that has to pause
   * (Politeness): a domain with many hosts is not to stand in everybody else's way. Writes nothing, save that agents
   * out of the list are put off as `takeDue` does, so that nobody comes across them again.
   */
  due(kind: VisitKind, limit: number, now: number): Promise<readonly DueVisit[]>;
  /**
   * Takes those of these visits that are still due and that nobody holds, with leases under the same rules as
   * `takeDue`, in the order of the keys. A domain is left out when none of its files is due now: ten minutes early is
   * only for the second file.
   */
  takeKeys(
    kind: VisitKind,
    keys: readonly string[],
    now: number,
    leaseMs: number,
  ): Promise<readonly VisitWork[]>;
  countDue(now: number): Promise<{ readonly domains: number; readonly agents: number }>;
  /** Counts the next sources behind an id, `limit` of them, for figures over all; empty when there are no more. */
  tally(after: number, limit: number, now: number): Promise<readonly SourceTally[]>;
  /** Gives leases back unused (a clean stop). */
  release(leases: readonly Lease[]): Promise<void>;
  /**
   * Writes one visit of a domain in one transaction: captures, schedule, the new
   * declaration version with its facts, agents made dirty, and what was found. `accepted` is false, and nothing is
   * written, when a lease was lost meanwhile.
   */
  commitDomainVisit(visit: DomainVisit): Promise<CommitResult>;
  commitProbe(visit: ProbeVisit): Promise<CommitResult>;
  /**
   * Counts one probe against the budget of a registrable domain for the running hour; false when it is used up, or when
   * what is left is kept for agents that others have named.
   *
   * @param namer who first named the agent, as `namerOf` says
   */
  spendProbe(registrableDomain: string, now: number, perHour: number, namer?: string): Promise<boolean>;
  /** Adagents/brand sources whose `rederiveAt` has come: their facts must be derived anew, with no request. */
  dueRederivations(now: number, limit: number): Promise<readonly StoredDeclaration[]>;
  commitRederivation(declaration: StoredDeclaration, facts: DeclaredFacts, now: number): Promise<void>;
  /** Leaves a declaration whose facts cannot be derived until then, or until another version of it comes. */
  putOffRederivation(declaration: StoredDeclaration, until: number): Promise<void>;
  /** The live declaration of a source. */
  declaration(key: SourceKey): Promise<StoredDeclaration | undefined>;
  /** Everything for `explain` of a source and what its file says, newest first, each list at most `limit`. */
  journey(key: SourceKey, limit: number): Promise<SourceJourney | undefined>;
}

/** Registrable domains of which no more work is wanted now. */
export interface BusyDomains {
  has(registrableDomain: string): boolean;
  /** Declaring files (`news.example adagents`) that have led to enough of what is under way: no more of theirs either. */
  readonly files?: ReadonlySet<string>;
}

/** A visit whose time has come. */
export interface DueVisit {
  readonly kind: VisitKind;
  readonly key: string;
  readonly registrableDomain: string;
  /** Since when it is due, epoch milliseconds. */
  readonly dueAt: number;
  /** Of the visit that found it, while it has not been visited itself. */
  readonly trace?: string;
}

export interface CrawlRun {
  readonly id: number;
  readonly startedAt: number;
  readonly resumed: boolean;
  /** Another process works on the same run and is alive: its leases stand, and it is the one to close the run. */
  readonly joined: boolean;
  /** Items of the frontier already done, when resumed. */
  readonly done: number;
}

export interface RunProgress {
  /** Items that are not done yet, those leased by somebody included. */
  readonly pending: { readonly domains: number; readonly agents: number };
  /** Agents that the run has come across, new or known. */
  readonly agentsFound: number;
}

export interface SourceJourney {
  readonly source: SourceState;
  readonly captures: readonly StoredCapture[];
  readonly declarations: readonly StoredDeclaration[];
  /** Of the last visit's file, valid or not. */
  readonly lastFindings: readonly Finding[];
  readonly authorisations: readonly SeenAuthorisation[];
  readonly mentions: readonly SeenMention[];
  readonly references: readonly { readonly domain: string; readonly reason: ReferenceReason }[];
  /** Of an adagents.json that others lead to or that names others. */
  readonly pointers?: Pointers;
}

/** How many domains are counted on each side. */
export const POINTERS_COUNTED = 10_000;

/** The first of some domains, in order, and how many there are, counted up to POINTERS_COUNTED. */
export interface SomeDomains {
  readonly domains: readonly string[];
  readonly total: number;
}

/** Where the two sides of pointers to one domain's file do not agree, as far as both were visited. */
export interface Pointers {
  /** They lead to the file, which authorises nobody for them. */
  readonly orphaned: SomeDomains;
  /** The file names them, and they do not lead to it. */
  readonly missing: SomeDomains;
}
