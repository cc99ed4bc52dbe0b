import { request } from 'undici';
import type { ConstantInput } from '../sides/constant-server.ts';
import type { HonestInput, HonestResult } from '../sides/honest-clients.ts';
import { honestPaths } from './honest-paths.ts';
import { AS_BROWSER } from './page-paths.ts';
import { startServe } from './serve-process.ts';
import { runSide, startSide } from './side.ts';
import { median, quantile } from './statistics.ts';
import { printTable } from './table.ts';

/** At most five requests a second each (honest-clients.ts), and less by what a page takes: enough for 400 pages a second. */
const READERS = 104;
const API_CLIENTS = 20;
const PAGES_A_SECOND = 400;
/** Their bytes are counted. */
const SOME_PAGES = 40;

export interface BesideOptions {
  /** Path of a store that is filled. */
  readonly store: string;
  readonly pages: readonly string[];
  /** Of each measurement. */
  readonly seconds: number;
}

/**
 * The API's latencies under `serve`: alone, while people read pages of the same process, and while the same readers read as
 * many bytes from a constant server. The last is the floor: what the readers and their bytes take of the machine. What the
 * pages add to it is ours.
 */
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
    const [floor, constant] = await besideConstant(api, readers);
    const after = await load(api);
    // a median of two would be the smaller one
    const aloneP99 = (quantile(alone.ms, 0.99) + quantile(after.ms, 0.99)) / 2;
    const row = (what: string, { ms, failed }: HonestResult, target = '') => ({
      what,
      'a second': Math.round(ms.length / seconds),
      'p50 ms': median(ms),
      'p99 ms': quantile(ms, 0.99),
      'p99 of alone': quantile(ms, 0.99) / aloneP99,
      'p99 of the floor': quantile(ms, 0.99) / quantile(floor.ms, 0.99),
      failed: Object.entries(failed)
        .map(([status, count]) => `${count} × ${status}`)
        .join(', '),
      target,
    });
    printTable(`The API beside pages, ${seconds} s each`, [
      row('the API alone', alone),
      row('the API beside pages', beside, 'p99 ≤ 2 × alone'),
      row('the API beside constant pages', floor),
      row('the API alone again', after),
      row('the pages', read, `≥ ${PAGES_A_SECOND} a second`),
      row('constant pages', constant),
    ]);
  } finally {
    await serving.stop();
  }
}

async function load(input: HonestInput): Promise<HonestResult> {
  return (await runSide<HonestResult>('honest-clients', input)).result;
}

/** The API and the readers at once, as beside pages; the readers ask a process that makes nothing. */
async function besideConstant(api: HonestInput, readers: HonestInput): Promise<[HonestResult, HonestResult]> {
  const input: ConstantInput = { body: 'x'.repeat(await usualBytes(readers)) };
  const constant = await startSide<{ port: number }, number>('constant-server', input);
  try {
    return await Promise.all([load(api), load({ ...readers, port: constant.ready.port })]);
  } finally {
    await constant.stop();
  }
}

/** Of the pages as they go over the wire, compressed, the mean of the first. */
async function usualBytes({ port, paths, headers = {} }: HonestInput): Promise<number> {
  const some = paths.slice(0, SOME_PAGES);
  let bytes = 0;
  for (const path of some) {
    const { body } = await request(`http://127.0.0.1:${port}${path}`, { headers });
    bytes += (await body.arrayBuffer()).byteLength;
  }
  return Math.round(bytes / some.length);
}
