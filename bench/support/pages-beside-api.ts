import type { HonestInput, HonestResult } from '../sides/honest-clients.ts';
import { honestPaths } from './honest-paths.ts';
import { AS_BROWSER } from './page-paths.ts';
import { startServe } from './serve-process.ts';
import { runSide } from './side.ts';
import { median, quantile } from './statistics.ts';
import { printTable } from './table.ts';

/** At most five requests a second each (honest-clients.ts): some more than 400 pages a second take. */
const READERS = 90;
const API_CLIENTS = 20;
const PAGES_A_SECOND = 400;

export interface BesideOptions {
  /** Path of a store that is filled. */
  readonly store: string;
  readonly pages: readonly string[];
  /** Of each measurement. */
  readonly seconds: number;
}

/** The API's latencies under `serve`: alone, and while people read pages of the same process. */
export async function pagesBesideApi({ store, pages, seconds }: BesideOptions): Promise<void> {
  const serving = await startServe(store);
  const common = { port: serving.port, forMs: seconds * 1_000 };
  const api: HonestInput = { ...common, clients: API_CLIENTS, paths: honestPaths() };
  const readers: HonestInput = {
    ...{ ...common, clients: READERS, firstClient: API_CLIENTS },
    ...{ paths: pages, headers: AS_BROWSER },
  };
  try {
    await Promise.all([load(api), load(readers)]); // warms up: the first page begins the thread that makes them
    const alone = await load(api);
    const [beside, read] = await Promise.all([load(api), load(readers)]);
    const after = await load(api);
    const bare = median([quantile(alone.ms, 0.99), quantile(after.ms, 0.99)]);
    const row = (what: string, { ms, failed }: HonestResult, target = '') => ({
      what,
      'a second': Math.round(ms.length / seconds),
      'p50 ms': median(ms),
      'p99 ms': quantile(ms, 0.99),
      'p99 of alone': quantile(ms, 0.99) / bare,
      failed: Object.entries(failed)
        .map(([status, count]) => `${count} × ${status}`)
        .join(', '),
      target,
    });
    printTable(`The API beside pages, ${seconds} s each`, [
      row('the API alone', alone),
      row('the API beside pages', beside, 'p99 ≤ 2 × alone'),
      row('the API alone again', after),
      row('the pages', read, `≥ ${PAGES_A_SECOND} a second`),
    ]);
  } finally {
    await serving.stop();
  }
}

async function load(input: HonestInput): Promise<HonestResult> {
  return (await runSide<HonestResult>('honest-clients', input)).result;
}
