import { type ExpressionBuilder, expressionBuilder, type SelectQueryBuilder } from 'kysely';
import { present } from '../../base/json.ts';
import { DEFAULT_SETTINGS, MONITORED_STAGES } from '../../domain/compliance.ts';
import type { RunSchedule } from '../../ports/run-schedule.ts';
import { LONGEST_LEASE_MS } from '../locks.ts';
import { PAGE_ROWS, pageByPage, type RowSelection } from '../row-selection.ts';
import type { AgentSettingsTable } from '../schema-agents.ts';
import { call, runTask, type SqlStore, type SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';

type Choices = Pick<AgentSettingsTable, 'opted_out' | 'monitoring_paused' | 'lifecycle_stage'>;
/** Conditions on `agent_settings as chosen`. */
const OF_CHOICES = expressionBuilder<{ chosen: Choices }, 'chosen'>();

/** An agent to be tested, by the clock or because somebody asked. */
export interface DueRunRow {
  readonly key: string;
  readonly registrable_domain: string;
  /** Since when it is due, or when it was asked for. */
  readonly at: number;
}

/** The moment, and what a lease cannot reach from there. */
export interface LeaseMoment {
  readonly now: number;
  readonly far: number;
}

interface Behind extends LeaseMoment {
  readonly afterAt: number;
  readonly afterKey: string;
  /** Registrable domains that are passed over. */
  readonly without: readonly string[];
}

type Which = 'all' | 'free';
type Offer = (now: number, selection: RowSelection<DueRunRow>) => SqlTask<void>;

/** Agents with a proven owner that has not opted out, whose time has come or who were asked for, and that nobody holds. */
export interface RunOffers {
  /** Offers those whose time has come, longest overdue first, until the selection is full. */
  readonly byClock: Offer;
  /** Offers those that were asked for, in that order. */
  readonly asked: Offer;
}

/** `free`: without those whose registrable domain somebody has the turn of, or that has to pause. */
export function createDueRuns(store: SqlStore, which: Which): RunOffers {
  const clockPage = prepare(store, (param: Param<Behind>) => clockRuns(param, which));
  const askedPage = prepare(store, (param: Param<Behind>) => askedRuns(param, which));
  const offerFrom =
    (pages: typeof clockPage): Offer =>
    (now, selection) => {
      const page = (last: DueRunRow | undefined) =>
        pages.all({
          ...leaseMomentOf(now),
          afterAt: last?.at ?? -1,
          afterKey: last?.key ?? '',
          without: selection.refused(),
        });
      return call((db) =>
        pageByPage<DueRunRow>(
          (last) => runTask(db, page(last)),
          (row) => selection.offer(row),
        ),
      );
    };
  return { byClock: offerFrom(clockPage), asked: offerFrom(askedPage) };
}

export function leaseMomentOf(now: number): LeaseMoment {
  return { now, far: now + LONGEST_LEASE_MS };
}

/** Schedules of agents that may be tested: somebody has proven to own them, and has not opted out (docs/operating/heartbeat.md). */
export function consentedRuns() {
  return sql
    .selectFrom('run_schedule')
    .innerJoin('registration', 'registration.agent', 'run_schedule.agent')
    .innerJoin('ownership', (join) =>
      join
        .onRef('ownership.agent', '=', 'registration.agent')
        .onRef('ownership.member', '=', 'registration.member'),
    )
    .leftJoin('agent_settings as chosen', 'chosen.agent', 'run_schedule.agent')
    .where(isChosen('opted_out', [0], DEFAULT_SETTINGS.optedOut ? 1 : 0));
}

type Consented = ReturnType<typeof consentedRuns>;
type Row =
  Consented extends SelectQueryBuilder<infer All, infer From, unknown> ? ExpressionBuilder<All, From> : never;

/** Whether nobody holds it. */
export function isFree(row: Row, param: Param<LeaseMoment>) {
  return row.or([
    row('run_schedule.lease_until', '<=', param('now')),
    row('run_schedule.lease_until', '>', param('far')),
  ]);
}

/** Whether the clock wants it (docs/operating/heartbeat.md). */
export function isDue(row: Row, param: Param<Pick<LeaseMoment, 'now'>>) {
  const { monitoringPaused, lifecycleStage } = DEFAULT_SETTINGS;
  return row.and([
    row('run_schedule.next_run_at', '<=', param('now')),
    isChosen('monitoring_paused', [0], monitoringPaused ? 1 : 0),
    isChosen('lifecycle_stage', MONITORED_STAGES, lifecycleStage),
  ]);
}

/**
 * Whether the owner's choice, or what is so without one, is among these. Not by `coalesce`, of which PostgreSQL believes
 * that it holds for one agent in 200: it would read and sort all that is due for each page.
 */
function isChosen<Name extends keyof Choices>(
  name: Name,
  those: readonly Choices[Name][],
  otherwise: Choices[Name],
) {
  const column = sql.dynamic.ref<`chosen.${Name}`>(`chosen.${name}`);
  const chosen = OF_CHOICES(column, 'in', those);
  return those.includes(otherwise) ? OF_CHOICES.or([OF_CHOICES(column, 'is', null), chosen]) : chosen;
}

function clockRuns(param: Param<Behind>, which: Which) {
  return page(param, which, 'next_run_at').where((row) => isDue(row, param));
}

function askedRuns(param: Param<Behind>, which: Which) {
  return page(param, which, 'asked_at').where('run_schedule.asked_at', 'is not', null);
}

function page(param: Param<Behind>, which: Which, time: 'next_run_at' | 'asked_at') {
  const at = `run_schedule.${time}` as const;
  const behind = consentedRuns()
    .where((row) => isFree(row, param))
    .where((row) =>
      row(row.refTuple(at, 'run_schedule.agent'), '>', row.tuple(param('afterAt'), param('afterKey'))),
    )
    .where('run_schedule.registrable_domain', 'not in', param.list('without'))
    .select(['run_schedule.agent as key', 'run_schedule.registrable_domain'])
    .select((row) => row.ref(at).$castTo<number>().as('at'))
    .orderBy(at)
    .orderBy('run_schedule.agent')
    .limit(PAGE_ROWS);
  return which === 'all' ? behind : behind.where((row) => isUnclaimed(row, param));
}

/** A claim that ran out is nobody's; a pause is kept as a claim of nobody until it may be had again. */
function isUnclaimed(row: Row, param: Param<LeaseMoment>) {
  const claims = row.selectFrom('domain_turn').select('domain_turn.registrable_domain');
  return row(
    'run_schedule.registrable_domain',
    'not in',
    claims
      .where('domain_turn.until', '>', param('now'))
      .where('domain_turn.until', '<=', param('far'))
      .where('domain_turn.yields', '=', 0), // work for a caller yields to a run that asks for the turn
  );
}

/** How much waits, by the clock and because somebody asked. */
export function createDueCount(store: SqlStore): Pick<RunSchedule, 'countDue'> {
  const selectDue = prepare(store, waitingByClock);
  const selectAsked = prepare(store, waitingAsked);
  return {
    countDue: (now) =>
      store.read(function* () {
        const due = yield* selectDue.first(leaseMomentOf(now));
        const asked = yield* selectAsked.first(leaseMomentOf(now));
        return { due: due?.n ?? 0, asked: asked?.n ?? 0, ...present({ oldestAt: due?.oldest }) };
      }),
  };
}

function waitingByClock(param: Param<LeaseMoment>) {
  return consentedRuns()
    .where((row) => isFree(row, param))
    .where((row) => isDue(row, param))
    .select((row) => row.fn.count<number>('run_schedule.agent').as('n'))
    .select((row) => row.fn.min('run_schedule.next_run_at').as('oldest'));
}

function waitingAsked(param: Param<LeaseMoment>) {
  return consentedRuns()
    .where((row) => isFree(row, param))
    .where('run_schedule.asked_at', 'is not', null)
    .select((row) => row.fn.count<number>('run_schedule.agent').as('n'));
}
