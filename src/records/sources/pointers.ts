import { type ExpressionBuilder, sql as rawSql } from 'kysely';
import { POINTERS_COUNTED, type Pointers, type SomeDomains } from '../../ports/source-store.ts';
import type { Tables } from '../schema.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';

interface AboutDomain {
  readonly domain: string;
  /** Matches the names below it. */
  readonly below: string;
  readonly most: number;
}

/** Both sides of the pointers to a domain's file, each at most `limit` domains; for `explain`, so not a hot path. */
export function* readPointers(store: SqlStore, domain: string, limit: number): SqlTask<Pointers> {
  const about = { domain, below: `%.${domain}`, most: POINTERS_COUNTED };
  const some = (rows: readonly { readonly name: string }[]): SomeDomains => ({
    domains: rows.slice(0, limit).map(({ name }) => name),
    total: rows.length,
  });
  return {
    orphaned: some(yield* prepare(store, orphanedOf).all(about)),
    missing: some(yield* prepare(store, missingOf).all(about)),
  };
}

/** They lead here, and are authorised nothing: a live edge of theirs can only come from where they lead. */
function orphanedOf(param: Param<AboutDomain>) {
  return sql
    .selectFrom('reference_to as pointer')
    .select('pointer.declarer as name')
    .distinct()
    .where('pointer.domain', '=', param('domain'))
    .where('pointer.file', '=', 'adagents')
    .where('pointer.reason', '<>', 'publisher_selector')
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
    .limit(param('most'));
}

/** Of a source: it was visited, and not only while our own network did not work. */
export const isSeen = rawSql<boolean>`source.last_visit_at IS NOT NULL AND (source.declaration IS NOT NULL
  OR source.absent_since IS NOT NULL OR source.last_error IS NULL OR source.last_error NOT LIKE '{"code":"own_network"%')`;

/** They are named here, were visited, and lead elsewhere or nowhere. */
function missingOf(param: Param<AboutDomain>) {
  return sql
    .selectFrom('reference_to as named')
    .innerJoin('source', (join) =>
      join.onRef('source.key', '=', 'named.domain').on('source.kind', '=', 'adagents'),
    )
    .select('named.domain as name')
    .where('named.declarer', '=', param('domain'))
    .where('named.file', '=', 'adagents')
    .where('named.reason', '=', 'publisher_selector')
    .where(isSeen)
    .where((row) => row.not(row.exists(pointerBack(row, param('domain'), param('below')))))
    .orderBy('name')
    .limit(param('most'));
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
