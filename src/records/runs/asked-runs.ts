import { present } from '../../base/json.ts';
import { registrableDomainOf } from '../../domain/domain-name.ts';
import type { RunSoFar } from '../../domain/run-so-far.ts';
import type { AskedRun, AskForRun, AskOutcome, RunLease, RunWait } from '../../ports/run-schedule.ts';
import { lockShared } from '../locks.ts';
import { auditDeed, memberOfActor } from '../owners/audit.ts';
import { createAgentLock, refusalToAct } from '../owners/proven-owner.ts';
import type { RunScheduleTable } from '../schema-agents.ts';
import { call, type SqlStore, type SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, run, sql } from '../statements.ts';
import { createStateReader, type StoredState } from './compliance-state.ts';

type Refused = Extract<AskOutcome, { ok: false }>;

interface AskedRuns {
  /** As in the port `RunSchedule`, in one transaction of the caller's. */
  ask(wanted: AskForRun, wait: RunWait, now: number): SqlTask<AskOutcome>;
  open(agent: string): SqlTask<AskedRun | undefined>;
  tellSoFar(lease: RunLease, soFar: RunSoFar): SqlTask<void>;
}

/** Runs that somebody has asked for; each agent has one at most. */
export function createAskedRuns(store: SqlStore): AskedRuns {
  const lockAgent = createAgentLock(store);
  const readState = createStateReader(store);
  const select = prepare(store, (param: Param<{ agent: string }>) =>
    sql.selectFrom('run_schedule').selectAll().where('agent', '=', param('agent')),
  );

  const tell = prepare(store, toldRun);

  function* refusalOf(
    { agent, actor }: AskForRun,
    state: StoredState | undefined,
    now: number,
  ): SqlTask<Refused | undefined> {
    if (state === undefined) return refused('unknown_agent');
    if (state.owner === undefined) return refused('not_owned');
    const reason = actor.kind === 'signature' ? undefined : yield* refusalToAct(store, agent, actor, now);
    if (reason !== undefined) return refused(reason);
    return state.settings.optedOut ? refused('opted_out') : undefined;
  }
  function* open(agent: string): SqlTask<AskedRun | undefined> {
    const row = yield* select.first({ agent });
    return row && askedRun(row);
  }
  return {
    *ask(wanted, wait, now) {
      const { agent, runId, trigger, actor, storyboard, target } = wanted;
      yield* call((db) => lockShared(db, 'contents')); // or the agent may be pruned meanwhile
      yield* lockAgent(agent);
      const state = yield* readState(agent);
      const refusal = yield* refusalOf(wanted, state, now);
      if (refusal !== undefined || state === undefined) return refusal ?? refused('unknown_agent');
      const asked = yield* open(agent);
      if (asked !== undefined && (asked.storyboard !== storyboard || asked.target !== target))
        return { ok: false, reason: 'other_open', asked };
      // of the same id: done again, as the answer to the first commit was lost
      if (asked !== undefined) return { ok: true, asked, isNew: asked.runId === runId };
      const waitMs = wait(state);
      if (waitMs > 0) return { ok: false, reason: 'cooldown', waitMs };
      yield* keep(store, wanted, now);
      const member = memberOfActor(actor) ?? state.owner?.member;
      const details = { run_id: runId, trigger, member, ...present({ storyboard, target }) };
      yield* auditDeed(store, { at: now, actor, action: 'run.ask', subject: agent, details });
      const kept = { agent, runId, trigger, askedAt: now, ...present({ storyboard, target }) };
      return { ok: true, asked: { ...kept, state: 'queued' }, isNew: true };
    },
    open,
    *tellSoFar({ agent, fence }, soFar) {
      yield* tell.run({ agent, fence, soFar: JSON.stringify(soFar) });
    },
  };
}

function refused(reason: Exclude<Refused['reason'], 'cooldown' | 'other_open'>): Refused {
  return { ok: false, reason };
}

function askedRun(row: RunScheduleTable): AskedRun | undefined {
  const { agent, asked_run: runId, asked_as: trigger, asked_at: askedAt } = row;
  if (runId === null || trigger === null || askedAt === null) return undefined;
  const isRunning = row.lease_until > 0 && row.leased_run === runId;
  const only = present({ storyboard: row.asked_storyboard, target: row.asked_target });
  const soFar = isRunning && row.so_far !== null ? (JSON.parse(row.so_far) as RunSoFar) : undefined;
  const asked = { agent, runId, trigger, askedAt, ...only };
  return { ...asked, state: isRunning ? 'running' : 'queued', ...(soFar && { soFar }) };
}

function* keep(
  store: SqlStore,
  { agent, runId, trigger, storyboard, target }: AskForRun,
  now: number,
): SqlTask<void> {
  const only = { asked_storyboard: storyboard ?? null, asked_target: target ?? null };
  const asked = { asked_run: runId, asked_as: trigger, asked_at: now, ...only };
  const row = { agent, registrable_domain: registrableDomainOf(agent), ...asked, fence: 0, lease_until: 0 };
  const insert = sql.insertInto('run_schedule').values(row);
  yield* run(
    store,
    insert.onConflict((known) => known.column('agent').doUpdateSet(asked)),
  );
}

/** Of a run that was asked for, and is under way still. */
function toldRun(param: Param<Pick<RunLease, 'agent' | 'fence'> & { readonly soFar: string }>) {
  return sql
    .updateTable('run_schedule')
    .set({ so_far: param('soFar') })
    .where('agent', '=', param('agent'))
    .where('fence', '=', param('fence'))
    .whereRef('leased_run', '=', 'asked_run');
}
