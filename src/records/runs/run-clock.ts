import { type AgentSettings, isMonitored } from '../../domain/compliance.ts';
import { registrableDomainOf } from '../../domain/domain-name.ts';
import { FIRST_TEST_DELAY_MS, lackedCredential, runNowWait } from '../../domain/standing.ts';
import type { ComplianceState } from '../../ports/compliance.ts';
import type { RunSchedule } from '../../ports/run-schedule.ts';
import { type SqlStore, type SqlTask, together } from '../sql-tasks.ts';
import { type Param, prepare, run, sql } from '../statements.ts';

/** Badges are considered again so often without a run: the `live` axis comes and goes with time alone. */
const RECONSIDER_MS = 24 * 3_600_000;

/** No agent is put off for longer: what lies further ahead is of a clock that has been put back. */
const LONGEST_MS = 25 * 3_600_000;

const ASKED_NO_MORE = {
  ...{ asked_run: null, asked_as: null, asked_at: null },
  ...{ asked_storyboard: null, asked_target: null, so_far: null },
} as const;

interface Times {
  readonly next_run_at: number | null;
  readonly reconsider_at: number | null;
}

/**
 * When an agent is tested next, as was decided, and when its badges are considered again if nothing happens. It writes
 * within the caller's transaction, as all of these do.
 */
export function keepDecided(
  store: SqlStore,
  agent: string,
  { nextRunAt, isOwned }: { readonly nextRunAt: number | null; readonly isOwned: boolean },
  now: number,
): SqlTask<void> {
  const reconsider_at = isOwned ? now + RECONSIDER_MS : null;
  return put(store, agent, { next_run_at: nextRunAt, reconsider_at });
}

/**
 * An owner has proven control: the agent is due at once if it is tested at all, or after a delay if a new owner proved it
 * by its own key, so that it can store a credential first. Its badges are considered even when this process dies here.
 * What another owner asked for is not wanted any more.
 */
export function* beginClock(
  store: SqlStore,
  agent: string,
  given: {
    readonly settings: AgentSettings | undefined;
    readonly isOtherOwner: boolean;
    readonly isByKey: boolean;
  },
  now: number,
): SqlTask<void> {
  const isTested = given.settings !== undefined && isMonitored(given.settings);
  if (given.isOtherOwner) yield* forgetAsked(store, agent);
  const first = given.isOtherOwner && given.isByKey ? now + FIRST_TEST_DELAY_MS : now;
  yield* put(store, agent, { next_run_at: isTested ? first : null, reconsider_at: now });
}

/** Nobody owns it any more: no run, and its badges are to be considered again. */
export function* endClock(store: SqlStore, agent: string, now: number): SqlTask<void> {
  const ended = { ...ASKED_NO_MORE, next_run_at: null, reconsider_at: now };
  yield* run(store, sql.updateTable('run_schedule').set(ended).where('agent', '=', agent));
}

/**
 * Settings have changed. An agent that is not tested any more is due never, and one that is tested again at once: it does
 * not keep its place in the queue. What was asked for is not done after opting out, and badges are to be
 * considered again: the process that changed the settings may die before doing so.
 */
export function* adjustClock(
  store: SqlStore,
  agent: string,
  { settings, isOwned }: { readonly settings: AgentSettings; readonly isOwned: boolean },
  now: number,
): SqlTask<void> {
  if (settings.optedOut) yield* forgetAsked(store, agent);
  if (!isOwned) return;
  const change = sql.updateTable('run_schedule').where('agent', '=', agent);
  yield* run(store, change.set({ reconsider_at: now }));
  if (!isMonitored(settings)) yield* run(store, change.set({ next_run_at: null }));
  else yield* run(store, change.set({ next_run_at: now }).where('next_run_at', 'is', null));
}

/**
 * What an owned agent could not be tested without has been stored: it is due as soon as a run on demand is allowed, if it
 * is tested by the clock at all. Who is due sooner stays so.
 */
export function* makeDueSooner(
  store: SqlStore,
  agent: string,
  { standing, settings }: Pick<ComplianceState, 'standing' | 'settings'>,
  now: number,
): SqlTask<void> {
  if (!lackedCredential(standing) || !isMonitored(settings)) return;
  const at = now + runNowWait(standing, now);
  const change = sql.updateTable('run_schedule').set({ next_run_at: at }).where('agent', '=', agent);
  yield* run(store, change.where('next_run_at', '>', at));
}

/**
 * Memberships have changed, and with them perhaps the badges of their agents. The rows are taken in the order in which
 * leases take them, so that neither waits for the other crosswise.
 */
export function* reconsiderSoon(store: SqlStore, members: readonly string[], now: number): SqlTask<void> {
  const locked = yield* prepare(store, schedulesOf).all({ members });
  const agents = locked.map(({ agent }) => agent);
  if (agents.length > 0) yield* prepare(store, reconsidered).run({ agents, now });
}

function schedulesOf(param: Param<{ members: readonly string[] }>) {
  const theirs = sql.selectFrom('ownership').select('agent').where('member', 'in', param.list('members'));
  return sql
    .selectFrom('run_schedule')
    .select('agent')
    .where('agent', 'in', theirs)
    .where('reconsider_at', 'is not', null)
    .orderBy('agent')
    .forUpdate();
}

function reconsidered(param: Param<{ agents: readonly string[]; now: number }>) {
  return sql
    .updateTable('run_schedule')
    .set({ reconsider_at: param('now') })
    .where('agent', 'in', param.list('agents'));
}

/** Whose badges are to be considered again. */
export function createReconsideration(
  store: SqlStore,
): Pick<RunSchedule, 'toReconsider' | 'reconsiderLater'> {
  const selectOld = prepare(store, (param: Param<{ now: number; limit: number }>) =>
    byReconsideration().where('reconsider_at', '<=', param('now')).limit(param('limit')),
  );
  const selectFar = prepare(store, (param: Param<{ latest: number; limit: number }>) =>
    byReconsideration().where('reconsider_at', '>', param('latest')).limit(param('limit')),
  );
  const putOff = prepare(store, (param: Param<{ agent: string; at: number }>) =>
    sql
      .updateTable('run_schedule')
      .set({ reconsider_at: param('at') })
      .where('agent', '=', param('agent'))
      .where('reconsider_at', 'is not', null),
  );
  return {
    async toReconsider(limit, now) {
      const [old = [], far = []] = await store.read(() =>
        together([selectOld.all({ now, limit }), selectFar.all({ latest: now + LONGEST_MS, limit })]),
      );
      return [...old, ...far].slice(0, limit).map(({ agent }) => agent);
    },
    async reconsiderLater(agent, at) {
      await store.transaction(() => putOff.run({ agent, at }));
    },
  };
}

function byReconsideration() {
  return sql.selectFrom('run_schedule').select('agent').orderBy('reconsider_at').orderBy('agent');
}

/** The run of that id, or whatever was asked for, is asked for no more. */
export function* forgetAsked(store: SqlStore, agent: string, id?: string): SqlTask<void> {
  const asked = sql.updateTable('run_schedule').set(ASKED_NO_MORE).where('agent', '=', agent);
  yield* run(store, id === undefined ? asked : asked.where('asked_run', '=', id));
}

function* put(store: SqlStore, agent: string, times: Times): SqlTask<void> {
  const row = { agent, registrable_domain: registrableDomainOf(agent), ...times, fence: 0, lease_until: 0 };
  const insert = sql.insertInto('run_schedule').values(row);
  yield* run(
    store,
    insert.onConflict((known) => known.column('agent').doUpdateSet(times)),
  );
}
