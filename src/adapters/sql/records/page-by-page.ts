import type { SqlTask } from '../sql-tasks.ts';

/** Rows of a page: most calls need no second one. */
export const PAGE_ROWS = 200;

/**
 * Reads a long list in pages of PAGE_ROWS until `take` wants no more of it. `page` is given the last row of the page
 * before, and reads on behind it.
 */
export function* pageByPage<Row>(
  page: (last: Row | undefined) => SqlTask<readonly Row[]>,
  take: (row: Row) => boolean,
): SqlTask<void> {
  for (let last: Row | undefined; ; ) {
    const rows: readonly Row[] = yield* page(last);
    if (!rows.every(take) || rows.length < PAGE_ROWS) return;
    last = rows.at(-1);
  }
}
