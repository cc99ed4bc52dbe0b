import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import type { JudgedRun } from '../../domain/judged-run.ts';
import type { HistoryPage, KeptRun, RunReport } from '../../ports/compliance.ts';
import type { ComplianceRunTable } from '../schema-agents.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { all, first, type Param, prepare, sql } from '../statements.ts';

type NewRun = JudgedRun & { readonly started_at: string };

export function createRunWriter(store: SqlStore) {
  const insert = prepare(store, (param: Param<ComplianceRunTable>) =>
    sql.insertInto('compliance_run').values({
      agent: param('agent'),
      id: param('id'),
      started_at: param('started_at'),
      finished_at: param('finished_at'),
      triggered_by: param('triggered_by'),
      aside: param('aside'),
      imported: param('imported'),
      judged: param('judged'),
    }),
  );
  return (agent: string, run: NewRun, imported: boolean): SqlTask<number> =>
    insert.run(rowOf(agent, run, imported));
}

/** An agent's runs, newest first. */
export function pageOfRuns(
  store: SqlStore,
  agent: string,
  { limit, before, withAsides = false }: HistoryPage,
): SqlTask<ComplianceRunTable[]> {
  const runs = sql.selectFrom('compliance_run').selectAll().where('agent', '=', agent);
  const wanted = withAsides ? runs : runs.where('aside', '=', 0);
  const behind =
    before === undefined
      ? wanted
      : wanted.where((row) =>
          row.or([
            row('started_at', '<', before.startedAt),
            row.and([row('started_at', '=', before.startedAt), row('id', '<', before.id)]),
          ]),
        );
  return all(store, behind.orderBy('started_at', 'desc').orderBy('id', 'desc').limit(limit));
}

/** All of them, oldest first. */
export function* wholeHistory(store: SqlStore, agent: string): SqlTask<readonly KeptRun[]> {
  const runs = sql.selectFrom('compliance_run').selectAll().where('agent', '=', agent);
  return (yield* all(store, runs.orderBy('started_at').orderBy('id'))).map(keptRun);
}

export function* oneRun(store: SqlStore, agent: string, id: string): SqlTask<KeptRun | undefined> {
  const runs = sql.selectFrom('compliance_run').selectAll().where('agent', '=', agent);
  const row = yield* first(store, runs.where('id', '=', id));
  return row && keptRun(row);
}

export function keptRun(row: ComplianceRunTable): KeptRun {
  return {
    ...(JSON.parse(row.judged) as JudgedRun),
    started_at: new Date(row.started_at).toISOString(),
    imported: row.imported === 1,
  };
}

/** True for a run that the public is not shown. */
function isAside({ dry_run, partial, role }: JudgedRun): boolean {
  return dry_run || partial === true || role === 'preview';
}

/** Only what a judged run is made of: the steps of a whole run are its evidence. */
function rowOf(agent: string, run: NewRun, imported: boolean): ComplianceRunTable {
  return {
    agent,
    id: run.run_id,
    started_at: Date.parse(run.started_at),
    finished_at: Date.parse(run.finished_at),
    triggered_by: run.trigger,
    aside: isAside(run) ? 1 : 0,
    imported: imported ? 1 : 0,
    judged: JSON.stringify(judgedPart(run)),
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

/** Of a run as JSON; a run of all storyboards is some hundred KiB. */
const MAX_REPORT_BYTES = 4 << 20;
/** The mark that it is shortened comes on top. */
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
