/**
 * Delay of a change: from the commit of a visit to its event in a stream, with the indexing of a crawl, on the embedded
 * store. The floor is the sum of the two pauses at their longest: 1 s of indexing and 0.5 s of streams.
 *
 *   node bench/feed-delay.ts [--changes 150] [--quick]
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { createServer } from '../src/api/server.ts';
import { systemClock } from '../src/compose/clock.ts';
import { deriveStored } from '../src/discovery/derive-facts.ts';
import { openSqliteIndex } from '../src/index/embedded/sqlite-index.ts';
import { stitchInBackground } from '../src/index/generations/keep-indexed.ts';
import { createMetrics } from '../src/ops/metrics.ts';
import { openSqliteRecords } from '../src/records/sqlite/sqlite-records.ts';
import { publish } from '../test/contract/records-steps.ts';
import { withScratchStore } from './support/scratch.ts';
import { median, quantile } from './support/statistics.ts';
import { printTable } from './support/table.ts';

const { values: options } = parseArgs({
  options: { changes: { type: 'string', default: '150' }, quick: { type: 'boolean', default: false } },
});
const changes = options.quick ? 10 : Number(options.changes);
/** Between two visits, at random. */
const MOST_PAUSE_MS = 600;
/** Between two passes of a crawl, as in pipelines/crawl.ts. */
const STITCH_PAUSE_MS = 1_000;
const WAIT_FOR_THE_LAST_MS = 4_000;

await withScratchStore(async (path) => {
  const records = await openSqliteRecords({ path });
  const index = await openSqliteIndex(records.store, { clock: systemClock });
  const server = createServer({
    ...{ records, index, clock: systemClock, logger: pino({ level: 'silent' }), metrics: createMetrics() },
    config: { version: '0.0.0', trustedProxies: [] },
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const indexer = { records, index, clock: systemClock, rederive: deriveStored };
  const stitching = stitchInBackground(indexer, STITCH_PAUSE_MS, (fault: unknown) => {
    throw fault;
  });
  const committedAt = new Map<string, number>();
  const took: number[] = [];
  const over = new AbortController();
  const heard = hear(`${url}/api/registry/feed/stream?types=authorization.*`, over.signal, (domain) => {
    const at = committedAt.get(domain);
    if (at !== undefined && committedAt.delete(domain)) took.push(performance.now() - at);
  });
  for (let n = 0; n < changes; n += 1) {
    const agent = { url: `https://a${n}.example/mcp`, authorized_for: 'Display' };
    await publish(records, `v${n}.example`, { authorized_agents: [agent] }, Date.now());
    committedAt.set(`v${n}.example`, performance.now());
    await pause(Math.random() * MOST_PAUSE_MS);
  }
  await pause(WAIT_FOR_THE_LAST_MS);
  over.abort();
  await heard;
  printTable('from the commit of a change to its event in a stream, ms', [
    {
      changes,
      lost: committedAt.size,
      p50: median(took),
      p99: quantile(took, 0.99),
      most: Math.max(...took),
    },
  ]);
  await stitching.stop();
  await server.close();
  await records.close();
});

/** Tells of each publisher in a stream as soon as it is there; resolves when the signal ends it. */
async function hear(url: string, signal: AbortSignal, onPublisher: (domain: string) => void): Promise<void> {
  let text = '';
  try {
    const { body } = await fetch(url, { signal });
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const messages = (text + piece).split('\n\n');
      text = messages.pop() ?? '';
      for (const message of messages)
        for (const [, domain] of message.matchAll(/"publisher_domain":"([^"]+)"/g)) onPublisher(domain ?? '');
    }
  } catch (fault) {
    if (!signal.aborted) throw fault;
  }
}
