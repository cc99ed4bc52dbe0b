import { type ExpressionBuilder, sql } from 'kysely';
import { POINTERS_COUNTED, type Pointers, type SomeDomains } from '../../domain/pointers.ts';
import type { Db } from '../database.ts';
import type { Tables } from '../tables.ts';
import { isOwnFault } from './source-rows.ts';

/** Both sides of the pointers to a domain's file, each at most `limit` domains; for `explain`, so not a hot path. */
export async function readPointers(db: Db, domain: string, limit: number): Promise<Pointers> {
  const some = (names: readonly string[]): SomeDomains => ({
    domains: names.slice(0, limit),
    total: names.length,
  });
  return {
    orphaned: some(await orphanedPointers(db, domain)),
    missing: some(await missingPointers(db, domain)),
  };
}

/**
 * Whether a row of `reference_to` says that a domain's adagents.json is at another domain. The conditions with literals
 * select the partial index `reference_pointer`.
 */
export function isPointer(table: 'pointer' | 'back') {
  const file = sql.ref(`${table}.file`);
  const reason = sql.ref(`${table}.reason`);
  return sql<boolean>`${file} = 'adagents' AND ${reason} <> 'publisher_selector'
    AND ${reason} IN ('manager', 'authoritative_location')`;
}

/** Domains that point here without a live edge: such an edge can only come from the file that they point to. */
async function orphanedPointers(db: Db, domain: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('reference_to as pointer')
    .select('pointer.declarer as name')
    .distinct()
    .where('pointer.domain', '=', domain)
    .where(isPointer('pointer'))
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('authorisation')
            .select('authorisation.id')
            .whereRef('authorisation.publisher', '=', 'pointer.declarer')
            .where('authorisation.seen_until', 'is', null),
        ),
      ),
    )
    .orderBy('name')
    .limit(POINTERS_COUNTED)
    .execute();
  return rows.map(({ name }) => name);
}

/** Of a source: it was visited, and not only while our own network did not work. */
export const isSeen = sql<boolean>`source.last_visit_at IS NOT NULL AND (source.declaration IS NOT NULL
  OR source.absent_since IS NOT NULL OR source.last_error IS NULL OR NOT ${isOwnFault})`;

/** Domains that the domain's file names and that were visited, but point elsewhere or nowhere. */
async function missingPointers(db: Db, domain: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('reference_to as named')
    .innerJoin('source', (join) =>
      join.onRef('source.key', '=', 'named.domain').on('source.kind', '=', 'adagents'),
    )
    .select('named.domain as name')
    .where('named.declarer', '=', domain)
    .where('named.file', '=', 'adagents')
    .where('named.reason', '=', 'publisher_selector')
    .where(isSeen)
    .where((row) => row.not(row.exists(pointerBack(row, domain, `%.${domain}`))))
    .orderBy('name')
    .limit(POINTERS_COUNTED)
    .execute();
  return rows.map(({ name }) => name);
}

/** A pointer of a named domain to this one, or to a name below it. */
export function pointerBack(
  row: ExpressionBuilder<Tables & { named: Tables['reference_to'] }, 'named'>,
  domain: string,
  below: string,
) {
  return row
    .selectFrom('reference_to as back')
    .select('back.domain')
    .whereRef('back.declarer', '=', 'named.domain')
    .where(isPointer('back'))
    .where((one) => one.or([one('back.domain', '=', domain), one('back.domain', 'like', below)]));
}
