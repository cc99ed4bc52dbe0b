import { KINDS_OF_VISIT, type SourceKind, type VisitKind } from '../../domain/source.ts';
import { type Db, greatest, insertInChunks, listOf } from '../database.ts';
import { PAGE_ROWS, pageByPage, type RowSelection } from '../row-selection.ts';
import { isFree } from './source-rows.ts';

/**
 * The frontier of the crawl runs: the domains and agents that a run has found. The sums of what is pending and done are
 * kept on the run, so that progress is one look.
 */

export interface FrontierItem {
  readonly run: number;
  readonly kind: VisitKind;
  readonly key: string;
}

export interface FoundItem extends FrontierItem {
  readonly depth: number;
}

/** How much a run's sums change. */
export interface RunDelta {
  domains: number;
  agents: number;
  /** Agents that are new in the run; only grows. */
  found: number;
  done: number;
  /** When it was last visited for, epoch milliseconds; 0 when it was not. */
  at: number;
}

/** Adds items; returns those that are new in their run. Inside the caller's transaction. */
export async function addItems(db: Db, items: readonly FoundItem[]): Promise<readonly FrontierItem[]> {
  const added: FrontierItem[] = [];
  await insertInChunks(items, async (some) => {
    const rows = await db
      .insertInto('crawl_frontier')
      .values(some.map(({ run, kind, key, depth }) => ({ run, kind, key, depth })))
      .onConflict((known) => known.columns(['run', 'kind', 'key']).doNothing())
      .returning(['run', 'kind', 'key'])
      .execute();
    added.push(...rows);
  });
  return added;
}

/** Adds to the sums of a run. Inside the caller's transaction. */
export async function countItems(db: Db, run: number, delta: RunDelta): Promise<void> {
  await db
    .updateTable('crawl_run')
    .set((row) => ({
      pending_domains: row('pending_domains', '+', delta.domains),
      pending_agents: row('pending_agents', '+', delta.agents),
      agents_found: row('agents_found', '+', delta.found),
      done: row('done', '+', delta.done),
      progressed_at: greatest(db, row.ref('progressed_at'), row.cast<number>(row.val(delta.at), 'bigint')),
    }))
    .where('id', '=', run)
    .execute();
}

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
