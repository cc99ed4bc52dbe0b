import { KINDS_OF_VISIT, type SourceKind, type VisitKind } from '../../domain/source.ts';
import { type Db, listOf } from '../database.ts';
import { PAGE_ROWS, pageByPage, type RowSelection } from '../row-selection.ts';
import { isFree } from './source-rows.ts';

/** The frontier of the crawl runs: the domains and agents that a run has found and still has to visit. */

export interface PendingItem {
  readonly id: number;
  readonly key: string;
  readonly registrable_domain: string;
  readonly depth: number;
}

/** Offers the items of a run that are pending and under no lease, in the order they were found, until the selection is full. */
export async function offerPending(
  db: Db,
  { run, kind, now }: { readonly run: number; readonly kind: VisitKind; readonly now: number },
  selection: RowSelection<PendingItem>,
): Promise<void> {
  const firstKind = KINDS_OF_VISIT[kind][0] as SourceKind;
  await pageByPage(
    (last: PendingItem | undefined) =>
      db
        .selectFrom('crawl_frontier as item')
        .innerJoin('source', (join) =>
          join.onRef('source.key', '=', 'item.key').on('source.kind', '=', firstKind),
        )
        .select(['item.id', 'item.key', 'source.registrable_domain', 'item.depth'])
        .where('item.run', '=', run)
        .where('item.kind', '=', kind)
        .where('item.done', '=', (row) => row.lit(0)) // as in the index of pending items
        .where('item.id', '>', last?.id ?? 0)
        .where(isFree(now))
        .where('source.registrable_domain', 'not in', listOf(db, selection.refused()))
        .where('source.found_via', 'not in', listOf(db, selection.withoutFiles))
        .orderBy('item.id')
        .limit(PAGE_ROWS)
        .execute(),
    (item) => selection.offer(item),
  );
}
