import type { AgentDocument, Stitched } from '../domain/agent-document.ts';
import type { AgentFacts, LiveState } from '../domain/agent-facts.ts';
import type { Change } from '../domain/change.ts';
import type { Authorisation, Mention } from '../domain/declared-facts.ts';
import type { DayHealth, HealthHistory, HealthPeriod } from '../domain/health-history.ts';
import type { RunOutcome } from '../domain/judged-run.ts';
import type { Observation, ProbeStep } from '../domain/observation.ts';

/** Agents: facts for stitching, the stitched documents, the change log, live state. */
export interface AgentStore {
  /** Agents whose facts changed or whose restitch time has come; coalesced, oldest first. */
  takeDirty(limit: number, now: number): Promise<readonly DirtyAgent[]>;
  facts(agents: readonly string[]): Promise<readonly AgentFacts[]>;
  /** The URL to dial for an agent (`dialledUrl`): its canonical URL for one never heard of. */
  dialled(agent: string): Promise<string>;
  /**
   * Stores stitched documents and appends to the change log what differs, in one transaction; then numbers it. A dirty
   * mark is cleared only when nothing changed since it was taken. Returns only what changed.
   */
  saveStitched(stitched: readonly StitchedAgent[], now: number): Promise<readonly SavedDocument[]>;
  /**
   * Numbers what a process appended to the change log and could not number itself; returns how many there were. Readers of
   * the log see numbered rows only.
   */
  numberChanges(): Promise<number>;
  /** Leaves an agent that cannot be stitched until then, or until its facts change, so that it is in nobody's way. */
  putOff(agent: DirtyAgent, until: number): Promise<void>;
  /** All agents with a document, by URL: for a rebuild without network. */
  listed(after: string | undefined, limit: number): Promise<readonly SavedDocument[]>;
  countListed(): Promise<number>;
  /** Change-log rows after `seq`, in order. */
  changes(afterSeq: number, limit: number): Promise<readonly Change[]>;
  /** The same from the newest back, of one agent or of all; `before` is a `seq`. */
  lastChanges(page: ChangePage): Promise<readonly Change[]>;
  lastSeq(): Promise<number>;
  /** Agents that are opted out now, and whose settings changed at this moment or later; epoch milliseconds. */
  optedOutSince(at: number): Promise<readonly string[]>;
  /** The stored documents of these agents as they are now, for a catch-up; absent document: not listed. */
  saved(agents: readonly string[]): Promise<readonly SavedDocument[]>;
  live(agents: readonly string[]): Promise<ReadonlyMap<string, LiveState>>;
  /** What probes found, newest first; one that found the same as the one before is not repeated. */
  observations(agent: string, limit: number): Promise<readonly Observation[]>;
  /**
   * How the agent's health was, from planned probes that were not hindered by a fault of ours; the cost has a bound. Empty
   * for an agent never heard of.
   */
  health(agent: string, period: HealthPeriod): Promise<HealthHistory>;
  /**
   * Of each agent, for each day from `from`, a midnight, to `now`: whether it answered. One statement, whose cost is bounded by
   * agents and days.
   */
  healthDays(
    agents: readonly string[],
    of: Omit<HealthPeriod, 'stepMs'>,
  ): Promise<ReadonlyMap<string, readonly DayHealth[]>>;
  /** Our probes and runs of the agent since a moment, newest first, and how many there are in all. For the owner's eyes only. */
  contacts(
    agent: string,
    of: { readonly since: number; readonly now: number; readonly limit: number },
  ): Promise<{ readonly contacts: readonly AgentContact[]; readonly total: number }>;
  /** Live authorisations and mentions of the agent, by publisher, at most `limit`. */
  authorisations(agent: string, limit: number): Promise<readonly SeenAuthorisation[]>;
  mentions(agent: string, limit: number): Promise<readonly SeenMention[]>;
  /** Those of these domains that authorise the agent now. */
  authorisedAmong(agent: string, domains: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface DirtyAgent {
  readonly agent: string;
  /** Grows with every change of the agent's facts. */
  readonly revision: number;
  /** Of the visit that last changed its facts. */
  readonly trace?: string;
}

export interface StitchedAgent extends DirtyAgent {
  readonly stitched: Stitched;
}

/** One time that we asked something of an agent; times are epoch milliseconds. */
export type AgentContact = { readonly id: string; readonly at: number; readonly error?: string } & (
  | {
      readonly kind: 'probe';
      readonly online: boolean;
      readonly responseTimeMs?: number;
      /** Only of a probe that found something else than the one before. */
      readonly steps?: readonly ProbeStep[];
    }
  | { readonly kind: 'run'; readonly outcome: RunOutcome; readonly durationMs: number }
);

export interface SavedDocument {
  readonly agent: string;
  /** Of the change-log row that last changed it; grows with each change of the agent. */
  readonly version: number;
  readonly document?: AgentDocument;
}

export interface SeenAuthorisation extends Authorisation {
  readonly seenFrom: number;
  readonly seenUntil?: number;
}

export interface SeenMention extends Mention {
  readonly seenFrom: number;
  readonly seenUntil?: number;
}

/** Which changes are read, from the newest back. */
export interface ChangePage {
  readonly agent?: string;
  /** A `seq`. */
  readonly before?: number;
  readonly limit: number;
}
