import { present } from '../../base/json.ts';
import { registrableDomainOf } from '../../domain/domain-name.ts';
import type { RunTrigger } from '../../domain/judged-run.ts';
import type { RunSoFar } from '../../domain/run-so-far.ts';
import { type Db, listOf } from '../database.ts';
import { ascending, isLeased, lockShared } from '../locks.ts';
import { freeTurns } from '../sources/politeness.ts';
import type { HeldBy } from '../upkeep/named-leases.ts';
import { consentedRuns, isDue, isFree } from './due-runs.ts';

/** The right to test an agent until `until`; a run that returns with an older fence is not stored. */
export interface RunLease {
  /** Canonical URL. */
  readonly agent: string;
  readonly fence: number;
  readonly until: number;
  /** The lease before this one expired: a run was not stored, and its test data may be left at the agent. */
  readonly afterLoss?: true;
}

/** One run to make. */
export interface RunWork {
  /** The agent's canonical URL. */
  readonly key: string;
  readonly registrableDomain: string;
  /** When it became due or was requested; epoch milliseconds. */
  readonly dueAt: number;
  /** Absent for a scheduled run. */
  readonly asked?: Pick<RequestedRun, 'runId' | 'trigger' | 'storyboard' | 'target'>;
  readonly lease: RunLease;
}

/** A requested run that is not finished. */
export interface RequestedRun {
  readonly agent: string;
  /** The id that the run will have. */
  readonly runId: string;
  readonly trigger: RunTrigger;
  readonly askedAt: number;
  /** The id of the only storyboard to run; absent: all that the agent is to pass. */
  readonly storyboard?: string;
  /** The version or label that was asked for, `3.1`; absent: as the agent is tested otherwise. */
  readonly target?: string;
  /** `running`: a process has the lease. */
  readonly state: 'queued' | 'running';
  /** Of a running one: its last reported progress. */
  readonly soFar?: RunSoFar;
}

/** Leases of agents: which process tests an agent now. Call all functions inside a transaction. */

/** For whom, and how long. */
interface LeaseTerm {
  readonly leaseMs: number;
  readonly holder: string;
}

/**
 * What `lease_until` becomes when a holder has ended without giving the lease back. A lease that was given back with no
 * loss to report is 0.
 */
const EXPIRED = 1;

/** Leases those of these agents that are still to be tested and that are free, in the order of the keys. */
export async function takeRuns(
  db: Db,
  keys: readonly string[],
  now: number,
  { leaseMs, holder }: LeaseTerm,
  /** Repeated, perhaps because the answer to the first commit was lost: what that one has leased counts as free. */
  isRepeated: boolean,
): Promise<readonly RunWork[]> {
  const until = now + leaseMs;
  const isOurs = (row: { readonly lease_holder: string | null; readonly lease_until: number }) =>
    isRepeated && row.lease_holder === holder && row.lease_until === until;
  // all processes lock the rows in this order
  const wanted = await consentedRuns(db)
    .select(['run_schedule.agent as key', 'run_schedule.registrable_domain', 'next_run_at'])
    .select(['lease_until', 'lease_holder'])
    .select(['asked_run', 'asked_as', 'asked_at', 'asked_storyboard', 'asked_target'])
    .where('run_schedule.agent', 'in', listOf(db, keys))
    .where((row) => {
      const isOfFirstCommit = row.and([row('lease_holder', '=', holder), row('lease_until', '=', until)]);
      return isRepeated ? row.or([isFree(now), isOfFirstCommit]) : isFree(now);
    })
    .where((row) => row.or([row('run_schedule.asked_at', 'is not', null), isDue(now)]))
    .orderBy('run_schedule.agent')
    .forUpdate('run_schedule')
    .execute();
  if (wanted.length === 0) return [];
  const wantedKeys = wanted.map(({ key }) => key);
  const leased = await db
    .updateTable('run_schedule')
    .set((row) => ({
      fence: row('fence', '+', 1),
      lease_until: until,
      lease_holder: holder,
      leased_run: row.ref('asked_run'),
      progress: null,
    }))
    .where('agent', 'in', listOf(db, wantedKeys))
    .returning(['agent', 'fence'])
    .execute();
  const fences = new Map(leased.map(({ agent, fence }) => [agent, fence]));
  const works = wanted.map((row): RunWork => {
    const { key, registrable_domain, asked_run: runId, asked_as: trigger } = row;
    const only = present({ storyboard: row.asked_storyboard, target: row.asked_target });
    return {
      key,
      registrableDomain: registrable_domain,
      dueAt: (row.asked_at ?? row.next_run_at) as number,
      ...(runId !== null && trigger !== null && { asked: { runId, trigger, ...only } }),
      lease: {
        agent: key,
        fence: fences.get(key) as number,
        until,
        ...(!isOurs(row) && lossBefore(row.lease_until)),
      },
    };
  });
  const byKey = new Map(works.map((work) => [work.key, work]));
  return [...new Set(keys)].flatMap((key) => byKey.get(key) ?? []);
}

/** Leases one agent, due or not; undefined if the agent is unknown. */
export async function claimRun(
  db: Db,
  agent: string,
  now: number,
  { leaseMs, holder }: LeaseTerm,
): Promise<RunLease | { readonly held: HeldBy } | undefined> {
  await lockShared(db, 'contents'); // or the agent may be pruned meanwhile
  const known = await db.selectFrom('agent').select('agent').where('agent', '=', agent).executeTakeFirst();
  if (known === undefined) return undefined;
  await db
    .insertInto('run_schedule')
    .values({ agent, registrable_domain: registrableDomainOf(agent), fence: 0, lease_until: 0 })
    .onConflict((same) => same.column('agent').doNothing())
    .execute();
  const before = await db
    .selectFrom('run_schedule')
    .select(['lease_until', 'lease_holder'])
    .where('agent', '=', agent)
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (isLeased(before.lease_until, now))
    return { held: { holder: before.lease_holder ?? '', until: before.lease_until } };
  const until = now + leaseMs;
  const { fence } = await db
    .updateTable('run_schedule')
    .set((row) => ({
      fence: row('fence', '+', 1),
      lease_until: until,
      lease_holder: holder,
      leased_run: null,
    }))
    .where('agent', '=', agent)
    .returning('fence')
    .executeTakeFirstOrThrow();
  return { agent, fence, until, ...lossBefore(before.lease_until) };
}

/** The lease on an agent; undefined if it is free. */
export async function currentLease(db: Db, agent: string, now: number): Promise<HeldBy | undefined> {
  const row = await db
    .selectFrom('run_schedule')
    .select(['lease_until as until', 'lease_holder as holder'])
    .where('agent', '=', agent)
    .executeTakeFirst();
  if (row === undefined || !isLeased(row.until, now)) return undefined;
  return { holder: row.holder ?? '', until: row.until };
}

function lossBefore(leaseUntil: number): Pick<RunLease, 'afterLoss'> {
  return leaseUntil > 0 ? { afterLoss: true } : {};
}

/** Gives a lease back; false if it was lost meanwhile. */
export async function releaseRun(db: Db, { agent, fence, afterLoss }: RunLease): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('run_schedule')
    .set((row) => ({
      fence: row('fence', '+', 1),
      lease_until: afterLoss === true ? EXPIRED : 0,
      lease_holder: null,
      leased_run: null,
    }))
    .where('agent', '=', agent)
    .where('fence', '=', fence)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Gives leases back. All processes lock the rows in one order. */
export async function releaseRuns(db: Db, leases: readonly RunLease[]): Promise<void> {
  for (const lease of leases.toSorted((a, b) => ascending(a.agent, b.agent))) await releaseRun(db, lease);
}

/** The processes that test agents now. */
export async function holdersOfRuns(db: Db, now: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('run_schedule')
    .select('lease_holder')
    .distinct()
    .where('lease_holder', 'is not', null)
    .where('lease_until', '>', now)
    .orderBy('lease_holder')
    .execute();
  return rows.flatMap(({ lease_holder }) => lease_holder ?? []);
}

/** Ends the leases of a process that has ended, and its turns of the agents' domains; returns the number of agents. */
export async function releaseRunsOf(db: Db, holder: string, now: number): Promise<number> {
  // several processes may notice at once that the holder has ended: all lock the rows in this order
  const held = await db
    .selectFrom('run_schedule')
    .select(['agent', 'registrable_domain'])
    .where('lease_holder', '=', holder)
    .orderBy('agent')
    .forUpdate()
    .execute();
  if (held.length === 0) return 0;
  const agents = held.map(({ agent }) => agent);
  await db
    .updateTable('run_schedule')
    .set((row) => ({
      fence: row('fence', '+', 1),
      lease_until: EXPIRED,
      lease_holder: null,
      leased_run: null,
    }))
    .where('agent', 'in', listOf(db, agents))
    .execute();
  const domains = held.map(({ registrable_domain }) => registrable_domain);
  await freeTurns(db, domains, holder, now);
  return held.length;
}
