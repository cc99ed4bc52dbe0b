import { type SqlStore, type SqlTask, together } from '../../sql-tasks.ts';
import { all, type Param, prepare, sql } from '../../statements.ts';

const LOOKING = { longMs: 10 * 60_000 };

interface OldRun {
  readonly agent: string;
  readonly id: string;
}

/** Deletes the evidence of passing runs that began before; returns how many, at most `most`. */
export function pruneEvidence(store: SqlStore, before: number, most: number): Promise<number> {
  const old = sql
    .selectFrom('compliance_evidence')
    .select(['agent', 'run as id'])
    .where('passing', '=', 1)
    .where('at', '<', before);
  const drop = evidenceOf(store);
  return store.transaction(function* () {
    const found = yield* all(store, old.orderBy('at').limit(most));
    yield* together(found.map((one) => drop.run(one)));
    return found.length;
  }, LOOKING);
}

/**
 * Deletes runs that began before, with their evidence; the one that an agent shows stays. From then on the agent's
 * history alone does not give its standing.
 */
export function pruneRuns(store: SqlStore, before: number, most: number): Promise<number> {
  const drop = evidenceOf(store);
  const dropRun = prepare(store, (param: Param<OldRun>) =>
    sql.deleteFrom('compliance_run').where('agent', '=', param('agent')).where('id', '=', param('id')),
  );
  const forget = prepare(store, (param: Param<{ agents: readonly string[] }>) =>
    sql.updateTable('compliance_standing').set({ forgotten: 1 }).where('agent', 'in', param.list('agents')),
  );
  return store.transaction(function* (): SqlTask<number> {
    const found = yield* all(store, oldRuns(before).limit(most));
    yield* together(found.map((one) => drop.run(one)));
    yield* together(found.map((one) => dropRun.run(one)));
    yield* forget.run({ agents: [...new Set(found.map(({ agent }) => agent))].sort() });
    return found.length;
  }, LOOKING);
}

function oldRuns(before: number) {
  return sql
    .selectFrom('compliance_run')
    .leftJoin('compliance_standing as stands', (join) =>
      join
        .onRef('stands.agent', '=', 'compliance_run.agent')
        .onRef('stands.latest_run', '=', 'compliance_run.id'),
    )
    .select(['compliance_run.agent', 'compliance_run.id'])
    .where('started_at', '<', before)
    .where('stands.agent', 'is', null)
    .orderBy('started_at');
}

function evidenceOf(store: SqlStore) {
  return prepare(store, (param: Param<OldRun>) =>
    sql.deleteFrom('compliance_evidence').where('agent', '=', param('agent')).where('run', '=', param('id')),
  );
}
