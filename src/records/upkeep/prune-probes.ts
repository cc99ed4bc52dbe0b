import { setImmediate } from 'node:timers/promises';
import { sql as rawSql } from 'kysely';
import { dayOf, PROBE_BYTES } from '../probes/probe-log.ts';
import { type SqlStore, UNHURRIED } from '../sql-tasks.ts';
import { type Param, prepare, run, sql } from '../statements.ts';

/** Days of agents, or changes, deleted in one transaction. */
const CHUNK = 10_000;
/** Of one agent: who is there and away by turns, or always another, leaves no more. */
const MAX_CHANGES = 100;

/**
 * Deletes the days of probes that are over before `before`, epoch milliseconds, and what the probes found: all but the last
 * of an agent, and of those after that moment all but the last hundred. Returns the number of probes.
 */
export async function pruneProbes(store: SqlStore, before: number): Promise<number> {
  const probes = await pruneDays(store, dayOf(before));
  await pruneChanges(store, before);
  return probes;
}

/** One day after the other, each by its agents: what is deleted lies together. */
async function pruneDays(store: SqlStore, first: number): Promise<number> {
  const drop = prepare(store, (param: Param<{ first: number }>) =>
    sql
      .deleteFrom('probe_day')
      .where((row) =>
        row(
          row.refTuple('day', 'agent'),
          'in',
          row
            .selectFrom('probe_day')
            .select(['day', 'agent'])
            .where('day', '<', param('first'))
            .orderBy('day')
            .orderBy('agent')
            .limit(CHUNK)
            .$asTuple('day', 'agent'),
        ),
      )
      .returning(rawSql<number>`length(probes)`.as('bytes')),
  );
  for (let bytes = 0; ; ) {
    const dropped = await store.transaction(() => drop.all({ first }), UNHURRIED);
    for (const row of dropped) bytes += row.bytes;
    if (dropped.length < CHUNK) return bytes / PROBE_BYTES;
    await setImmediate();
  }
}

/** The last change of an agent says how it is, however long ago that was. */
async function pruneChanges(store: SqlStore, before: number): Promise<void> {
  const ranked = sql
    .selectFrom('probe_change')
    .select(['id', 'at'])
    .select(rawSql<number>`row_number() OVER (PARTITION BY agent ORDER BY at DESC, id DESC)`.as('nth'));
  const old = sql
    .selectFrom(ranked.as('change'))
    .select('change.id')
    .where((row) =>
      row.or([
        row('change.nth', '>', MAX_CHANGES),
        row.and([row('change.nth', '>', 1), row('change.at', '<', before)]),
      ]),
    )
    .limit(CHUNK);
  const drop = sql.deleteFrom('probe_change').where('id', 'in', old);
  while ((await store.transaction(() => run(store, drop), UNHURRIED)) >= CHUNK) await setImmediate();
}
