import { expressionBuilder } from 'kysely';
import { present } from '../../base/json.ts';
import { DEFAULT_SETTINGS, MONITORED_STAGES } from '../../domain/compliance.ts';
import { type Db, listOf } from '../database.ts';
import { isLeaseOver, LONGEST_LEASE_MS } from '../locks.ts';
import { PAGE_ROWS, pageByPage, type RowSelection } from '../row-selection.ts';
import type { AgentSettingsTable, Tables } from '../tables.ts';

export interface DueRuns {
  /** Scheduled runs that are due and not leased. */
  readonly due: number;
  /** When the one that has waited longest became due, epoch milliseconds. */
  readonly oldestAt?: number;
  /** Requested and not begun. */
  readonly asked: number;
}

/**
 * Which agents are to be tested now: those with a proven owner that has not opted out, that are due or have a requested
 * run, and that are under no lease (docs/operating/heartbeat.md).
 */

/** An agent to be tested. */
export interface DueRunRow {
  readonly key: string;
  readonly registrable_domain: string;
  /** Since when it is due, or when the run was requested. */
  readonly at: number;
}

/** Due runs by the schedule, longest overdue first; or requested runs in the order of the requests. */
export type DueTime = 'next_run_at' | 'asked_at';

type Choices = Pick<AgentSettingsTable, 'opted_out' | 'monitoring_paused' | 'lifecycle_stage'>;
/** Conditions on `agent_settings as chosen`. */
const OF_CHOICES = expressionBuilder<{ chosen: Choices }, 'chosen'>();
const OF_SCHEDULE = expressionBuilder<Tables, 'run_schedule'>();

/** Schedules of agents that may be tested: a member has proven to own them, and has not opted out. */
export function consentedRuns(db: Db) {
  return db
    .selectFrom('run_schedule')
    .innerJoin('registration', 'registration.agent', 'run_schedule.agent')
    .leftJoin('agent_settings as chosen', 'chosen.agent', 'run_schedule.agent')
    .where('registration.proven_at', 'is not', null)
    .where(isChosen('opted_out', [0], DEFAULT_SETTINGS.optedOut ? 1 : 0));
}

/** Whether no lease covers this moment. */
export function isFree(now: number) {
  return isLeaseOver(OF_SCHEDULE.ref('run_schedule.lease_until'), now);
}

/** Whether the next run by the schedule has come. */
export function isDue(now: number) {
  const { monitoringPaused, lifecycleStage } = DEFAULT_SETTINGS;
  return OF_SCHEDULE.and([
    OF_SCHEDULE('run_schedule.next_run_at', '<=', now),
    isChosen('monitoring_paused', [0], monitoringPaused ? 1 : 0),
    isChosen('lifecycle_stage', MONITORED_STAGES, lifecycleStage),
  ]);
}

/**
 * Whether a setting, or its default where the owner chose nothing, has one of these values. Not with `coalesce`:
 * PostgreSQL estimates that it holds for one agent in 200, and would read and sort everything that is due for each page.
 */
function isChosen<Name extends keyof Choices>(
  name: Name,
  values: readonly Choices[Name][],
  otherwise: Choices[Name],
) {
  const column = OF_CHOICES.ref(`chosen.${name}`);
  const chosen = OF_CHOICES(column, 'in', values as never);
  return values.includes(otherwise) ? OF_CHOICES.or([OF_CHOICES(column, 'is', null), chosen]) : chosen;
}

/**
 * Offers the agents that are due at `now` to a selection until it is full.
 *
 * @param onlyFreeDomains leaves out registrable domains that another process has the turn of, or that have to pause
 */
export async function offerDueRuns(
  db: Db,
  time: DueTime,
  { now, onlyFreeDomains }: { readonly now: number; readonly onlyFreeDomains: boolean },
  selection: Pick<RowSelection<DueRunRow>, 'offer' | 'refused'>,
): Promise<void> {
  const at = `run_schedule.${time}` as const;
  await pageByPage(
    (last: DueRunRow | undefined) => {
      const page = consentedRuns(db)
        .select(['run_schedule.agent as key', 'run_schedule.registrable_domain'])
        .select((row) => row.ref(at).$castTo<number>().as('at'))
        .where(time === 'next_run_at' ? isDue(now) : OF_SCHEDULE(at, 'is not', null))
        .where(isFree(now))
        .where((row) =>
          row(row.refTuple(at, 'run_schedule.agent'), '>', row.tuple(last?.at ?? -1, last?.key ?? '')),
        )
        .where('run_schedule.registrable_domain', 'not in', listOf(db, selection.refused()))
        .orderBy(at)
        .orderBy('run_schedule.agent')
        .limit(PAGE_ROWS);
      const freePage = page.where(
        'run_schedule.registrable_domain',
        'not in',
        (row) =>
          row
            .selectFrom('domain_turn')
            .select('domain_turn.registrable_domain')
            .where('domain_turn.until', '>', now)
            .where('domain_turn.until', '<=', now + LONGEST_LEASE_MS)
            .where('domain_turn.yields', '=', 0), // work for a caller yields to a run that asks for the turn
      );
      return (onlyFreeDomains ? freePage : page).execute();
    },
    (row) => selection.offer(row),
  );
}

/** How many runs wait, by the schedule and on request. */
export async function countDueRuns(db: Db, now: number): Promise<DueRuns> {
  const due = await consentedRuns(db)
    .select((row) => row.fn.count<number>('run_schedule.agent').as('n'))
    .select((row) => row.fn.min('run_schedule.next_run_at').as('oldest'))
    .where(isFree(now))
    .where(isDue(now))
    .executeTakeFirstOrThrow();
  const asked = await consentedRuns(db)
    .select((row) => row.fn.count<number>('run_schedule.agent').as('n'))
    .where(isFree(now))
    .where('run_schedule.asked_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return { due: due.n, asked: asked.n, ...present({ oldestAt: due.oldest }) };
}
