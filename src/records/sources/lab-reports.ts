import type { LabResult } from '../../domain/lab-report.ts';
import type { Db, RecordsDatabase } from '../database.ts';
import { lockAlone } from '../locks.ts';
import type { Tables } from '../tables.ts';

/** A requested exam of an agent. Times are epoch milliseconds. */
export interface LabReport {
  /** Cannot be guessed: it grants access to the report. */
  readonly id: string;
  /** Canonical URL. */
  readonly agent: string;
  readonly askedAt: number;
  /** Absent: it is under way, or was lost with its process. */
  readonly result?: LabResult;
}

interface WantedReport extends Pick<LabReport, 'id' | 'agent'> {
  readonly freshMs: number;
  readonly lostMs: number;
}

const DAY_MS = 86_400_000;
export const LAB_REPORT_DAYS = 90;
const OF_AN_AGENT = 20;
const OF_ALL = 20_000;
/** The most rows that one new report deletes. */
const DELETED_AT_ONCE = 100;

type ReportRow = Tables['lab_report'];

/** The reports of the lab, kept for 90 days: the last 20 of an agent, and the last 20,000 in total. */
export function createLabReports(database: RecordsDatabase) {
  return {
    /** The newest one of this agent that is younger than `freshMs`, or than `lostMs` where it has no result. */
    fresh: (wanted: Omit<WantedReport, 'id'>, now: number) =>
      database.read((db) => freshReport(db, wanted, now)),
    /** Begins one, unless there is a fresh one; then returns that one. */
    begin: (wanted: WantedReport, now: number) => database.durably((db) => beginReport(db, wanted, now)),
    /** Stores the result; without one, deletes the exam. */
    finish: (id: string, result: LabResult | undefined) =>
      database.durably((db) => finishReport(db, id, result)),
    /** Undefined for an unknown one, and for one that is too old. */
    find: (id: string, now: number) =>
      database.read(async (db) => {
        const row = await db
          .selectFrom('lab_report')
          .selectAll()
          .where('id', '=', id)
          .where('asked_at', '>', now - LAB_REPORT_DAYS * DAY_MS)
          .executeTakeFirst();
        return row && reportOf(row);
      }),
  };
}

export type LabReports = ReturnType<typeof createLabReports>;

async function freshReport(
  db: Db,
  { agent, freshMs, lostMs }: Omit<WantedReport, 'id'>,
  now: number,
): Promise<LabReport | undefined> {
  const newest = await db
    .selectFrom('lab_report')
    .selectAll()
    .where('agent', '=', agent)
    .where('asked_at', '>', now - freshMs)
    .where('asked_at', '<=', now) // a later one is of a clock that was put back
    .where((row) => row.or([row('value', 'is not', null), row('asked_at', '>', now - lostMs)]))
    .orderBy('asked_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return newest && reportOf(newest);
}

async function beginReport(
  db: Db,
  wanted: WantedReport,
  now: number,
): Promise<{ readonly begun: boolean; readonly report: LabReport }> {
  await lockAlone(db, 'labReport');
  const known = await freshReport(db, wanted, now);
  if (known !== undefined) return { begun: false, report: known };
  const { id, agent } = wanted;
  await deleteOldest(db, agent);
  const row = { id, agent, asked_at: now, value: null };
  await db.insertInto('lab_report').values(row).execute();
  return { begun: true, report: reportOf(row) };
}

async function finishReport(db: Db, id: string, result: object | undefined): Promise<void> {
  if (result === undefined) {
    await db.deleteFrom('lab_report').where('id', '=', id).execute();
    return;
  }
  const value = JSON.stringify(result);
  await db.updateTable('lab_report').set({ value }).where('id', '=', id).execute();
}

/** Makes room for one more report, of the agent and in total. */
async function deleteOldest(db: Db, agent: string): Promise<void> {
  const newestFirst = db
    .selectFrom('lab_report')
    .select('id')
    .orderBy('asked_at', 'desc')
    .limit(DELETED_AT_ONCE);
  const tooManyOfAgent = newestFirst.where('agent', '=', agent).offset(OF_AN_AGENT - 1);
  const tooMany = newestFirst.offset(OF_ALL - 1);
  await db.deleteFrom('lab_report').where('id', 'in', tooManyOfAgent).execute();
  await db.deleteFrom('lab_report').where('id', 'in', tooMany).execute();
}

function reportOf({ id, agent, asked_at: askedAt, value }: ReportRow): LabReport {
  return { id, agent, askedAt, ...(value !== null && { result: JSON.parse(value) }) };
}
