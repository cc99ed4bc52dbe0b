import { setImmediate } from 'node:timers/promises';
import type { PruneCounts } from '../../../ports/records.ts';
import { lockAlone } from '../locks.ts';
import { sql } from '../prepared.ts';
import { run } from '../run-query.ts';
import type { SqlStore } from '../sql-store.ts';
import type { Work } from '../work.ts';
import { hourOf } from './probe-budget.ts';

const DAY_MS = 86_400_000;
const CAPTURE_DAYS = 30;
const OBSERVATION_DAYS = 90;
const TOMBSTONE_DAYS = 30;

/** Rows deleted in one transaction, so that other writers and the event loop get their turn. */
const CHUNK = 10_000;

/** Tables whose rows are about one agent and go with it. What publishers once declared is history and stays. */
const OF_AN_AGENT = [
  'document',
  'observation',
  'agent_property_count',
  'agent_tag',
  'agent_settings',
] as const;

/**
 * Deletes captures older than 30 days, observations older than 90, tombstones older than 30 (neither declared nor
 * registered, and out of the list), and bodies that neither a capture nor a declaration refers to any more.
 */
export async function prune(store: SqlStore, now: number): Promise<PruneCounts> {
  const captures = await inChunks(() => pruneOld(store, 'capture', now - CAPTURE_DAYS * DAY_MS));
  const observations = await inChunks(() => pruneOld(store, 'observation', now - OBSERVATION_DAYS * DAY_MS));
  const tombstones = await inChunks(() => pruneTombstones(store, now - TOMBSTONE_DAYS * DAY_MS));
  const bodies = await store.transaction(() => pruneBodies(store));
  await store.transaction(() => pruneLeftovers(store, now));
  return { captures, observations, tombstones, bodies };
}

async function inChunks(deleteSome: () => Promise<number>): Promise<number> {
  for (let total = 0; ; ) {
    const deleted = await deleteSome();
    total += deleted;
    if (deleted < CHUNK) return total;
    await setImmediate();
  }
}

function pruneOld(store: SqlStore, table: 'capture' | 'observation', before: number): Promise<number> {
  const old = sql.selectFrom(table).select('id').where('at', '<', before).orderBy('id').limit(CHUNK);
  return store.transaction(() => run(store, sql.deleteFrom(table).where('id', 'in', old)));
}

function pruneTombstones(store: SqlStore, endedBefore: number): Promise<number> {
  return store.transaction(function* () {
    const gone = tombstones(endedBefore);
    for (const table of OF_AN_AGENT) yield* run(store, sql.deleteFrom(table).where('agent', 'in', gone));
    yield* run(store, sql.deleteFrom('source').where('kind', '=', 'agent').where('key', 'in', gone));
    return yield* run(store, sql.deleteFrom('agent').where('agent', 'in', gone));
  });
}

/** The first of them by URL; the same ones for each statement of a transaction, as the agents go last. */
function tombstones(endedBefore: number) {
  const registered = sql.selectFrom('registration').select('registration.agent');
  const listed = sql.selectFrom('document').select('document.agent').where('hash', 'is not', null);
  return sql
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
    .where('agent.agent', 'not in', registered)
    .where('agent.agent', 'not in', listed)
    .orderBy('agent.agent')
    .limit(CHUNK);
}

function* pruneBodies(store: SqlStore): Work<number> {
  yield* lockAlone(store, 'contents');
  const captured = sql.selectFrom('capture').select('body_hash as hash').where('body_hash', 'is not', null);
  const read = sql.selectFrom('declaration_body').select('hash');
  return yield* run(store, sql.deleteFrom('body').where('hash', 'not in', captured.union(read)));
}

/** What nothing points to any more, and spendings and abandoned runs that are long past. */
function* pruneLeftovers(store: SqlStore, now: number): Work<void> {
  yield* lockAlone(store, 'contents');
  const observed = sql.selectFrom('observation').select('exposed as hash').where('exposed', 'is not', null);
  const good = sql.selectFrom('agent').select('good_exposed as hash').where('good_exposed', 'is not', null);
  yield* run(store, sql.deleteFrom('exposed').where('hash', 'not in', observed.union(good)));
  yield* run(store, sql.deleteFrom('probe_budget').where('hour', '<', hourOf(now)));
  yield* run(store, sql.deleteFrom('robots').where('expires_at', '<', now));
  const abandoned = sql
    .selectFrom('crawl_run')
    .select('id')
    .where('started_at', '<', now - CAPTURE_DAYS * DAY_MS);
  yield* run(store, sql.deleteFrom('crawl_frontier').where('run', 'in', abandoned));
  yield* run(store, sql.deleteFrom('crawl_run').where('id', 'in', abandoned));
}
