import { setImmediate } from 'node:timers/promises';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { PruneCounts } from '../../ports/records.ts';
import { BACKGROUND_LIMITS, type Db, listOf, type RecordsDatabase } from '../database.ts';
import { dayOf, PROBE_BYTES } from '../probes/probe-log.ts';
import { LAB_REPORT_DAYS } from '../sources/lab-reports.ts';
import { hourOf } from '../sources/probe-budget.ts';
import { pruneBodies, pruneExposed, pruneTombstones } from './prune-unused.ts';

/* Deleting what is too old to be of use. Each kind is deleted some rows at a time, so that other writers are not blocked. */

const DAY_MS = 86_400_000;
const CAPTURE_DAYS = 30;
const PROBE_DAYS = 90;
const TOMBSTONE_DAYS = 30;
const RUN_DAYS = 90;
/** Of passing runs; the evidence of other runs is deleted with the run. */
const EVIDENCE_DAYS = 30;
/** Of crawl requests. */
const REQUEST_DAYS = 7;
/** Of a named crawl without progress. */
const CRAWL_DAYS = 30;
/** Rows deleted in one transaction. */
const CHUNK = 10_000;
/** A run is deleted with its evidence, and its agent is marked. */
const RUN_CHUNK = 1_000;
/** Changes of its probe results that are kept of each agent, however often it goes on and off. */
const MAX_CHANGES = 100;

/**
 * Deletes captures that no visit has got for 30 days, probes of days that ended 90 days ago, agents that were neither
 * declared nor registered nor listed for 30 days, bodies that neither a capture nor a declaration refers to, compliance
 * runs older than 90 days except the one that an agent shows, the evidence of passing runs older than 30 days, and needless
 * rows of the edge log.
 */
export async function pruneRecords(database: RecordsDatabase, now: number): Promise<PruneCounts> {
  const before = (days: number) => now - days * DAY_MS;
  const captures = await pruneCaptures(database, before(CAPTURE_DAYS));
  const observations = await pruneProbes(database, dayOf(before(PROBE_DAYS)));
  await inChunks(CHUNK, () =>
    database.transaction((db) => pruneProbeChanges(db, before(PROBE_DAYS)), BACKGROUND_LIMITS),
  );
  const tombstones = await pruneTombstones(database, before(TOMBSTONE_DAYS));
  const bodies = await pruneBodies(database, now);
  await pruneExposed(database);
  const evidence = await inChunks(CHUNK, () =>
    database.transaction((db) => pruneEvidence(db, before(EVIDENCE_DAYS)), BACKGROUND_LIMITS),
  );
  const runs = await inChunks(RUN_CHUNK, () =>
    database.transaction((db) => pruneRuns(db, before(RUN_DAYS)), BACKGROUND_LIMITS),
  );
  const edgeChanges = await pruneEdgeLog(database);
  await pruneLeftovers(database, now);
  return { captures, observations, tombstones, bodies, runs, evidence, edgeChanges };
}

/** Calls `deleteSome` until it deletes fewer rows than `chunk`; returns how many it deleted. */
async function inChunks(chunk: number, deleteSome: () => Promise<number>): Promise<number> {
  for (let total = 0; ; ) {
    const deleted = await deleteSome();
    total += deleted;
    if (deleted < chunk) return total;
    await setImmediate();
  }
}

/** A capture that visits still get stays, however old it is. Each chunk continues after the previous one. */
async function pruneCaptures(database: RecordsDatabase, before: number): Promise<number> {
  let after = 0;
  return inChunks(CHUNK, async () => {
    const ids = await database.transaction((db) => deleteCaptures(db, before, after), BACKGROUND_LIMITS);
    after = ids.reduce((last, id) => Math.max(last, id), after);
    return ids.length;
  });
}

async function deleteCaptures(db: Db, before: number, after: number): Promise<readonly number[]> {
  const old = db
    .selectFrom('capture')
    .select('id')
    .where('id', '>', after)
    .where('last_seen_at', '<', before)
    .orderBy('id')
    .limit(CHUNK);
  const deleted = await db
    .deleteFrom('capture')
    .where('id', 'in', old)
    .where('last_seen_at', '<', before) // a visit may extend it meanwhile
    .returning('id')
    .execute();
  return deleted.map(({ id }) => id);
}

/** Returns the number of probes on the deleted days. */
async function pruneProbes(database: RecordsDatabase, firstDay: number): Promise<number> {
  let bytes = 0;
  await inChunks(CHUNK, async () => {
    const deleted = await database.transaction((db) => deleteProbeDays(db, firstDay), BACKGROUND_LIMITS);
    for (const row of deleted) bytes += row.bytes;
    return deleted.length;
  });
  return bytes / PROBE_BYTES;
}

/** In the order of the key, by which the rows lie together. */
function deleteProbeDays(db: Db, firstDay: number): Promise<{ readonly bytes: number }[]> {
  return db
    .deleteFrom('probe_day')
    .where((row) =>
      row(
        row.refTuple('day', 'agent'),
        'in',
        row
          .selectFrom('probe_day')
          .select(['day', 'agent'])
          .where('day', '<', firstDay)
          .orderBy('day')
          .orderBy('agent')
          .limit(CHUNK)
          .$asTuple('day', 'agent'),
      ),
    )
    .returning(sql<number>`length(probes)`.as('bytes'))
    .execute();
}

/** The last change of an agent stays, however old it is: it says what the agent's probes find today. */
async function pruneProbeChanges(db: Db, before: number): Promise<number> {
  const ranked = db
    .selectFrom('probe_change')
    .select(['id', 'at'])
    .select(sql<number>`row_number() over (partition by agent order by at desc, id desc)`.as('nth'));
  const old = db
    .selectFrom(ranked.as('change'))
    .select('change.id')
    .where((row) =>
      row.or([
        row('change.nth', '>', MAX_CHANGES),
        row.and([row('change.nth', '>', 1), row('change.at', '<', before)]),
      ]),
    )
    .limit(CHUNK);
  const { numDeletedRows } = await db.deleteFrom('probe_change').where('id', 'in', old).executeTakeFirst();
  return Number(numDeletedRows);
}

/** Deletes the evidence of passing runs. */
async function pruneEvidence(db: Db, before: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('compliance_run')
    .set({ evidence: null })
    .where((row) =>
      row(
        row.refTuple('agent', 'id'),
        'in',
        row
          .selectFrom('compliance_run')
          .select(['agent', 'id'])
          .where('passing', '=', sql.lit(1)) // as in the index `compliance_run_evidence`
          .where('evidence', 'is not', null)
          .where('started_at', '<', before)
          .orderBy('started_at')
          .limit(CHUNK)
          .$asTuple('agent', 'id'),
      ),
    )
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/**
 * Deletes runs with their evidence, except those that agents show. The agents are marked: their standing no longer follows
 * from the remaining runs alone.
 */
async function pruneRuns(db: Db, before: number): Promise<number> {
  const deleted = await db
    .deleteFrom('compliance_run')
    .where((row) =>
      row(
        row.refTuple('agent', 'id'),
        'in',
        row
          .selectFrom('compliance_run as old')
          .leftJoin('compliance_standing as standing', (join) =>
            join.onRef('standing.agent', '=', 'old.agent').onRef('standing.latest_run', '=', 'old.id'),
          )
          .select(['old.agent', 'old.id'])
          .where('old.started_at', '<', before)
          .where('standing.agent', 'is', null)
          .orderBy('old.started_at')
          .limit(RUN_CHUNK)
          .$asTuple('agent', 'id'),
      ),
    )
    .returning('agent')
    .execute();
  const agents = listOf(db, [...new Set(deleted.map(({ agent }) => agent))].sort());
  await db
    .updateTable('compliance_standing')
    .set({ history_pruned: 1 })
    .where('agent', 'in', agents)
    .execute();
  return deleted.length;
}

/**
 * Deletes rows of the edge log that no reader needs, whatever its cursor: the begin of an entry that has ended, an end
 * before a later end of the same edge and scope, and all rows of a publisher's file except the first and the last. The last
 * row of the log stays: it shows that a cursor belongs to these records.
 */
async function pruneEdgeLog(database: RecordsDatabase): Promise<number> {
  const last = await database.read(async (db) => {
    const { seq } = await db
      .selectFrom('edge_log')
      .select((row) => row.fn.max<number | null>('seq').as('seq'))
      .executeTakeFirstOrThrow();
    return seq ?? 0;
  });
  let total = 0;
  for (let after = 0; after < last - 1; after += CHUNK) {
    const upTo = Math.min(after + CHUNK, last - 1);
    total += await database.transaction((db) => pruneEdgeChanges(db, after, upTo), BACKGROUND_LIMITS);
    await setImmediate();
  }
  return total;
}

async function pruneEdgeChanges(db: Db, after: number, upTo: number): Promise<number> {
  const needless = db
    .selectFrom('edge_log as old')
    .select('old.seq')
    .where('old.seq', '>', after)
    .where('old.seq', '<=', upTo)
    .where((row) => {
      const hasEnded = row.exists(
        row
          .selectFrom('authorisation')
          .select('authorisation.id')
          .whereRef('authorisation.id', '=', 'old.authorisation')
          .where('authorisation.seen_until', 'is not', null),
      );
      const endsAgain = row.exists(
        row
          .selectFrom('edge_log as later')
          .select('later.seq')
          .whereRef('later.agent', '=', 'old.agent')
          .whereRef('later.publisher', '=', 'old.publisher')
          .whereRef('later.scope', '=', 'old.scope')
          .whereRef('later.seq', '>', 'old.seq')
          .where('later.ended_at', 'is not', null),
      );
      /** Whether the log has an earlier (`<`) or a later (`>`) row of the same publisher's file. */
      const hasOther = (side: '<' | '>') =>
        row.exists(
          row
            .selectFrom('edge_log as other')
            .select('other.seq')
            .whereRef('other.publisher', '=', 'old.publisher')
            .whereRef('other.seq', side, 'old.seq')
            .where('other.declaration', 'is not', null),
        );
      return row.or([
        row.and([row('old.ended_at', 'is', null), hasEnded]),
        row.and([row('old.ended_at', 'is not', null), row('old.declaration', 'is', null), endsAgain]),
        row.and([row('old.declaration', 'is not', null), hasOther('<'), hasOther('>')]),
      ]);
    });
  const { numDeletedRows } = await db.deleteFrom('edge_log').where('seq', 'in', needless).executeTakeFirst();
  return Number(numDeletedRows);
}

/**
 * Deletes expired nonces, sessions, claims, robots.txt rules and budgets, and old requests and crawls. If one kind fails,
 * the others are deleted all the same, and this rejects at the end with the first error.
 */
async function pruneLeftovers(database: RecordsDatabase, now: number): Promise<void> {
  const before = (days: number) => now - days * DAY_MS;
  const prune = (work: (db: Db) => Promise<unknown>) => database.transaction(work, BACKGROUND_LIMITS);
  const seconds = Math.floor(now / 1_000);
  const requestedBefore = before(REQUEST_DAYS);
  const reportedBefore = before(LAB_REPORT_DAYS);
  const kinds: readonly (() => Promise<unknown>)[] = [
    () => pruneInOrder(database, 'robots', 'origin', sql`expires_at < ${before(1)}`),
    () => pruneInOrder(database, 'domain_turn', 'registrable_domain', sql`until < ${before(1)}`),
    () => pruneInOrder(database, 'probe_budget', 'registrable_domain', sql`hour < ${hourOf(now) - 1}`),
    () => prune((db) => db.deleteFrom('signature_nonce').where('until', '<', seconds).execute()),
    () => prune((db) => db.deleteFrom('session').where('ends_at', '<=', now).execute()),
    () => prune((db) => db.deleteFrom('crawl_request').where('asked_at', '<', requestedBefore).execute()),
    () => prune((db) => db.deleteFrom('lab_report').where('asked_at', '<', reportedBefore).execute()),
    () => prune((db) => db.deleteFrom('budget_use').where('expire', '<', now).execute()),
    () => pruneCrawls(database, before(CRAWL_DAYS)),
  ];
  const errors: unknown[] = [];
  for (const kind of kinds) await kind().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}

/** Crawls without progress since then, with their frontier. */
async function pruneCrawls(database: RecordsDatabase, since: number): Promise<void> {
  const ofOldRun = sql<SqlBool>`run in (select id from crawl_run where progressed_at < ${since})`;
  await pruneInOrder(database, 'crawl_frontier', 'id', ofOldRun);
  await database.transaction(
    (db) => db.deleteFrom('crawl_run').where('progressed_at', '<', since).execute(),
    BACKGROUND_LIMITS,
  );
}

/**
 * Deletes from a table that may have millions of rows. The chunks follow the key, so that all of them together read the
 * table once. Each chunk is deleted by its first and last key: for a list of thousands of keys, PostgreSQL would read the
 * whole table. Rows that were changed meanwhile are compared again, and stay.
 */
async function pruneInOrder(
  database: RecordsDatabase,
  tableName: 'robots' | 'domain_turn' | 'probe_budget' | 'crawl_frontier',
  keyName: 'origin' | 'registrable_domain' | 'id',
  isOld: RawBuilder<SqlBool>,
): Promise<void> {
  const [table, key] = [sql.table(tableName), sql.ref(keyName)];
  for (let after: string | number = keyName === 'id' ? 0 : ''; ; ) {
    const next = sql<{ key: string | number }>`
      select ${key} as key from ${table} where ${isOld} and ${key} > ${after} order by ${key} limit ${CHUNK}`;
    const { rows } = await database.read((db) => next.execute(db), BACKGROUND_LIMITS);
    const last = rows.at(-1)?.key;
    if (last === undefined) return;
    const chunk = sql`delete from ${table} where ${isOld} and ${key} > ${after} and ${key} <= ${last}`;
    await database.transaction((db) => chunk.execute(db), BACKGROUND_LIMITS);
    if (rows.length < CHUNK) return;
    after = last;
    await setImmediate();
  }
}
