import type { AgentDocument, Stitched } from '../domain/agent-document.ts';
import type { AgentFacts, LiveState } from '../domain/agent-facts.ts';
import type { Capture, Validator } from '../domain/capture.ts';
import type { Change } from '../domain/change.ts';
import type { Declaration } from '../domain/declaration.ts';
import type {
  Authorisation,
  AuthorisationVia,
  DeclaredFacts,
  Mention,
  ReferenceReason,
} from '../domain/declared-facts.ts';
import type { Finding } from '../domain/finding.ts';
import type { Observation } from '../domain/observation.ts';
import type { Outcome } from '../domain/outcome.ts';
import type {
  Lease,
  NewVisit,
  SourceKey,
  SourceState,
  VisitError,
  VisitKind,
  VisitWork,
} from '../domain/source.ts';
import type { MemberStore } from './members.ts';
import type { RobotsCache } from './robots-cache.ts';

/** What must be exact. Everything is acknowledged only once it is durable. Times are epoch milliseconds. */
export interface Records {
  readonly sources: SourceStore;
  readonly agents: AgentStore;
  readonly members: MemberStore;
  /** robots.txt rules, for a day. */
  readonly robots: RobotsCache;
  /**
   * A short text that differs whenever anything that a list answer may show has changed, in this or another
   * process, health included; cheap enough to ask for each request.
   */
  version(): Promise<string>;
  /** A secret of `bytes` random bytes kept under `name`, made on first use (cursor signing). */
  secret(name: string, bytes: number): Promise<Uint8Array>;
  /** Rejects with a RegistryError when the store cannot be read or written. */
  check(): Promise<void>;
  /** Deletes captures older than 30 days, observations older than 90, tombstones older than 30, orphaned bodies. */
  prune(now: number): Promise<PruneCounts>;
  close(): Promise<void>;
}

export interface PruneCounts {
  readonly captures: number;
  readonly observations: number;
  readonly tombstones: number;
  readonly bodies: number;
}

/** Sources with their next visit, the leases on them, captures and declaration versions. */
export interface SourceStore {
  /** Adds what is not known yet, due at once; returns how many were new. A known source keeps its schedule. */
  add(visits: readonly NewVisit[], now: number): Promise<number>;
  get(key: SourceKey): Promise<SourceState | undefined>;
  /**
   * Opens the run of a named crawl, or goes on with an unfinished one of the same fingerprint. The seeds become
   * its frontier at depth 0. Going on with one takes the leases of its unfinished items from whoever held them.
   */
  openRun(run: {
    readonly fingerprint: string;
    readonly seeds: readonly NewVisit[];
    readonly now: number;
  }): Promise<CrawlRun>;
  /** Takes pending items of the run's frontier, with leases; items that somebody else holds are left for later. */
  takeRun(
    runId: number,
    kind: VisitKind,
    limit: number,
    now: number,
    leaseMs: number,
  ): Promise<readonly VisitWork[]>;
  /** How far a run is. */
  progressOf(runId: number): Promise<RunProgress>;
  closeRun(runId: number, now: number): Promise<void>;
  /** Takes sources whose next visit has come, longest overdue first, with leases. */
  takeDue(kind: VisitKind, limit: number, now: number, leaseMs: number): Promise<readonly VisitWork[]>;
  countDue(now: number): Promise<{ readonly domains: number; readonly agents: number }>;
  /** Gives leases back unused (a clean stop). */
  release(leases: readonly Lease[]): Promise<void>;
  /**
   * Writes one visit of a domain in one transaction (batched with its neighbours): captures, schedule, the new
   * declaration version with its facts, agents made dirty, and what was found. `accepted` is false, and nothing is
   * written, when a lease was lost meanwhile.
   */
  commitDomainVisit(visit: DomainVisit): Promise<CommitResult>;
  commitProbe(visit: ProbeVisit): Promise<CommitResult>;
  /** Counts one probe against the budget of a registrable domain for the running hour; false when it is used up. */
  spendProbe(registrableDomain: string, now: number, perHour: number): Promise<boolean>;
  /** Adagents/brand sources whose `rederiveAt` has come: their facts must be derived anew, with no request. */
  dueRederivations(now: number, limit: number): Promise<readonly StoredDeclaration[]>;
  commitRederivation(declaration: StoredDeclaration, facts: DeclaredFacts, now: number): Promise<void>;
  body(hash: string): Promise<Uint8Array | undefined>;
  /** The live declaration of a source. */
  declaration(key: SourceKey): Promise<StoredDeclaration | undefined>;
  /** Everything for `explain`, newest first, each list at most `limit`. */
  journey(key: SourceKey, limit: number): Promise<SourceJourney | undefined>;
}

export interface RunProgress {
  /** Items that are not done yet, those leased by somebody included. */
  readonly pending: { readonly domains: number; readonly agents: number };
  /** Agents that the run has come across, new or known. */
  readonly agentsFound: number;
}

export interface CrawlRun {
  readonly id: number;
  readonly startedAt: number;
  readonly resumed: boolean;
  /** Items of the frontier already done, when resumed. */
  readonly done: number;
}

/** What became of one file in a domain's visit. */
export interface FileVisit {
  readonly lease: Lease;
  readonly outcome: Outcome;
  readonly captures: readonly Capture[];
  readonly nextVisitAt: number;
  readonly failures: number;
  readonly validators: readonly Validator[];
  readonly error?: VisitError;
  readonly absentSince?: number;
  readonly absentVisits: number;
  /** A new version: other bytes than last time that read as a valid declaration. */
  readonly declaration?: NewDeclaration;
  /** Ends the live declaration and all that followed from it (the file is gone for good). */
  readonly ends?: true;
  /** Findings of a file that was read, valid or not; kept for `explain`. */
  readonly findings: readonly Finding[];
}

export interface NewDeclaration {
  readonly value: Declaration;
  readonly via: AuthorisationVia;
  /** The domain of the manager's file, when via is `manager`. */
  readonly manager?: string;
  /** The URL whose bytes were read. */
  readonly url: string;
  readonly contentHash: string;
  readonly facts: DeclaredFacts;
}

export interface StoredDeclaration extends SourceKey {
  readonly id: number;
  readonly value: Declaration;
  readonly via: AuthorisationVia;
  readonly manager?: string;
  readonly url: string;
  readonly contentHash: string;
  readonly findings: readonly Finding[];
  readonly seenFrom: number;
  readonly seenUntil?: number;
}

/** The run that a visit belongs to; what it found goes on the frontier while depth allows. */
export interface RunMark {
  readonly id: number;
  readonly depth: number;
  readonly maxDepth: number;
}

export interface DomainVisit {
  readonly domain: string;
  readonly at: number;
  readonly files: readonly FileVisit[];
  /** Domains and agents found; unknown ones become sources, due at once. */
  readonly found: readonly NewVisit[];
  readonly run?: RunMark;
}

export interface ProbeVisit {
  readonly lease: Lease;
  readonly outcome: Outcome;
  readonly nextVisitAt: number;
  readonly failures: number;
  readonly error?: VisitError;
  /** Absent when no request was made (the probe budget of the target domain was used up). */
  readonly observation?: Observation;
  readonly found: readonly NewVisit[];
  readonly at: number;
  readonly run?: RunMark;
}

export interface CommitResult {
  readonly accepted: boolean;
  /** Agents never heard of before. */
  readonly newAgents: number;
}

export interface StoredCapture {
  readonly at: number;
  readonly requestedUrl: string;
  readonly finalUrl: string;
  readonly trail: readonly { readonly url: string; readonly status: number; readonly location?: string }[];
  readonly status?: number;
  readonly bodyHash?: string;
  readonly bytes?: number;
  readonly durationMs: number;
  readonly error?: VisitError;
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
}

export interface SeenAuthorisation extends Authorisation {
  readonly seenFrom: number;
  readonly seenUntil?: number;
}

export interface SeenMention extends Mention {
  readonly seenFrom: number;
  readonly seenUntil?: number;
}

/** Agents: facts for stitching, the stitched documents, the change log, live state. */
export interface AgentStore {
  /** Agents whose facts changed or whose restitch time has come; coalesced, oldest first. */
  takeDirty(limit: number, now: number): Promise<readonly DirtyAgent[]>;
  facts(agents: readonly string[]): Promise<readonly AgentFacts[]>;
  /**
   * Stores stitched documents and appends to the change log what differs, in one transaction. A dirty mark is
   * cleared only when nothing changed since it was taken. Returns only what changed.
   */
  saveStitched(stitched: readonly StitchedAgent[], now: number): Promise<readonly SavedDocument[]>;
  /** All agents with a document, by URL: for a rebuild without network. */
  listed(after: string | undefined, limit: number): Promise<readonly SavedDocument[]>;
  countListed(): Promise<number>;
  /** Change-log rows after `seq`, in order. */
  changes(afterSeq: number, limit: number): Promise<readonly Change[]>;
  lastSeq(): Promise<number>;
  /** The stored documents of these agents as they are now, for a catch-up; absent document: not listed. */
  saved(agents: readonly string[]): Promise<readonly SavedDocument[]>;
  live(agents: readonly string[]): Promise<ReadonlyMap<string, LiveState>>;
  observations(agent: string, limit: number): Promise<readonly Observation[]>;
  /** Live authorisations and mentions of the agent, by publisher, at most `limit`. */
  authorisations(agent: string, limit: number): Promise<readonly SeenAuthorisation[]>;
  mentions(agent: string, limit: number): Promise<readonly SeenMention[]>;
}

export interface DirtyAgent {
  readonly agent: string;
  /** Grows with every change of the agent's facts. */
  readonly revision: number;
}

export interface StitchedAgent extends DirtyAgent {
  readonly stitched: Stitched;
}

export interface SavedDocument {
  readonly agent: string;
  /** Of the change-log row that last changed it: the document's version everywhere. */
  readonly seq: number;
  readonly document?: AgentDocument;
}
