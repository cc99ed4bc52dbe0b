import { present } from '../../base/json.ts';
import { registrableDomainOf } from '../../domain/domain-name.ts';
import type { HeldBy } from '../../ports/named-leases.ts';
import type { RunLease, RunWork } from '../../ports/run-schedule.ts';
import { ascending, lockShared } from '../locks.ts';
import { call, type SqlStore, type SqlTask, together } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';
import { consentedRuns, isDue, isFree, type LeaseMoment, leaseMomentOf } from './due-runs.ts';

type Keys = { readonly keys: readonly string[] };

/** For whom, and how long. */
interface LeaseTerm {
  readonly leaseMs: number;
  readonly holder: string;
}
type Taken = { readonly until: number; readonly holder: string };

interface RunLeases {
  /** Leases those of these agents that still are to be tested and that nobody holds, in the order of the keys. */
  take(keys: readonly string[], now: number, term: LeaseTerm): SqlTask<readonly RunWork[]>;
  /** As in the port `RunSchedule`. */
  claim(
    agent: string,
    now: number,
    term: LeaseTerm,
  ): SqlTask<RunLease | { readonly held: HeldBy } | undefined>;
  /** As in the port `RunSchedule`. */
  heldBy(agent: string, now: number): SqlTask<HeldBy | undefined>;
  /** Gives them back; returns of each whether it was still had. */
  release(leases: readonly RunLease[]): SqlTask<readonly boolean[]>;
}

/** Who tests an agent now; inside the caller's transaction. */
export function createRunLeases(store: SqlStore): RunLeases {
  const selectWanted = prepare(store, wantedRuns);
  const lease = prepare(store, leasedRuns);
  const selectAgent = prepare(store, (param: Param<{ agent: string }>) =>
    sql.selectFrom('agent').select('agent').where('agent', '=', param('agent')),
  );
  const insert = prepare(store, newSchedule);
  const claimOne = prepare(store, claimedRun);
  const selectHeld = prepare(store, (param: Param<{ agent: string }>) =>
    sql
      .selectFrom('run_schedule')
      .select(['lease_until', 'lease_holder'])
      .where('agent', '=', param('agent')),
  );
  const giveBack = prepare(store, releasedRun);

  function* releaseOne({ agent, fence, afterLoss }: RunLease): SqlTask<boolean> {
    const until = afterLoss === true ? RUN_OUT : 0;
    return (yield* giveBack.run({ agent, fence, until })) > 0;
  }
  return {
    *take(keys, now, { leaseMs, holder }) {
      const until = now + leaseMs;
      const wanted = yield* selectWanted.all({ ...leaseMomentOf(now), keys });
      if (wanted.length === 0) return [];
      const leased = yield* lease.all({ keys: wanted.map(({ key }) => key), until, holder });
      const fences = new Map(leased.map(({ agent, fence }) => [agent, fence]));
      const works = new Map(
        wanted.map((row) => [row.key, workOf(row, fences.get(row.key) as number, until)]),
      );
      return [...new Set(keys)].flatMap((key) => works.get(key) ?? []);
    },
    *heldBy(agent, now) {
      const held = heldBy(yield* selectHeld.first({ agent }));
      return held.until > now && held.until <= leaseMomentOf(now).far ? held : undefined;
    },
    *claim(agent, now, { leaseMs, holder }) {
      yield* call((db) => lockShared(db, 'contents')); // or the agent may be pruned meanwhile
      if ((yield* selectAgent.first({ agent })) === undefined) return undefined;
      yield* insert.run({ agent, registrableDomain: registrableDomainOf(agent) });
      const until = now + leaseMs;
      const before = heldBy(yield* selectHeld.first({ agent })).until;
      const taken = yield* claimOne.first({ ...leaseMomentOf(now), agent, until, holder });
      if (taken !== undefined) return { agent, fence: taken.fence, until, ...lossBefore(before) };
      return { held: heldBy(yield* selectHeld.first({ agent })) };
    },
    *release(leases) {
      const ordered = leases.toSorted((a, b) => ascending(a.agent, b.agent)); // two processes lock in one order
      return yield* together(ordered.map(releaseOne));
    },
  };
}

interface WantedRow {
  readonly key: string;
  readonly registrable_domain: string;
  readonly next_run_at: number | null;
  readonly asked_run: string | null;
  readonly asked_as: NonNullable<RunWork['asked']>['trigger'] | null;
  readonly asked_at: number | null;
  readonly asked_storyboard: string | null;
  readonly asked_target: string | null;
  readonly lease_until: number;
  readonly lease_holder: string | null;
}

function workOf(row: WantedRow, fence: number, until: number): RunWork {
  const { key, registrable_domain, asked_run: runId, asked_as: trigger } = row;
  return {
    ...{ key, registrableDomain: registrable_domain },
    dueAt: (row.asked_at ?? row.next_run_at) as number,
    ...(runId !== null &&
      trigger !== null && {
        asked: {
          ...{ runId, trigger },
          ...present({ storyboard: row.asked_storyboard, target: row.asked_target }),
        },
      }),
    lease: { agent: key, fence, until, ...lossBefore(row.lease_until) },
  };
}

/** Long ago, as of a lease that nobody gave back. */
export const RUN_OUT = 1;

/** A lease that was given back with no loss to report is 0. */
function lossBefore(leaseUntil: number): Pick<RunLease, 'afterLoss'> {
  return leaseUntil > 0 ? { afterLoss: true } : {};
}

function heldBy(row: Pick<WantedRow, 'lease_until' | 'lease_holder'> | undefined): HeldBy {
  return { holder: row?.lease_holder ?? '', until: row?.lease_until ?? 0 };
}

/** In one order, and held until they are leased. */
function wantedRuns(param: Param<LeaseMoment & Keys>) {
  return consentedRuns()
    .where('run_schedule.agent', 'in', param.list('keys'))
    .where((row) => isFree(row, param))
    .where((row) => row.or([row('run_schedule.asked_at', 'is not', null), isDue(row, param)]))
    .select(['run_schedule.agent as key', 'run_schedule.registrable_domain'])
    .select(['next_run_at', 'asked_run', 'asked_as', 'asked_at', 'asked_storyboard', 'asked_target'])
    .select(['lease_until', 'lease_holder'])
    .orderBy('run_schedule.agent')
    .forUpdate('run_schedule');
}

function leasedRuns(param: Param<Keys & Taken>) {
  return sql
    .updateTable('run_schedule')
    .set((row) => ({
      fence: row('fence', '+', 1),
      lease_until: param('until'),
      lease_holder: param('holder'),
      leased_run: row.ref('asked_run'),
      so_far: null,
    }))
    .where('agent', 'in', param.list('keys'))
    .returning(['agent', 'fence']);
}

function newSchedule(param: Param<{ agent: string; registrableDomain: string }>) {
  return sql
    .insertInto('run_schedule')
    .values({
      agent: param('agent'),
      registrable_domain: param('registrableDomain'),
      fence: 0,
      lease_until: 0,
    })
    .onConflict((known) => known.column('agent').doNothing());
}

function claimedRun(param: Param<LeaseMoment & Taken & { agent: string }>) {
  return sql
    .updateTable('run_schedule')
    .set((row) => ({
      ...{ fence: row('fence', '+', 1), lease_until: param('until') },
      ...{ lease_holder: param('holder'), leased_run: null },
    }))
    .where('agent', '=', param('agent'))
    .where((row) => row.or([row('lease_until', '<=', param('now')), row('lease_until', '>', param('far'))]))
    .returning('fence');
}

function releasedRun(param: Param<Pick<RunLease, 'agent' | 'fence' | 'until'>>) {
  return sql
    .updateTable('run_schedule')
    .set((row) => ({
      ...{ fence: row('fence', '+', 1), lease_until: param('until') },
      ...{ lease_holder: null, leased_run: null },
    }))
    .where('agent', '=', param('agent'))
    .where('fence', '=', param('fence'));
}
