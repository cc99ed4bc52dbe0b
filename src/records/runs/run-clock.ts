import { type AgentSettings, isMonitored } from '../../domain/compliance.ts';
import { registrableDomainOf } from '../../domain/domain-name.ts';
import { FIRST_TEST_DELAY_MS, lackedCredential, runNowWait } from '../../domain/standing.ts';
import { type Db, listOf } from '../database.ts';
import type { ComplianceState } from './compliance-state.ts';

/**
 * When an agent is tested next, and when its badges are reconsidered without a run. The functions that write belong into
 * the transaction of what changes it: a decision, a proof, a setting, a credential, a membership.
 */

/** Badges are reconsidered this often without a run: the `live` axis comes and goes with time alone. */
const RECONSIDER_MS = 24 * 3_600_000;

/** Badges are never put off for longer: a time further ahead is of a clock that was put back. */
const LONGEST_MS = 25 * 3_600_000;

const NO_REQUEST = {
  asked_run: null,
  asked_as: null,
  asked_at: null,
  asked_storyboard: null,
  asked_target: null,
  progress: null,
} as const;

/** Writes when an agent is tested next, as was decided. */
export async function keepDecided(
  db: Db,
  agent: string,
  { nextRunAt, isOwned }: { readonly nextRunAt: number | null; readonly isOwned: boolean },
  now: number,
): Promise<void> {
  await writeTimes(db, agent, {
    next_run_at: nextRunAt,
    reconsider_at: isOwned ? now + RECONSIDER_MS : null,
  });
}

/**
 * An owner has proven control: the agent is due at once if it is tested at all, or after a delay if a new owner proved it
 * by its own key, so that it can store a credential first. Its badges are reconsidered even if this process dies now.
 * Requests of another owner are dropped.
 */
export async function beginClock(
  db: Db,
  agent: string,
  given: {
    readonly settings: AgentSettings | undefined;
    readonly isOtherOwner: boolean;
    readonly isByKey: boolean;
  },
  now: number,
): Promise<void> {
  const isTested = given.settings !== undefined && isMonitored(given.settings);
  if (given.isOtherOwner) await dropRequest(db, agent);
  const first = given.isOtherOwner && given.isByKey ? now + FIRST_TEST_DELAY_MS : now;
  await writeTimes(db, agent, { next_run_at: isTested ? first : null, reconsider_at: now });
}

/** The agent has no owner any more: it is not tested, and its badges are reconsidered. */
export async function endClock(db: Db, agent: string, now: number): Promise<void> {
  await db
    .updateTable('run_schedule')
    .set({ ...NO_REQUEST, next_run_at: null, reconsider_at: now })
    .where('agent', '=', agent)
    .execute();
}

/**
 * Settings have changed. An agent that is not tested any more is never due, and one that is tested again is due at once:
 * it does not keep its place in the queue. Opting out drops requests. Badges are reconsidered, as the process that
 * changed the settings may die before it does so.
 */
export async function adjustClock(
  db: Db,
  agent: string,
  { settings, isOwned }: { readonly settings: AgentSettings; readonly isOwned: boolean },
  now: number,
): Promise<void> {
  if (settings.optedOut) await dropRequest(db, agent);
  if (!isOwned) return;
  await db
    .updateTable('run_schedule')
    .set((row) => ({
      reconsider_at: now,
      next_run_at: isMonitored(settings) ? row.fn.coalesce('next_run_at', row.val(now)) : null,
    }))
    .where('agent', '=', agent)
    .execute();
}

/**
 * An owned agent that could not be tested for lack of a credential has one now: it is due as soon as a run on demand is
 * allowed, if it is tested by the schedule and not due sooner.
 */
export async function makeDueSooner(
  db: Db,
  agent: string,
  { standing, settings }: Pick<ComplianceState, 'standing' | 'settings'>,
  now: number,
): Promise<void> {
  if (!lackedCredential(standing) || !isMonitored(settings)) return;
  const at = now + runNowWait(standing, now);
  await db
    .updateTable('run_schedule')
    .set({ next_run_at: at })
    .where('agent', '=', agent)
    .where('next_run_at', '>', at)
    .execute();
}

/** Memberships have changed, and with them perhaps the badges of their agents. */
export async function reconsiderSoon(db: Db, members: readonly string[], now: number): Promise<void> {
  // leases lock the rows in the same order
  const locked = await db
    .selectFrom('run_schedule')
    .select('agent')
    .where('agent', 'in', (row) =>
      row
        .selectFrom('registration')
        .select('registration.agent')
        .where('member', 'in', listOf(db, members))
        .where('proven_at', 'is not', null),
    )
    .where('reconsider_at', 'is not', null)
    .orderBy('agent')
    .forUpdate()
    .execute();
  if (locked.length === 0) return;
  const agents = locked.map(({ agent }) => agent);
  await db
    .updateTable('run_schedule')
    .set({ reconsider_at: now })
    .where('agent', 'in', listOf(db, agents))
    .execute();
}

/** Agents whose badges are to be reconsidered. */
export async function agentsToReconsider(db: Db, limit: number, now: number): Promise<readonly string[]> {
  const schedules = db
    .selectFrom('run_schedule')
    .select('agent')
    .orderBy('reconsider_at')
    .orderBy('agent')
    .limit(limit);
  const old = await schedules.where('reconsider_at', '<=', now).execute();
  const tooFarAhead = await schedules.where('reconsider_at', '>', now + LONGEST_MS).execute();
  return [...old, ...tooFarAhead].slice(0, limit).map(({ agent }) => agent);
}

/** Puts off the reconsideration of an agent's badges. */
export async function reconsiderLater(db: Db, agent: string, at: number): Promise<void> {
  await db
    .updateTable('run_schedule')
    .set({ reconsider_at: at })
    .where('agent', '=', agent)
    .where('reconsider_at', 'is not', null)
    .execute();
}

/** Drops the request for a run: the one with this id, or any. */
export async function dropRequest(db: Db, agent: string, runId?: string): Promise<void> {
  const drop = db.updateTable('run_schedule').set(NO_REQUEST).where('agent', '=', agent);
  await (runId === undefined ? drop : drop.where('asked_run', '=', runId)).execute();
}

interface Times {
  readonly next_run_at: number | null;
  readonly reconsider_at: number | null;
}

async function writeTimes(db: Db, agent: string, times: Times): Promise<void> {
  await db
    .insertInto('run_schedule')
    .values({ agent, registrable_domain: registrableDomainOf(agent), ...times, fence: 0, lease_until: 0 })
    .onConflict((known) => known.column('agent').doUpdateSet(times))
    .execute();
}
