import { type AgentSettings, isMonitored } from '../../../domain/agent-settings.ts';
import { sql } from '../prepared.ts';
import { run } from '../run-query.ts';
import type { SqlStore } from '../sql-store.ts';
import type { Work } from '../work.ts';
import { ownerOf } from './proven-owner.ts';
import { domainOf } from './run-leases.ts';

/** Badges are looked at so often without a run: the `live` axis comes and goes with time alone. */
const RECONSIDER_MS = 24 * 3_600_000;

const ASKED_NO_MORE = { asked_run: null, asked_as: null, asked_at: null } as const;

interface Times {
  readonly next_run_at: number | null;
  readonly reconsider_at: number | null;
}

/**
 * When an agent is tested next, as was decided, and when it is looked at again if nothing happens; all of these inside
 * the caller's transaction.
 */
export function keepDecided(
  store: SqlStore,
  agent: string,
  { nextRunAt, isOwned }: { readonly nextRunAt: number | null; readonly isOwned: boolean },
  now: number,
): Work<void> {
  const reconsider_at = isOwned ? now + RECONSIDER_MS : null;
  return put(store, agent, { next_run_at: nextRunAt, reconsider_at });
}

/**
 * An owner has proven control: it is due at once if it is tested at all, and looked at even when whoever proves it dies
 * here. What another owner asked for is not wanted any more.
 */
export function* beginClock(
  store: SqlStore,
  agent: string,
  given: { readonly settings: AgentSettings | undefined; readonly isOtherOwner: boolean },
  now: number,
): Work<void> {
  const isTested = given.settings !== undefined && isMonitored(given.settings);
  if (given.isOtherOwner) yield* forgetAsked(store, agent);
  yield* put(store, agent, { next_run_at: isTested ? now : null, reconsider_at: now });
}

/** Nobody owns it any more: no run, and its badges are to be looked at. */
export function* endClock(store: SqlStore, agent: string, now: number): Work<void> {
  const ended = { ...ASKED_NO_MORE, next_run_at: null, reconsider_at: now };
  yield* run(store, sql.updateTable('run_schedule').set(ended).where('agent', '=', agent));
}

/**
 * Settings have changed. An agent that is not tested any more is due never, and one that is tested again at once: it does
 * not keep its place in the queue. What was asked for is not done after opting out, and badges are to be looked at:
 * whoever changed the settings may die before doing so.
 */
export function* adjustClock(
  store: SqlStore,
  agent: string,
  settings: AgentSettings,
  now: number,
): Work<void> {
  if (settings.optedOut) yield* forgetAsked(store, agent);
  if ((yield* ownerOf(store, agent)) === undefined) return;
  const change = sql.updateTable('run_schedule').where('agent', '=', agent);
  yield* run(store, change.set({ reconsider_at: now }));
  if (!isMonitored(settings)) yield* run(store, change.set({ next_run_at: null }));
  else yield* run(store, change.set({ next_run_at: now }).where('next_run_at', 'is', null));
}

/** A membership has changed, and with it perhaps the badges of its agents. */
export function* reconsiderSoon(store: SqlStore, member: string, now: number): Work<void> {
  const theirs = sql.selectFrom('ownership').select('agent').where('member', '=', member);
  const change = sql.updateTable('run_schedule').set({ reconsider_at: now });
  yield* run(store, change.where('agent', 'in', theirs).where('reconsider_at', 'is not', null));
}

/** The run of that id, or whatever was asked for, is asked for no more. */
export function* forgetAsked(store: SqlStore, agent: string, id?: string): Work<void> {
  const asked = sql.updateTable('run_schedule').set(ASKED_NO_MORE).where('agent', '=', agent);
  yield* run(store, id === undefined ? asked : asked.where('asked_run', '=', id));
}

function* put(store: SqlStore, agent: string, times: Times): Work<void> {
  const row = { agent, registrable_domain: domainOf(agent), ...times, fence: 0, lease_until: 0 };
  const insert = sql.insertInto('run_schedule').values(row);
  yield* run(
    store,
    insert.onConflict((known) => known.column('agent').doUpdateSet(times)),
  );
}
