import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import {
  BACKGROUND_LIMITS,
  type Db,
  type Limits,
  listOf,
  type RecordsDatabase,
  tableOf,
} from '../database.ts';
import { lockAlone } from '../locks.ts';
import { dayOf, eachDay } from '../probes/probe-log.ts';

/*
 * Deleting what nothing refers to any more: contents of files, and agents. Visits that may refer to them again share the
 * lock `contents`; it is held alone only while some rows are deleted, after they were checked once more.
 */

/** Contents found by one search through all references. */
const FOUND_AT_ONCE = 50_000;
/** Contents deleted in one transaction. */
const CHUNK = 1_000;
/** A search through all captures may take minutes. */
const SEARCH_LIMITS: Limits = { longMs: 60 * 60_000 };

/** The newest rows that refer to contents. A row that refers to one later has a higher number. */
interface Newest {
  readonly newest: number;
  /** Of a second table. */
  readonly newestOther: number;
}

/** The queries for one kind of content. */
interface Contents {
  newest(db: Db): Promise<Newest>;
  /** Hashes that nothing refers to. */
  unused(db: Db): Promise<readonly { readonly hash: string }[]>;
  /** Those of these hashes to which no newer row refers. */
  stillUnused(
    db: Db,
    hashes: readonly string[],
    since: Newest,
  ): Promise<readonly { readonly hash: string }[]>;
  /** Deletes them; returns how many there were. */
  drop(db: Db, hashes: readonly string[]): Promise<number>;
}

/**
 * Deletes bodies that neither a capture nor a declaration refers to; returns their number. Those that were moved out of
 * the records are listed in `body_unused`, for `moveBodies` to delete them there.
 */
export function pruneBodies(database: RecordsDatabase, now: number): Promise<number> {
  return pruneUnused(database, {
    newest: async (db) => ({
      newest: await newestOf(db, 'capture'),
      newestOther: await newestOf(db, 'declaration'),
    }),
    unused: (db) => {
      const unused = db.selectFrom('body').select('hash').except(captured(db)).except(declared(db));
      return db.selectFrom(unused.as('unused')).select('unused.hash').limit(FOUND_AT_ONCE).execute();
    },
    stillUnused: (db, hashes, { newest, newestOther }) =>
      db
        .selectFrom(tableOf(db, hashes))
        .select('listed.value as hash')
        .except(captured(db).where('id', '>', newest))
        .except(declared(db).where('declaration', '>', newestOther))
        .execute(),
    async drop(db, hashes) {
      const list = listOf(db, hashes);
      const moved = db
        .selectFrom('body')
        .select(['hash', sql<number>`cast(${now} as bigint)`.as('at')])
        .where('hash', 'in', list)
        .where('packing', '=', 'moved');
      await db
        .insertInto('body_unused')
        .columns(['hash', 'at'])
        .expression(moved)
        .onConflict((known) => known.column('hash').doNothing())
        .execute();
      const { numDeletedRows } = await db.deleteFrom('body').where('hash', 'in', list).executeTakeFirst();
      return Number(numDeletedRows);
    },
  });
}

/**
 * Deletes what agents exposed, if neither a stored probe nor the last good result refers to it; returns the number of
 * deleted values.
 */
export function pruneExposed(database: RecordsDatabase): Promise<number> {
  return pruneUnused(database, {
    newest: async (db) => ({ newest: await newestOf(db, 'probe_change'), newestOther: 0 }),
    unused: (db) => {
      const unused = db.selectFrom('exposed').select('hash').except(observed(db)).except(lastGood(db));
      return db.selectFrom(unused.as('unused')).select('unused.hash').limit(FOUND_AT_ONCE).execute();
    },
    stillUnused: (db, hashes, { newest }) =>
      db
        .selectFrom(tableOf(db, hashes))
        .select('listed.value as hash')
        .except(observed(db).where('id', '>', newest))
        .except(lastGood(db))
        .execute(),
    async drop(db, hashes) {
      const { numDeletedRows } = await db
        .deleteFrom('exposed')
        .where('hash', 'in', listOf(db, hashes))
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  });
}

/**
 * Searches all references once, without locks. Then some of what was found is deleted in each transaction, which reads only
 * the references that are newer than the search.
 */
async function pruneUnused(database: RecordsDatabase, contents: Contents): Promise<number> {
  for (let total = 0; ; ) {
    const newest = await database.transaction(async (db) => {
      // alone: every transaction with new references has then committed, and its rows are seen by the search
      await lockAlone(db, 'contents');
      return contents.newest(db);
    });
    const found = await database.read((db) => contents.unused(db), SEARCH_LIMITS);
    let deleted = 0;
    for (let from = 0; from < found.length; from += CHUNK) {
      const hashes = found.slice(from, from + CHUNK).map((row) => row.hash);
      deleted += await database.transaction(async (db) => {
        await lockAlone(db, 'contents');
        const unused = await contents.stillUnused(db, hashes, newest);
        return contents.drop(
          db,
          unused.map((row) => row.hash),
        );
      });
      await setImmediate();
    }
    total += deleted;
    if (found.length < FOUND_AT_ONCE || deleted === 0) return total;
  }
}

async function newestOf(db: Db, table: 'capture' | 'declaration' | 'probe_change'): Promise<number> {
  const { newest } = await db
    .selectFrom(table)
    .select((row) => row.fn.max<number | null>('id').as('newest'))
    .executeTakeFirstOrThrow();
  return newest ?? 0;
}

function captured(db: Db) {
  return db
    .selectFrom('capture')
    .select((row) => row.ref('body_hash').$castTo<string>().as('hash'))
    .where('body_hash', 'is not', null);
}

function declared(db: Db) {
  return db.selectFrom('declaration_body').select('hash');
}

function observed(db: Db) {
  return db
    .selectFrom('probe_change')
    .select((row) => row.ref('exposed').$castTo<string>().as('hash'))
    .where('exposed', 'is not', null);
}

function lastGood(db: Db) {
  return db
    .selectFrom('agent')
    .select((row) => row.ref('good_exposed').$castTo<string>().as('hash'))
    .where('good_exposed', 'is not', null);
}

/** Tables whose rows belong to one agent and are deleted with it. Declarations of publishers about it are history and stay. */
const TABLES_OF_AN_AGENT = [
  'document',
  'probe_today',
  'probe_change',
  'agent_property_count',
  'agent_tag',
  'compliance_run',
  'compliance_standing',
  'bundle_standing',
  'run_schedule',
  'test_credential',
  'owner_statement',
  'badge',
  'badge_event',
] as const;

/** Probes are kept for 90 days, so there are none further from the end of an agent. */
const AROUND_DAYS = 100;
/** Agents deleted in one transaction. */
const AGENT_CHUNK = 500;

/**
 * Deletes agents that were neither declared nor registered nor listed since `endedBefore`; returns their number. An agent
 * that is named again meanwhile stays, with all its rows.
 */
export async function pruneTombstones(database: RecordsDatabase, endedBefore: number): Promise<number> {
  let deleted = 0;
  for (let after = ''; ; ) {
    const found = await database.read(
      (db) => tombstones(db, endedBefore).where('agent.agent', '>', after).limit(AGENT_CHUNK).execute(),
      BACKGROUND_LIMITS,
    );
    const agents = found.map((row) => row.agent);
    if (agents.length > 0)
      deleted += await database.transaction((db) => deleteTombstones(db, agents, endedBefore));
    if (agents.length < AGENT_CHUNK) return deleted;
    after = agents.at(-1) as string;
  }
}

/** Selects these agents again when no transaction can name them, and deletes those that still are tombstones. */
async function deleteTombstones(db: Db, candidates: readonly string[], endedBefore: number): Promise<number> {
  await lockAlone(db, 'contents');
  const rows = await tombstones(db, endedBefore)
    .where('agent.agent', 'in', listOf(db, candidates))
    .forUpdate('agent')
    .execute();
  if (rows.length === 0) return 0;
  const names = rows.map((row) => row.agent);
  const agents = listOf(db, names);
  for (const table of TABLES_OF_AN_AGENT) await db.deleteFrom(table).where('agent', 'in', agents).execute();
  // an opt-out stays, because the change log still mentions the agent
  await db.deleteFrom('agent_settings').where('agent', 'in', agents).where('opted_out', '=', 0).execute();
  await deleteProbes(db, names, dayOf(endedBefore));
  await db.deleteFrom('source').where('kind', '=', 'agent').where('key', 'in', agents).execute();
  const { numDeletedRows } = await db.deleteFrom('agent').where('agent', 'in', agents).executeTakeFirst();
  return Number(numDeletedRows);
}

/** By the keys, which begin with the day. */
async function deleteProbes(db: Db, agents: readonly string[], end: number): Promise<void> {
  await eachDay(db, end - AROUND_DAYS, end + AROUND_DAYS)
    .deleteFrom('probe_day')
    .where((row) =>
      row(
        row.refTuple('probe_day.day', 'probe_day.agent'),
        'in',
        row
          .selectFrom(['day', tableOf(db, agents)])
          .select(['day.number', 'listed.value'])
          .$asTuple('number', 'value'),
      ),
    )
    .execute();
}

function tombstones(db: Db, endedBefore: number) {
  return db
    .selectFrom('agent')
    .select('agent.agent')
    .where((row) =>
      row.or([
        row('declaration_ended_at', '<', endedBefore),
        row.and([
          row('declaration_ended_at', 'is', null),
          row('first_seen_at', '<', endedBefore),
          row('authorisation_count', '=', 0),
          row('mention_count', '=', 0),
        ]),
      ]),
    )
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('registration')
            .select('registration.agent')
            .whereRef('registration.agent', '=', 'agent.agent'),
        ),
      ),
    )
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('document')
            .select('document.agent')
            .whereRef('document.agent', '=', 'agent.agent')
            .where('document.hash', 'is not', null),
        ),
      ),
    )
    .orderBy('agent.agent');
}
