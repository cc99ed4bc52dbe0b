import { type ExpressionBuilder, sql } from 'kysely';
import { POINTERS_COUNTED, type Pointers, type SomeDomains } from '../../domain/pointers.ts';
import type { Db } from '../database.ts';
import type { Tables } from '../tables.ts';

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

/** Domains that point here without a live edge: such an edge can only come from the file that they point to. */
async function orphanedPointers(db: Db, domain: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('reference_to as pointer')
    .select('pointer.declarer as name')
    .distinct()
    .where('pointer.domain', '=', domain)
    .where('pointer.file', '=', sql.lit('adagents'))
    .where('pointer.reason', '<>', sql.lit('publisher_selector'))
    .where((row) =>
      row.or([row('pointer.reason', '=', 'manager'), row('pointer.reason', '=', 'authoritative_location')]),
    )
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
  OR source.absent_since IS NOT NULL OR source.last_error IS NULL OR source.last_error NOT LIKE '{"code":"own_network"%')`;

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
    .where('back.file', '=', 'adagents')
    .where((one) =>
      one.or([one('back.reason', '=', 'manager'), one('back.reason', '=', 'authoritative_location')]),
    )
    .where((one) => one.or([one('back.domain', '=', domain), one('back.domain', 'like', below)]));
}
