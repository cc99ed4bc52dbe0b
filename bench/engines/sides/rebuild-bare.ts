import { open } from 'node:fs/promises';
import { asSide } from '../../support/as-side.ts';
import { bareBulk, sendAll } from '../support/bare-bulk.ts';

export interface BareInput {
  /** The bodies of bulk requests, one after the other. */
  readonly file: string;
  readonly sizes: readonly number[];
  readonly index: string;
  readonly name: string;
}

/** The floor: sends requests that were made before. */
await asSide(async ({ file, sizes, index, name }: BareInput): Promise<void> => {
  const handle = await open(file);
  async function* chunks() {
    for (const size of sizes) yield (await handle.read(Buffer.allocUnsafe(size), 0, size, null)).buffer;
  }
  const bulk = bareBulk(index, name);
  await bulk.create();
  await sendAll(bulk, chunks());
  await bulk.finish();
  await handle.close();
});
