import type { LabReport, LabReports, WantedReport } from '../../ports/lab-reports.ts';
import { lockAlone } from '../locks.ts';
import type { Tables } from '../schema.ts';
import { call, type SqlStore, type SqlTask } from '../sql-tasks.ts';
import { first, run, sql } from '../statements.ts';

const DAY_MS = 24 * 3_600_000;
export const LAB_REPORT_DAYS = 90;
const OF_AN_AGENT = 20;
const OF_ALL = 20_000;
/** The rows that a new one may push out. */
const FORGOTTEN_AT_ONCE = 100;

type ReportRow = Tables['lab_report'];

/** Seldom asked for, so nothing of it is kept prepared. */
export function createLabReports(store: SqlStore): LabReports {
  function* fresh(
    { agent, freshMs, lostMs }: Omit<WantedReport, 'id'>,
    now: number,
  ): SqlTask<LabReport | undefined> {
    const newest = sql
      .selectFrom('lab_report')
      .selectAll()
      .where('agent', '=', agent)
      .where('asked_at', '>', now - freshMs)
      .where('asked_at', '<=', now) // later is of a clock that was put back
      .where((row) => row.or([row('value', 'is not', null), row('asked_at', '>', now - lostMs)]))
      .orderBy('asked_at', 'desc')
      .limit(1);
    const known = yield* first(store, newest);
    return known && reportOf(known);
  }
  function* begin(
    wanted: WantedReport,
    now: number,
  ): SqlTask<{ readonly begun: boolean; readonly report: LabReport }> {
    yield* call((db) => lockAlone(db, 'labReport'));
    const known = yield* fresh(wanted, now);
    if (known !== undefined) return { begun: false, report: known };
    const { id, agent } = wanted;
    yield* forgetOldest(store, agent);
    const row = { id, agent, asked_at: now, value: null };
    yield* run(store, sql.insertInto('lab_report').values(row));
    return { begun: true, report: reportOf(row) };
  }
  return {
    fresh: (wanted, now) => store.read(() => fresh(wanted, now)),
    begin: (wanted, now) => store.durably(() => begin(wanted, now)),
    async finish(id, result) {
      const kept = sql.updateTable('lab_report').set({ value: JSON.stringify(result) });
      const gone = sql.deleteFrom('lab_report');
      await store.durably(() =>
        run(store, result === undefined ? gone.where('id', '=', id) : kept.where('id', '=', id)),
      );
    },
    async find(id, now) {
      const wanted = sql
        .selectFrom('lab_report')
        .selectAll()
        .where('id', '=', id)
        .where('asked_at', '>', now - LAB_REPORT_DAYS * DAY_MS);
      const row = await store.read(() => first(store, wanted));
      return row === undefined ? undefined : reportOf(row);
    },
  };
}

/** Room for one more, of the agent and of all. */
function* forgetOldest(store: SqlStore, agent: string): SqlTask<void> {
  const newestFirst = sql.selectFrom('lab_report').select('id').orderBy('asked_at', 'desc');
  const tooMany = [
    newestFirst
      .where('agent', '=', agent)
      .limit(FORGOTTEN_AT_ONCE)
      .offset(OF_AN_AGENT - 1),
    newestFirst.limit(FORGOTTEN_AT_ONCE).offset(OF_ALL - 1),
  ];
  for (const ids of tooMany) yield* run(store, sql.deleteFrom('lab_report').where('id', 'in', ids));
}

function reportOf({ id, agent, asked_at: askedAt, value }: ReportRow): LabReport {
  return { id, agent, askedAt: Number(askedAt), ...(value !== null && { result: JSON.parse(value) }) };
}
