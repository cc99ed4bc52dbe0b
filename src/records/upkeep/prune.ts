import { setImmediate } from 'node:timers/promises';
import type { PruneCounts } from '../../ports/records.ts';
import { type SqlStore, type SqlTask, together, UNHURRIED } from '../sql-tasks.ts';
import { all, type Param, prepare, sql } from '../statements.ts';
import { pruneBodies, pruneExposed } from './prune-contents.ts';
import { pruneEdgeLog } from './prune-edge-log.ts';
import { pruneLeftovers } from './prune-leftovers.ts';
import { pruneProbes } from './prune-probes.ts';
import { pruneTombstones } from './prune-tombstones.ts';

const DAY_MS = 86_400_000;
const CAPTURE_DAYS = 30;
const PROBE_DAYS = 90;
const TOMBSTONE_DAYS = 30;
const RUN_DAYS = 90;
/** Of passing runs; of the others it goes with the run. */
const EVIDENCE_DAYS = 30;
/** Rows deleted in one transaction, so that other writers and the event loop get their turn. */
const CHUNK = 10_000;
/** A run takes its evidence with it, and marks its agent. */
const RUN_CHUNK = 1_000;

/**
 * Deletes captures that no visit got again for 30 days, probes of days that are over for 90, tombstones older than 30 (neither declared nor
 * registered, and out of the list), bodies that neither a capture nor a declaration refers to any more, compliance runs
 * older than 90 except the one that an agent shows, the evidence of passing runs older than 30, and rows of the edge log
 * that tell nobody anything.
 */
export async function pruneRecords(store: SqlStore, now: number): Promise<PruneCounts> {
  const captures = await pruneCaptures(store, now - CAPTURE_DAYS * DAY_MS);
  const observations = await pruneProbes(store, now - PROBE_DAYS * DAY_MS);
  const tombstones = await pruneTombstones(store, now - TOMBSTONE_DAYS * DAY_MS);
  const bodies = await pruneBodies(store, now);
  await pruneExposed(store);
  const evidence = await inChunks(() => pruneEvidence(store, now - EVIDENCE_DAYS * DAY_MS, CHUNK));
  const runs = await inChunks(() => pruneRuns(store, now - RUN_DAYS * DAY_MS, RUN_CHUNK), RUN_CHUNK);
  const edgeChanges = await pruneEdgeLog(store);
  await pruneLeftovers(store, now);
  return { captures, observations, tombstones, bodies, runs, evidence, edgeChanges };
}

async function inChunks(deleteSome: () => Promise<number>, chunk = CHUNK): Promise<number> {
  for (let total = 0; ; ) {
    const deleted = await deleteSome();
    total += deleted;
    if (deleted < chunk) return total;
    await setImmediate();
  }
}

/** An answer that a visit still gets stays, since whenever it has been so; each chunk goes on behind the one before. */
async function pruneCaptures(store: SqlStore, before: number): Promise<number> {
  const drop = prepare(store, oldCaptures);
  for (let [total, after] = [0, 0]; ; ) {
    const deleted = await store.transaction(() => drop.all({ before, after }), UNHURRIED);
    total += deleted.length;
    if (deleted.length < CHUNK) return total;
    after = deleted.reduce((last, { id }) => Math.max(last, id), after);
    await setImmediate();
  }
}

function oldCaptures(param: Param<{ before: number; after: number }>) {
  const old = sql
    .selectFrom('capture')
    .select('id')
    .where('id', '>', param('after'))
    .where('at', '<', param('before'))
    .where((row) => row(row.fn.coalesce('last_seen_at', 'at'), '<', param('before')))
    .orderBy('id')
    .limit(CHUNK);
  return sql.deleteFrom('capture').where('id', 'in', old).returning('id');
}

interface OldRun {
  readonly agent: string;
  readonly id: string;
}

/** Deletes the evidence of passing runs that began before; returns how many, at most `most`. */
function pruneEvidence(store: SqlStore, before: number, most: number): Promise<number> {
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
  }, UNHURRIED);
}

/**
 * Deletes runs that began before, with their evidence; the one that an agent shows stays. From then on the agent's
 * history alone does not give its standing.
 */
function pruneRuns(store: SqlStore, before: number, most: number): Promise<number> {
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
  }, UNHURRIED);
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
