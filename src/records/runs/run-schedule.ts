import { present } from '../../base/json.ts';
import type { Actor } from '../../domain/actor.ts';
import type { AgentSettings } from '../../domain/compliance.ts';
import { registrableDomainOf } from '../../domain/domain-name.ts';
import type { RunTrigger } from '../../domain/judged-run.ts';
import type { RunSoFar } from '../../domain/run-so-far.ts';
import type { Standing } from '../../domain/standing.ts';
import type { Db, RecordsDatabase } from '../database.ts';
import { audit, memberOfActor } from '../owners/audit.ts';
import { beginChange } from '../owners/checks.ts';
import { mayAct } from '../owners/proven-owner.ts';
import { type BusyDomains, createRowSelection } from '../row-selection.ts';
import { readState, type StoredState } from './compliance-state.ts';
import { countDueRuns, type DueRunRow, type DueTime, offerDueRuns } from './due-runs.ts';
import { agentsToReconsider, reconsiderLater } from './run-clock.ts';
import {
  claimRun,
  currentLease,
  holdersOfRuns,
  type RequestedRun,
  type RunLease,
  type RunWork,
  releaseRuns,
  releaseRunsOf,
  takeRuns,
} from './run-leases.ts';

/** An agent that is due and has no lease. */
type DueRun = Pick<RunWork, 'key' | 'registrableDomain' | 'dueAt'>;

export interface RunRequest {
  readonly agent: string;
  /** Of the run, if this asks for a new one. */
  readonly runId: string;
  readonly trigger: RunTrigger;
  readonly actor: Actor;
  /** As in `RequestedRun`. */
  readonly storyboard?: string;
  readonly target?: string;
}

/** Milliseconds until a run may be asked for; 0 when it may. Pure. */
export type RunWait = (before: {
  readonly standing: Standing;
  readonly settings: AgentSettings;
  readonly owner?: { readonly provenAt?: number };
}) => number;

export type RunRequestOutcome =
  | { readonly ok: true; readonly asked: RequestedRun; readonly isNew: boolean }
  | { readonly ok: false; readonly reason: 'cooldown'; readonly waitMs: number }
  /** A run of other storyboards or with another target is open. Callers who poll it would mistake it for the run they requested. */
  | { readonly ok: false; readonly reason: 'other_open'; readonly asked: RequestedRun }
  | {
      readonly ok: false;
      /** `not_owned`: it has no proven owner; `not_owner`: another member owns it. */
      readonly reason: 'unknown_agent' | 'not_owned' | 'not_owner' | 'key_revoked' | 'opted_out';
    };

const NONE_BUSY: BusyDomains = new Set();

/**
 * Which agents are to be tested, which runs were requested, and which process tests an agent now. Only agents with a
 * proven owner that has not opted out are tested (docs/operating/heartbeat.md). Scheduled runs are limited to agents that
 * are not paused and are in `testing` or `production`. Both are checked again whenever work is leased. Times are epoch
 * milliseconds. A holder is the name of a process (this-process.ts).
 */
export function createRunSchedule(database: RecordsDatabase) {
  async function leaseRuns(keys: readonly string[], now: number, leaseMs: number, holder: string) {
    if (keys.length === 0) return [];
    let attempts = 0;
    return database.transaction((db) => {
      attempts += 1;
      return takeRuns(db, keys, now, { leaseMs, holder }, attempts > 1);
    });
  }

  return {
    /**
     * Leases due runs: first requested ones, which get at most half of the places while scheduled ones wait too, then
     * scheduled ones, longest overdue first. At most ten are of one registrable domain, and none of a busy one.
     * Selects again as long as other processes lease some of the selected agents first: a caller that gets fewer than
     * `limit` has all.
     */
    async takeDue(
      limit: number,
      now: number,
      leaseMs: number,
      holder: string,
      busy: BusyDomains = NONE_BUSY,
    ): Promise<readonly RunWork[]> {
      const works: RunWork[] = [];
      for (;;) {
        const taken = works.map(rowOf);
        const search = { limit, now, busy, taken, onlyFreeDomains: false };
        const selected = await database.read((db) => selectDue(db, search));
        if (selected.length === 0) return works;
        const keys = selected.map(({ key }) => key);
        const leased = await leaseRuns(keys, now, leaseMs, holder);
        works.push(...leased);
        if (leased.length === selected.length) return works;
      }
    },
    /** What `takeDue` would lease, without leasing it, and without domains that have a turn (Politeness). */
    async due(limit: number, now: number): Promise<readonly DueRun[]> {
      const search = { limit, now, busy: NONE_BUSY, taken: [], onlyFreeDomains: true };
      const selected = await database.read((db) => selectDue(db, search));
      return selected.map(({ key, registrable_domain: registrableDomain, at: dueAt }) => ({
        key,
        registrableDomain,
        dueAt,
      }));
    },
    /** Leases those of these agents that are still due or requested and have no lease, in the order of the keys. */
    takeKeys: leaseRuns,
    /**
     * Leases one agent that an operator names, due or not, owned or not; `held` while another process tests it,
     * undefined for an unknown agent.
     */
    claim: (agent: string, now: number, leaseMs: number, holder: string) =>
      database.transaction((db) => claimRun(db, agent, now, { leaseMs, holder })),
    /** Stores the progress of a requested run; does nothing under a lost lease, or for another run. */
    reportProgress: (lease: RunLease, soFar: RunSoFar) =>
      database.transaction((db) => writeProgress(db, lease, soFar)),
    /**
     * Gives leases back unused: what was due stays due, and what was lost before (`afterLoss`) is reported to the
     * next one. Does nothing for one that was lost.
     */
    async release(leases: readonly RunLease[]) {
      if (leases.length > 0) await database.transaction((db) => releaseRuns(db, leases));
    },
    /**
     * Requests a run, with an audit record (`run.ask`). While one is open, another request for the same storyboards and
     * target gets that one. The member must be the proven owner, and the key must be valid; both are checked inside the
     * transaction. The run is cancelled when the owner opts out, or when the ownership ends or changes.
     */
    request: (wanted: RunRequest, wait: RunWait, now: number) =>
      database.durably((db) => requestRun(db, wanted, wait, now)),
    /** Undefined when none is open. */
    requested: (agent: string) => database.read((db) => openRequest(db, agent)),
    /** The process that tests it, and until when at the latest; undefined if none does. */
    heldBy: (agent: string, now: number) => database.read((db) => currentLease(db, agent, now)),
    /** The processes that test agents now, each once. */
    holders: (now: number) => database.read((db) => holdersOfRuns(db, now)),
    /**
     * Ends all leases of a holder that has ended, as if their time were over: the next run of each is `afterLoss`. The turns
     * that it had of these agents' registrable domains are free too. Returns how many agents it had.
     */
    releaseOf: (holder: string, now: number) => database.transaction((db) => releaseRunsOf(db, holder, now)),
    countDue: (now: number) => database.read((db) => countDueRuns(db, now)),
    /**
     * Owned agents whose badges were not reconsidered for a day, the oldest first: time alone changes the `live` axis.
     * Also those whose owner, settings or membership changed, in case that process ended before it reconsidered them.
     */
    toReconsider: (limit: number, now: number) => database.read((db) => agentsToReconsider(db, limit, now)),
    /**
     * Reconsiders the badges of this agent at that time and not earlier, unless its owner, settings or membership
     * change.
     */
    reconsiderLater: (agent: string, at: number) =>
      database.transaction((db) => reconsiderLater(db, agent, at)),
  };
}

export type RunSchedule = ReturnType<typeof createRunSchedule>;

function rowOf({ key, registrableDomain, dueAt }: RunWork): DueRunRow {
  return { key, registrable_domain: registrableDomain, at: dueAt };
}

interface DueSearch {
  readonly limit: number;
  readonly now: number;
  readonly busy: BusyDomains;
  /** Selected before; they count towards the limits and are not selected again. */
  readonly taken: readonly DueRunRow[];
  readonly onlyFreeDomains: boolean;
}

/** Requested runs first, up to half of the places; then runs by the schedule; then more requested runs. */
async function selectDue(db: Db, search: DueSearch): Promise<readonly DueRunRow[]> {
  const { limit, taken } = search;
  const half = taken.length + Math.ceil((limit - taken.length) / 2);
  const steps: readonly (readonly [DueTime, number])[] = [
    ['asked_at', half],
    ['next_run_at', limit],
    ['asked_at', limit],
  ];
  const selected: DueRunRow[] = [];
  for (const [time, most] of steps) {
    const before = [...taken, ...selected];
    if (before.length >= most) continue;
    const known = new Set(before.map(({ key }) => key));
    const selection = createRowSelection<DueRunRow>(most, search.busy, before);
    await offerDueRuns(db, time, search, {
      refused: selection.refused,
      offer: (row) => known.has(row.key) || selection.offer(row),
    });
    selected.push(...selection.selected.values());
  }
  return selected;
}

/** Requests a run of an agent. An agent has one open request at most. */
async function requestRun(
  db: Db,
  wanted: RunRequest,
  wait: RunWait,
  now: number,
): Promise<RunRequestOutcome> {
  const { agent, runId, trigger, actor, storyboard, target } = wanted;
  const refusal = await beginChange(db, agent, actor, now);
  if (refusal !== undefined) return { ok: false, reason: refusal };
  const state = await readState(db, agent);
  if (state === undefined) return { ok: false, reason: 'unknown_agent' };
  const reason = await reasonToRefuse(db, wanted, state, now);
  if (reason !== undefined) return { ok: false, reason };
  const asked = await openRequest(db, agent);
  if (asked !== undefined && (asked.storyboard !== storyboard || asked.target !== target))
    return { ok: false, reason: 'other_open', asked };
  // with the same id if the transaction is repeated because the answer to its commit was lost
  if (asked !== undefined) return { ok: true, asked, isNew: asked.runId === runId };
  const waitMs = wait(state);
  if (waitMs > 0) return { ok: false, reason: 'cooldown', waitMs };
  await writeRequest(db, wanted, now);
  const member = memberOfActor(actor) ?? state.owner?.member;
  const only = present({ storyboard, target });
  const details = { run_id: runId, trigger, member, ...only };
  await audit(db, { at: now, actor, action: 'run.ask', subject: agent, details });
  return { ok: true, asked: { agent, runId, trigger, askedAt: now, ...only, state: 'queued' }, isNew: true };
}

async function reasonToRefuse(db: Db, { agent, actor }: RunRequest, state: StoredState, now: number) {
  if (state.owner === undefined) return 'not_owned';
  if (actor.kind !== 'signature' && !(await mayAct(db, agent, actor, now))) return 'not_owner';
  return state.settings.optedOut ? 'opted_out' : undefined;
}

/** The run that is requested of an agent, waiting or under way. */
async function openRequest(db: Db, agent: string): Promise<RequestedRun | undefined> {
  const row = await db.selectFrom('run_schedule').selectAll().where('agent', '=', agent).executeTakeFirst();
  if (row === undefined) return undefined;
  const { asked_run: runId, asked_as: trigger, asked_at: askedAt } = row;
  if (runId === null || trigger === null || askedAt === null) return undefined;
  const isRunning = row.lease_until > 0 && row.leased_run === runId;
  const soFar = isRunning && row.progress !== null ? (JSON.parse(row.progress) as RunSoFar) : undefined;
  return {
    agent,
    runId,
    trigger,
    askedAt,
    ...present({ storyboard: row.asked_storyboard, target: row.asked_target, soFar }),
    state: isRunning ? 'running' : 'queued',
  };
}

async function writeRequest(
  db: Db,
  { agent, runId, trigger, storyboard, target }: RunRequest,
  now: number,
): Promise<void> {
  const request = {
    asked_run: runId,
    asked_as: trigger,
    asked_at: now,
    asked_storyboard: storyboard ?? null,
    asked_target: target ?? null,
  };
  await db
    .insertInto('run_schedule')
    .values({
      agent,
      registrable_domain: registrableDomainOf(agent),
      ...request,
      fence: 0,
      lease_until: 0,
    })
    .onConflict((known) => known.column('agent').doUpdateSet(request))
    .execute();
}

/** Of a requested run that is still under way. */
async function writeProgress(db: Db, { agent, fence }: RunLease, soFar: RunSoFar): Promise<void> {
  await db
    .updateTable('run_schedule')
    .set({ progress: JSON.stringify(soFar) })
    .where('agent', '=', agent)
    .where('fence', '=', fence)
    .whereRef('leased_run', '=', 'asked_run')
    .execute();
}
