import type { Capture, Validator } from './capture.ts';
import type { Declaration } from './declaration.ts';
import type { AuthorisationVia, DeclaredFacts } from './declared-facts.ts';
import type { Finding } from './finding.ts';
import type { Observation } from './observation.ts';
import type { Outcome } from './outcome.ts';
import type { FileMemory, Lease, NewVisit, SourceKey, VisitError } from './source.ts';

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
  /** What is to be remembered of the file; absent: what was. */
  readonly memory?: FileMemory;
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
  /** Goes on with what was found, and with the changes that follow. */
  readonly trace?: string;
}

export interface ProbeVisit {
  readonly lease: Lease;
  readonly outcome: Outcome;
  readonly nextVisitAt: number;
  readonly failures: number;
  readonly error?: VisitError;
  /**
   * Absent if the visit shows nothing about the agent: the probe budget of its domain was used up, or the registry's
   * own network failed.
   */
  readonly observation?: Observation;
  readonly found: readonly NewVisit[];
  readonly at: number;
  readonly run?: RunMark;
  readonly trace?: string;
}

export interface CommitResult {
  readonly accepted: boolean;
  /** Agents that were unknown before. */
  readonly newAgents: number;
}
