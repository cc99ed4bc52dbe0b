import type { Actor } from '../domain/actor.ts';
import type { Badge, BadgeEvent, ProbeHistory } from '../domain/badge.ts';
import type { AgentSettings } from '../domain/compliance.ts';
import type { JudgedRun } from '../domain/judged-run.ts';
import type { Standing } from '../domain/standing.ts';
import type { RunLease } from './run-schedule.ts';

/** A judged run with the time at which it began, as the records keep it without its steps. */
export interface KeptRun extends JudgedRun {
  /** RFC 3339, UTC, milliseconds. */
  readonly started_at: string;
  /** It was recorded elsewhere: there never were steps of it here. */
  readonly imported: boolean;
}

/** The same, with the steps and their evidence. For the owner's eyes only. */
export interface EvidencedRun extends KeptRun {
  /** The whole run as the runner made it; null when it was imported, or is past its time. */
  readonly report: RunReport | null;
}

/** The runner's own record, kept as it came; `shortened` says that parts of it were too large to be kept. */
export interface RunReport {
  readonly shortened?: 'evidence' | 'steps';
  readonly [member: string]: unknown;
}

/** The proven owner, as far as it decides about badges and is shown to itself. */
export interface OwnerStanding {
  readonly member: string;
  /** When it last proved to own the agent. */
  readonly provenAt?: number;
  readonly tier?: string;
  readonly tierLabel?: string;
  readonly subscriptionStatus?: string;
}

/**
 * What the records hold of one agent's compliance; read in one look. When its owner has opted out, whatever was found before
 * is shown to nobody: its standing is `NEVER_RUN`, and it has no badges.
 */
export interface ComplianceState {
  readonly settings: AgentSettings;
  /** `NEVER_RUN` before the first run. */
  readonly standing: Standing;
  /** In the order in which they were earned, revoked ones too. */
  readonly badges: readonly Badge[];
  /** When the heartbeat is to come, epoch milliseconds; null for never, or not decided. */
  readonly due: number | null;
  /** Absent when nobody has proven to own the agent. */
  readonly owner?: OwnerStanding;
}

/** What is decided from, inside the transaction that keeps the decision. */
export interface ComplianceBefore extends ComplianceState {
  /** Of the last 7 days. */
  readonly probes: ProbeHistory;
  /** Where the agent stands with each bundle that it was tested with, by its version. */
  readonly byBundle: StandingsByBundle;
}

export type StandingsByBundle = Readonly<Record<string, Standing>>;

/** The same for an import. */
export interface ImportBefore extends ComplianceBefore {
  /** Every run, the new ones too, oldest first by their beginning. */
  readonly history: readonly KeptRun[];
  /** Of these the new ones. */
  readonly added: readonly KeptRun[];
  /** Older runs were pruned, so that the history alone does not give the standing any more. */
  readonly forgotten: boolean;
}

/** What changes, as `afterRun` gives it. */
export interface ComplianceAfter {
  readonly standing: Standing;
  readonly badges: readonly Badge[];
  readonly events: readonly BadgeEvent[];
  readonly nextRunAt: number | null;
  /** Standings with bundles that change; absent: none. */
  readonly byBundle?: StandingsByBundle;
}

/** A finished run with its verdict, to be kept. */
export interface NewRun {
  readonly agent: string;
  readonly run: JudgedRun & { readonly started_at: string };
  /** The whole run with its steps; kept for the owner, bounded. */
  readonly report: object;
  /** Given back with the run; nothing is kept when it was lost meanwhile. */
  readonly lease?: RunLease;
  /** Who had it recorded by hand: leaves an audit record, `run.record`. */
  readonly actor?: Actor;
}

/** A run recorded elsewhere. */
export type ImportedRun = JudgedRun & { readonly started_at: string };

export interface ImportCounts {
  readonly added: number;
  /** Those that were there already, by agent, beginning and trigger. */
  readonly known: number;
}

/** A place in an agent's history: a run is behind it when it began earlier, or at once with a smaller id. */
export interface HistoryPlace {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly id: string;
}

export interface HistoryPage {
  readonly limit: number;
  readonly before?: HistoryPlace;
  /** With dry runs, those of some storyboards only, and those of bundles in preview. Default false. */
  readonly withAsides?: boolean;
}

/** An entry of a timeline with its place in it: a later one has a greater id. */
export interface KeptBadgeEvent extends BadgeEvent {
  readonly id: number;
}

/** A badge that was revoked; of the agent, which may have earned another since. */
export interface RevokedBadge extends Pick<Badge, 'role' | 'line'> {
  readonly agent: string;
  readonly revokedAt: number;
}

export interface TestedAgent {
  readonly agent: string;
  readonly standing: Standing;
}

export interface BadgeEventPage {
  readonly limit: number;
  /** The id of an entry: only those that came before it. */
  readonly before?: number;
}

/**
 * Runs, where agents stand after them, and badges. What a run changes is decided by a pure function that is given what
 * is so at that moment and runs inside the transaction, perhaps more than once: two runs, or a run and a change of
 * settings, never undo each other. The agent is marked dirty when its document may change. Times are epoch milliseconds.
 *
 * Of an agent whose owner has opted out the reads give no results, whoever reads: no runs, no badges and no timeline.
 */
export interface ComplianceStore {
  /** Undefined for an agent never heard of. */
  state(agent: string): Promise<ComplianceState | undefined>;
  /**
   * Keeps a run with all that it changes, durably; a run of that id that was asked for is asked for no more. The same run
   * again changes nothing and gives `known`; `unknown_agent` for one never heard of, `lost` when its lease was.
   */
  saveRun(
    wanted: NewRun,
    decide: (before: ComplianceBefore) => ComplianceAfter,
    now: number,
  ): Promise<'saved' | 'known' | 'unknown_agent' | 'lost'>;
  /** The same without a run: the owner, the membership or the time has changed something. False for an unknown agent. */
  reconsider(
    agent: string,
    decide: (before: ComplianceBefore) => ComplianceAfter,
    now: number,
  ): Promise<boolean>;
  /** Keeps runs of one agent that were recorded elsewhere, with an audit record. Undefined for an unknown agent. */
  importRuns(
    agent: string,
    runs: readonly ImportedRun[],
    decide: (before: ImportBefore) => ComplianceAfter,
    now: number,
  ): Promise<ImportCounts | undefined>;
  /** Newest first by their beginning; empty for an unknown agent. */
  lastRuns(agent: string, page: HistoryPage): Promise<readonly KeptRun[]>;
  /** One run; its evidence is read only where it is asked for. */
  run(agent: string, id: string): Promise<KeptRun | undefined>;
  evidence(agent: string, id: string): Promise<EvidencedRun | undefined>;
  /** Where tested agents stand, by URL, those that opted out left out; empty after the last one. */
  standings(after: string, limit: number): Promise<readonly TestedAgent[]>;
  /** Where one agent stands with each bundle that it was tested with; empty for an agent that was never tested, or opted out. */
  bundleStandings(agent: string): Promise<StandingsByBundle>;
  /** The same of all agents that were tested with a bundle, by URL, those that opted out left out; empty after the last one. */
  standingsWith(version: string, after: string, limit: number): Promise<readonly TestedAgent[]>;
  /** The timeline of an agent's badges, newest first; empty for an unknown agent. */
  badgeEvents(agent: string, page: BadgeEventPage): Promise<readonly KeptBadgeEvent[]>;
  /** The badges of all agents that were revoked after this moment, the newest first; for verifiers, of whoever opted out too. */
  revokedBadges(after: number): Promise<readonly RevokedBadge[]>;
}
