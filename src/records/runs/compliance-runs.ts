import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import type { JudgedRun } from '../../domain/judged-run.ts';
import type { Db } from '../database.ts';
import type { ComplianceRunTable } from '../tables.ts';

/** A judged run with the time at which it began, as the records keep it without its steps. */
export interface KeptRun extends JudgedRun {
  /** RFC 3339, UTC, milliseconds. */
  readonly started_at: string;
  /** It was recorded elsewhere, so its steps were never stored here. */
  readonly imported: boolean;
}

/** The same, with the steps and their evidence. Only for the owner. */
export interface EvidencedRun extends KeptRun {
  /** The whole run as the runner made it; null when it was imported, or is past its time. */
  readonly report: RunReport | null;
}

/** The runner's own record, stored unchanged; `shortened` if parts of it were too large to store. */
export interface RunReport {
  readonly shortened?: 'evidence' | 'steps';
  readonly [member: string]: unknown;
}

/** A place in an agent's history: a run is behind it when it began earlier, or at once with a smaller id. */
export interface HistoryPlace {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly id: string;
}

export interface HistoryPage {
  readonly limit: number;
  readonly before?: HistoryPlace;
  /** With dry runs, those of some storyboards only, and those of bundles in preview. Default false. */
  readonly includeHidden?: boolean;
}

/** The rows of runs, and the packed reports that are their evidence. */

type NewRun = JudgedRun & { readonly started_at: string };

/** Keeps a run with its packed report, or an imported one. */
export async function insertRun(
  db: Db,
  agent: string,
  run: NewRun,
  evidence: Uint8Array | 'imported',
): Promise<void> {
  await db
    .insertInto('compliance_run')
    .values(rowOf(agent, run, evidence))
    .execute();
}

/** All columns but the evidence, which is large. */
const RUN_COLUMNS = ['started_at', 'imported', 'judged'] as const;

/** An agent's runs, newest first. */
export async function pageOfRuns(
  db: Db,
  agent: string,
  { limit, before, includeHidden = false }: HistoryPage,
): Promise<readonly KeptRun[]> {
  let runs = db.selectFrom('compliance_run').select(RUN_COLUMNS).where('agent', '=', agent);
  if (!includeHidden) runs = runs.where('hidden', '=', 0);
  if (before !== undefined)
    runs = runs.where((row) =>
      row.or([
        row('started_at', '<', before.startedAt),
        row.and([row('started_at', '=', before.startedAt), row('id', '<', before.id)]),
      ]),
    );
  const rows = await runs.orderBy('started_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
  return rows.map(keptRun);
}

/** All of them, oldest first. */
export async function wholeHistory(db: Db, agent: string): Promise<readonly KeptRun[]> {
  const runs = db.selectFrom('compliance_run').select(RUN_COLUMNS).where('agent', '=', agent);
  return (await runs.orderBy('started_at').orderBy('id').execute()).map(keptRun);
}

export async function findRun(db: Db, agent: string, id: string): Promise<KeptRun | undefined> {
  const runs = db.selectFrom('compliance_run').select(RUN_COLUMNS).where('agent', '=', agent);
  const row = await runs.where('id', '=', id).executeTakeFirst();
  return row && keptRun(row);
}

/** A run with its packed report; null if it was imported or is past its time. */
export async function findRunWithEvidence(db: Db, agent: string, id: string) {
  const row = await db
    .selectFrom('compliance_run')
    .select([...RUN_COLUMNS, 'evidence'])
    .where('agent', '=', agent)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && { run: keptRun(row), evidence: row.evidence };
}

function keptRun(row: Pick<ComplianceRunTable, (typeof RUN_COLUMNS)[number]>): KeptRun {
  return {
    ...(JSON.parse(row.judged) as JudgedRun),
    started_at: new Date(row.started_at).toISOString(),
    imported: row.imported === 1,
  };
}

/** True for a run that is not shown to the public. */
function isHidden({ dry_run, partial, role }: JudgedRun): boolean {
  return dry_run || partial === true || role === 'preview';
}

/** Without the steps of a whole run, which are its evidence. */
function rowOf(agent: string, run: NewRun, evidence: Uint8Array | 'imported'): ComplianceRunTable {
  const imported = evidence === 'imported';
  return {
    agent,
    id: run.run_id,
    started_at: Date.parse(run.started_at),
    finished_at: Date.parse(run.finished_at),
    hidden: isHidden(run) ? 1 : 0,
    imported: imported ? 1 : 0,
    passing: run.verdict.status === 'passing' ? 1 : 0,
    judged: JSON.stringify(judgedPart(run)),
    evidence: imported ? null : evidence,
  };
}

function judgedPart(run: NewRun): JudgedRun {
  return {
    run_id: run.run_id,
    finished_at: run.finished_at,
    trigger: run.trigger,
    dry_run: run.dry_run,
    ...(run.partial === true && { partial: true }),
    ...(run.role && { role: run.role }),
    outcome: run.outcome,
    ...(run.inconclusive && { inconclusive: run.inconclusive }),
    ...(run.unreachable && { unreachable: run.unreachable }),
    requested_compliance_target: run.requested_compliance_target,
    proto_version: run.proto_version,
    verdict: run.verdict,
  };
}

const deflated = promisify(deflate);
const inflated = promisify(inflate);

/** The largest report as JSON; a run of all storyboards has some hundred KiB. */
const MAX_REPORT_BYTES = 4 << 20;
/** With `shortened`. */
const MAX_READ_BYTES = MAX_REPORT_BYTES + 1_024;

/** A run as bytes to keep: whole, else without requests and answers, else without its steps. */
export async function packReport(report: object): Promise<Uint8Array> {
  return deflated(fitting(report));
}

/** The run of such bytes. */
export async function unpackReport(bytes: Uint8Array): Promise<RunReport> {
  const text = await inflated(bytes, { maxOutputLength: MAX_READ_BYTES });
  return JSON.parse(text.toString()) as RunReport;
}

function fitting(report: object): Buffer {
  const whole = Buffer.from(JSON.stringify(report));
  if (whole.length <= MAX_REPORT_BYTES) return whole;
  const plain = Buffer.from(JSON.stringify({ shortened: 'evidence', ...withoutEvidence(report) }));
  if (plain.length <= MAX_REPORT_BYTES) return plain;
  const { run_id, agent_url, started_at, finished_at, outcome } = report as Readonly<Record<string, unknown>>;
  return Buffer.from(
    JSON.stringify({ shortened: 'steps', run_id, agent_url, started_at, finished_at, outcome, steps: [] }),
  );
}

function withoutEvidence(report: object): object {
  const { steps } = report as { readonly steps?: unknown };
  if (!Array.isArray(steps)) return report;
  const bare = steps.map((step: object) => ({ ...step, evidence: undefined }));
  return { ...report, steps: bare };
}
