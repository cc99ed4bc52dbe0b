import { KINDS_OF_VISIT, type SourceKind, type VisitKind } from '../../../../domain/source.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';

import { PAGE_ROWS, pageByPage } from '../page-by-page.ts';
import type { Picking } from '../picking.ts';

export interface PendingItem {
  readonly id: number;
  readonly key: string;
  readonly registrable_domain: string;
  readonly depth: number;
}

interface Pending {
  readonly run: number;
  readonly kind: VisitKind;
  readonly firstKind: SourceKind;
  readonly now: number;
  readonly after: number;
  /** Registrable domains that are passed over. */
  readonly without: readonly string[];
}

/** Offers the items of a run that are not done and that nobody holds, in the order they were found, until the picking is full. */
export type PendingItems = (
  run: number,
  kind: VisitKind,
  now: number,
  picking: Picking<PendingItem>,
) => SqlTask<void>;

export function createPendingItems(store: SqlStore): PendingItems {
  const select = prepare(store, pendingItems);
  return (run, kind, now, picking) => {
    const firstKind = KINDS_OF_VISIT[kind][0] as SourceKind;
    const page = (last: PendingItem | undefined) =>
      select.all({ run, kind, firstKind, now, after: last?.id ?? 0, without: picking.refused() });
    return pageByPage(page, (item) => picking.offer(item));
  };
}

function pendingItems(param: Param<Pending>) {
  return sql
    .selectFrom('crawl_frontier as item')
    .innerJoin('source', (join) =>
      join.onRef('source.key', '=', 'item.key').on('source.kind', '=', param('firstKind')),
    )
    .select(['item.id', 'item.key', 'source.registrable_domain', 'item.depth'])
    .where('item.run', '=', param('run'))
    .where('item.kind', '=', param('kind'))
    .where('item.done', '=', 0)
    .where('item.id', '>', param('after'))
    .where('source.lease_until', '<=', param('now'))
    .where('source.registrable_domain', 'not in', param.list('without'))
    .orderBy('item.id')
    .limit(PAGE_ROWS);
}
