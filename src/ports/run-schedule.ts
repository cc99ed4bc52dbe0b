import type { Actor } from '../domain/actor.ts';
import type { AgentSettings } from '../domain/compliance.ts';
import type { RunTrigger } from '../domain/judged-run.ts';
import type { RunSoFar } from '../domain/run-so-far.ts';
import type { Standing } from '../domain/standing.ts';
import type { HeldBy } from '../records/upkeep/named-leases.ts';
import type { BusyDomains } from './source-store.ts';

/** The right to test an agent until `until`; a run that comes back under an older fence is not kept. */
export interface RunLease {
  /** Canonical URL. */
  readonly agent: string;
  readonly fence: number;
  readonly until: number;
  /** Whoever had it before let it run out: a run that was not kept, and may have left at the agent what it made. */
  readonly afterLoss?: true;
}

/** One run to make. */
export interface RunWork {
  /** The agent's canonical URL. */
  readonly key: string;
  readonly registrableDomain: string;
  /** Since when it is due, or when it was asked for; epoch milliseconds. */
  readonly dueAt: number;
  /** Absent when the clock wants it. */
  readonly asked?: Pick<AskedRun, 'runId' | 'trigger' | 'storyboard' | 'target'>;
  readonly lease: RunLease;
}

/** An agent whose time has come, without a lease. */
export type DueRun = Pick<RunWork, 'key' | 'registrableDomain' | 'dueAt'>;

/** A run that somebody has asked for and that is not over. */
export interface AskedRun {
  readonly agent: string;
  /** The id that the run will have. */
  readonly runId: string;
  readonly trigger: RunTrigger;
  readonly askedAt: number;
  /** The id of the only storyboard to run; absent: all that the agent is to pass. */
  readonly storyboard?: string;
  /** The version or label that was asked for, `3.1`; absent: as the agent is tested otherwise. */
  readonly target?: string;
  /** `running`: somebody has the lease. */
  readonly state: 'queued' | 'running';
  /** Of a running one: what it has told last. */
  readonly soFar?: RunSoFar;
}

export interface AskForRun {
  readonly agent: string;
  /** Of the run, if this asks for a new one. */
  readonly runId: string;
  readonly trigger: RunTrigger;
  readonly actor: Actor;
  /** As in `AskedRun`. */
  readonly storyboard?: string;
  readonly target?: string;
}

/** Milliseconds until a run may be asked for; 0 when it may. Pure. */
export type RunWait = (before: {
  readonly standing: Standing;
  readonly settings: AgentSettings;
  readonly owner?: { readonly provenAt?: number };
}) => number;

export type AskOutcome =
  | { readonly ok: true; readonly asked: AskedRun; readonly isNew: boolean }
  | { readonly ok: false; readonly reason: 'cooldown'; readonly waitMs: number }
  /** A run of other storyboards or with another target is open. Callers who poll it would mistake it for the run they requested. */
  | { readonly ok: false; readonly reason: 'other_open'; readonly asked: AskedRun }
  | {
      readonly ok: false;
      /** `not_owned`: nobody has proven to own it; `not_owner`: somebody else has. */
      readonly reason: 'unknown_agent' | 'not_owned' | 'not_owner' | 'key_revoked' | 'opted_out';
    };

export interface DueRuns {
  /** By the clock, and begun by nobody. */
  readonly due: number;
  /** When the one came due that waits longest, epoch milliseconds. */
  readonly oldestAt?: number;
  /** Asked for and not begun. */
  readonly asked: number;
}

/**
 * Which agents are to be tested, and who tests them now. Only agents with a proven owner that has not opted out
 * (docs/operating/heartbeat.md); by the clock only those that are not paused and in `testing` or `production`, asked again whenever work is
 * taken. Times are epoch milliseconds; a holder is the name of a process (this-process.ts).
 */
export interface RunSchedule {
  /**
   * Takes runs with leases: first those that were asked for, which get half of the places at most while others wait
   * too, then those by the clock, longest overdue first; ten of one registrable domain at most, none of a busy one.
   */
  takeDue(
    limit: number,
    now: number,
    leaseMs: number,
    holder: string,
    busy?: BusyDomains,
  ): Promise<readonly RunWork[]>;
  /** What `takeDue` would take, without taking it, and without domains whose turn somebody has (Politeness). */
  due(limit: number, now: number): Promise<readonly DueRun[]>;
  /** Takes those of these agents that still are due or asked for, and that nobody holds, in the order of the keys. */
  takeKeys(
    keys: readonly string[],
    now: number,
    leaseMs: number,
    holder: string,
  ): Promise<readonly RunWork[]>;
  /**
   * Takes one agent that an operator names, due or not, owned or not; `held` when somebody tests it now, undefined for
   * an agent never heard of.
   */
  claim(
    agent: string,
    now: number,
    leaseMs: number,
    holder: string,
  ): Promise<RunLease | { readonly held: HeldBy } | undefined>;
  /** Writes down what the run that was asked for has done so far; does nothing under a lease that was lost, or for another run. */
  tellSoFar(lease: RunLease, soFar: RunSoFar): Promise<void>;
  /**
   * Gives leases back unused: what was due stays due, and what was lost before (`afterLoss`) is reported to the
   * next one. Does nothing for one that was lost.
   */
  release(leases: readonly RunLease[]): Promise<void>;
  /**
   * Asks for a run, with an audit record (`run.ask`). While one is open, everybody who asks for the same storyboards and target is given that one. A member
   * has to be the proven owner, and a key has to be valid; both are checked inside the transaction. The run is cancelled
   * when the owner opts out, or when the agent has another owner, or none.
   */
  ask(wanted: AskForRun, wait: RunWait, now: number): Promise<AskOutcome>;
  /** Undefined when none is open. */
  asked(agent: string): Promise<AskedRun | undefined>;
  /** Who tests it, and until when at the latest; undefined when nobody does. */
  heldBy(agent: string, now: number): Promise<HeldBy | undefined>;
  /** Those who test agents now, each once. */
  holders(now: number): Promise<readonly string[]>;
  /**
   * Ends all leases of a holder that has ended, as if their time were over: the next run of each is `afterLoss`. The turns
   * that it had of these agents' registrable domains are free too. Returns how many agents it had.
   */
  releaseOf(holder: string, now: number): Promise<number>;
  countDue(now: number): Promise<DueRuns>;
  /**
   * Owned agents whose badges were not looked at for a day, longest ago first: time alone changes the `live` axis. Also those
   * whose owner, settings or membership changed, in case whoever changed them died before looking.
   */
  toReconsider(limit: number, now: number): Promise<readonly string[]>;
  /** The badges of this agent are looked at then and no sooner, unless its owner, settings or membership change. */
  reconsiderLater(agent: string, at: number): Promise<void>;
}
