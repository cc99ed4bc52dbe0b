import { openSqliteRecords } from '../../../src/adapters/sql/sqlite/sqlite-records.ts';
import { moveStore } from '../../../src/compose/schema.ts';
import { fillEdges } from '../../support/fill-edges.ts';
import { withScratchStore } from '../../support/scratch.ts';

/** The rows of `fillEdges` in an empty database: filled on SQLite, and moved as an operator would move them. */
export async function fillPostgres(url: string, publishers: number): Promise<void> {
  const started = performance.now();
  await withScratchStore(async (path) => {
    const source = await openSqliteRecords({ path });
    fillEdges(source.database, publishers);
    await source.close();
    const { signal } = new AbortController();
    await moveStore(`sqlite:${path}`, url).run({
      now: Date.now(),
      live: false,
      signal,
      onProgress: () => {},
    });
  });
  console.log(`filled and moved in ${((performance.now() - started) / 1_000).toFixed(0)} s`);
}
