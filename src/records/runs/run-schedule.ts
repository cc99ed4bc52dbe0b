import { present } from '../../base/json.ts';
import { registrableDomainOf } from '../../domain/domain-name.ts';
import type { RunSoFar } from '../../domain/run-so-far.ts';
import type {
  AskedRun,
  AskForRun,
  AskOutcome,
  RunLease,
  RunSchedule,
  RunWait,
  RunWork,
} from '../../ports/run-schedule.ts';
import type { BusyDomains } from '../../ports/source-store.ts';
import type { Db, RecordsDatabase } from '../database.ts';
import { lockShared } from '../locks.ts';
import { auditDeed, memberOfActor } from '../owners/audit.ts';
import { lockAgent } from '../owners/checks.ts';
import { refusalToAct } from '../owners/proven-owner.ts';
import { createRowSelection } from '../row-selection.ts';
import { readState, type StoredState } from './compliance-state.ts';
import { countDueRuns, type DueRunRow, type DueTime, offerDueRuns } from './due-runs.ts';
import { agentsToReconsider, reconsiderLater } from './run-clock.ts';
import { claimRun, currentLease, holdersOfRuns, releaseRuns, releaseRunsOf, takeRuns } from './run-leases.ts';

const NONE_BUSY: BusyDomains = new Set();

/** Which agents are to be tested, which runs were requested, and which process tests an agent now. */
export function createRunSchedule(database: RecordsDatabase): RunSchedule {
  return {
    /** Selects again as long as other processes lease some of the selected agents first: a caller that gets fewer than `limit` has all. */
    async takeDue(limit, now, leaseMs, holder, busy = NONE_BUSY) {
      const works: RunWork[] = [];
      for (;;) {
        const taken = works.map(rowOf);
        const search = { limit, now, busy, taken, onlyFreeDomains: false };
        const selected = await database.read((db) => selectDue(db, search));
        if (selected.length === 0) return works;
        const keys = selected.map(({ key }) => key);
        const leased = await database.transaction((db) => takeRuns(db, keys, now, { leaseMs, holder }));
        works.push(...leased);
        if (leased.length === selected.length) return works;
      }
    },
    async due(limit, now) {
      const search = { limit, now, busy: NONE_BUSY, taken: [], onlyFreeDomains: true };
      const selected = await database.read((db) => selectDue(db, search));
      return selected.map(({ key, registrable_domain: registrableDomain, at: dueAt }) => ({
        key,
        registrableDomain,
        dueAt,
      }));
    },
    async takeKeys(keys, now, leaseMs, holder) {
      if (keys.length === 0) return [];
      return database.transaction((db) => takeRuns(db, keys, now, { leaseMs, holder }));
    },
    claim: (agent, now, leaseMs, holder) =>
      database.transaction((db) => claimRun(db, agent, now, { leaseMs, holder })),
    tellSoFar: (lease, soFar) => database.transaction((db) => writeProgress(db, lease, soFar)),
    async release(leases) {
      if (leases.length > 0) await database.transaction((db) => releaseRuns(db, leases));
    },
    ask: (wanted, wait, now) => database.durably((db) => requestRun(db, wanted, wait, now)),
    asked: (agent) => database.read((db) => openRequest(db, agent)),
    heldBy: (agent, now) => database.read((db) => currentLease(db, agent, now)),
    holders: (now) => database.read((db) => holdersOfRuns(db, now)),
    releaseOf: (holder, now) => database.transaction((db) => releaseRunsOf(db, holder, now)),
    countDue: (now) => database.read((db) => countDueRuns(db, now)),
    toReconsider: (limit, now) => database.read((db) => agentsToReconsider(db, limit, now)),
    reconsiderLater: (agent, at) => database.transaction((db) => reconsiderLater(db, agent, at)),
  };
}

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
async function requestRun(db: Db, wanted: AskForRun, wait: RunWait, now: number): Promise<AskOutcome> {
  const { agent, runId, trigger, actor, storyboard, target } = wanted;
  await lockShared(db, 'contents'); // or the agent may be pruned meanwhile
  await lockAgent(db, agent);
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
  await auditDeed(db, { at: now, actor, action: 'run.ask', subject: agent, details });
  return { ok: true, asked: { agent, runId, trigger, askedAt: now, ...only, state: 'queued' }, isNew: true };
}

async function reasonToRefuse(db: Db, { agent, actor }: AskForRun, state: StoredState, now: number) {
  if (state.owner === undefined) return 'not_owned';
  const reason = actor.kind === 'signature' ? undefined : await refusalToAct(db, agent, actor, now);
  if (reason !== undefined) return reason;
  return state.settings.optedOut ? 'opted_out' : undefined;
}

/** The run that is requested of an agent, waiting or under way. */
async function openRequest(db: Db, agent: string): Promise<AskedRun | undefined> {
  const row = await db.selectFrom('run_schedule').selectAll().where('agent', '=', agent).executeTakeFirst();
  if (row === undefined) return undefined;
  const { asked_run: runId, asked_as: trigger, asked_at: askedAt } = row;
  if (runId === null || trigger === null || askedAt === null) return undefined;
  const isRunning = row.lease_until > 0 && row.leased_run === runId;
  const soFar = isRunning && row.so_far !== null ? (JSON.parse(row.so_far) as RunSoFar) : undefined;
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
  { agent, runId, trigger, storyboard, target }: AskForRun,
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
    .set({ so_far: JSON.stringify(soFar) })
    .where('agent', '=', agent)
    .where('fence', '=', fence)
    .whereRef('leased_run', '=', 'asked_run')
    .execute();
}
