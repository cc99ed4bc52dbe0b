import { setTimeout as pause } from 'node:timers/promises';
import { type CrawlContext, crawl } from '@agent-registry/surface/registry';

const POLL_MS = 1_000;

/** Visits what is due until the signal, as `agent-registry crawl --due` does: `Crawl now` on a page needs a crawler. */
export async function visitDue(context: CrawlContext): Promise<void> {
  const { records, clock, signal } = context;
  while (!signal.aborted) {
    const due = await Promise.all(
      (['domain', 'agent'] as const).map((kind) => records.sources.due(kind, 1, clock.now())),
    );
    if (due.flat().length > 0) await crawl(context);
    await pause(POLL_MS, undefined, { signal }).catch(() => undefined); // ends at once at the signal
  }
}
