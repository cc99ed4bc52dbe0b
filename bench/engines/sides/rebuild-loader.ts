import { openSqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';
import { asSide } from '../../support/as-side.ts';
import { bareBulk, sendAll } from '../support/bare-bulk.ts';
import { readyLines } from '../support/ready-lines.ts';

export interface LoaderInput {
  readonly store: string;
  readonly index: string;
  readonly name: string;
}

/** The peer: reads the same records in the same pages and loads ready documents; no versions, no book-keeping. */
await asSide(async ({ store, index, name }: LoaderInput): Promise<void> => {
  const records = await openSqliteRecords({ path: store, create: false });
  const bulk = bareBulk(index, name);
  await bulk.create();
  await sendAll(bulk, readyLines(records));
  await bulk.finish();
  await records.close();
});
