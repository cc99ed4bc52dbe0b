import { sql as rawSql } from 'kysely';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';
import { countPacked, dayOf, type KeptProbe, MAX_OF_DAY, unpacked } from './packed-probes.ts';

/** Epoch milliseconds, both ends included. */
export interface LogPeriod {
  readonly from: number;
  readonly until: number;
}

interface ProbeLog {
  /** Oldest first. */
  readonly probes: readonly KeptProbe[];
  /** A day was full: what came later on it is not there. */
  readonly isCut: boolean;
}

/** Probes are kept for 90 days and looked at with those of the day before; what is asked beyond is empty. */
const MAX_DAYS = 100;

/** Reads an agent's probes of a period: one statement, with one look for each day. */
export function createProbeLog(store: SqlStore): (agent: string, period: LogPeriod) => SqlTask<ProbeLog> {
  const select = prepare(store, daysOfAgent);
  return function* (agent, { from, until }) {
    const last = dayOf(until);
    const days = yield* select.all({ agent, first: Math.max(dayOf(from), last - MAX_DAYS), last });
    const probes = unpacked(days).filter(({ at }) => at >= from && at <= until);
    return { probes, isCut: days.some((day) => countPacked(day) >= MAX_OF_DAY) };
  };
}

function daysOfAgent(param: Param<{ agent: string; first: number; last: number }>) {
  return eachDay(param)
    .selectFrom('day')
    .innerJoin('probe_day', 'probe_day.day', 'day.number')
    .select(['probe_day.day', 'probe_day.probes'])
    .where('probe_day.agent', '=', param('agent'))
    .unionAll(
      sql
        .selectFrom('probe_today')
        .select(['day', 'probes'])
        .where('agent', '=', param('agent'))
        .where('day', '>=', param('first'))
        .where('day', '<=', param('last')),
    );
}

/** A table `day` of numbers, so that rows are looked up by their key, which begins with the day. */
export function eachDay(param: Param<{ first: number; last: number }>) {
  const number = (name: 'first' | 'last') => rawSql<number>`cast(${param(name)} as bigint)`;
  return sql.withRecursive('day(number)', (db) =>
    db
      .selectNoFrom(number('first').as('number'))
      .where(number('first'), '<=', number('last'))
      .unionAll(
        db
          .selectFrom('day')
          .select((row) => row('day.number', '+', 1).as('number'))
          .where('day.number', '<', number('last')),
      ),
  );
}
