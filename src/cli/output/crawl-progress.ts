import { SingleBar } from 'cli-progress';
import type { CrawlContext } from '../../../pipelines/crawl-context.ts';
import { note } from './print.ts';

/** How progress is shown; `auto` is a bar on a terminal and plain lines elsewhere. */
export type ProgressKind = 'auto' | 'bar' | 'plain' | 'json' | 'none';

export interface ShownProgress {
  stop(): Promise<void>;
}

interface Counts {
  readonly domains: number;
  readonly domains_pending: number;
  readonly agents: number;
  readonly agents_pending: number;
  readonly agents_found: number;
}

const EVERY_MS: Readonly<Record<Exclude<ProgressKind, 'auto' | 'none'>, number>> = {
  bar: 200,
  plain: 5_000,
  json: 1_000,
};

/** Shows how far a crawl is, on stderr: a bar on a terminal, lines elsewhere. */
export function showProgress(kind: ProgressKind, context: CrawlContext): ShownProgress {
  const chosen = kind === 'auto' ? (process.stderr.isTTY ? 'bar' : 'plain') : kind;
  if (chosen === 'none') return { stop: async () => {} };
  const show = chosen === 'bar' ? bar() : chosen === 'json' ? jsonLines() : plainLines();
  let latest = Promise.resolve();
  // a store that cannot be read ends the crawl with an error of its own; the display only skips a beat
  const tick = () => count(context).then(show.update, () => {});
  const timer = setInterval(() => {
    latest = latest.then(tick);
  }, EVERY_MS[chosen]);
  return {
    async stop() {
      clearInterval(timer);
      await latest.then(tick);
      show.end();
    },
  };
}

interface Display {
  update(counts: Counts): void;
  end(): void;
}

async function count({ tally, records, run, clock }: CrawlContext): Promise<Counts> {
  const pending = run
    ? (await records.sources.progressOf(run.id)).pending
    : await records.sources.countDue(clock.now());
  return {
    domains: tally.visited.domains,
    domains_pending: pending.domains,
    agents: tally.visited.agents,
    agents_pending: pending.agents,
    agents_found: tally.newAgents,
  };
}

function bar(): Display {
  const single = new SingleBar({
    format: '{bar} {domains} domains, {agents} agents probed, {agents_found} found',
    barsize: 30,
    hideCursor: true,
    stream: process.stderr,
    clearOnComplete: true,
  });
  single.start(1, 0, { domains: 0, agents: 0, agents_found: 0 });
  return {
    update(counts) {
      const done = counts.domains + counts.agents;
      single.setTotal(Math.max(1, done + counts.domains_pending + counts.agents_pending));
      single.update(done, counts);
    },
    end: () => single.stop(),
  };
}

function plainLines(): Display {
  let last = '';
  return {
    update(counts) {
      const line = `${counts.domains} domains visited (${counts.domains_pending} to go), ${counts.agents} agents probed (${counts.agents_pending} to go)`;
      if (line !== last) note(line);
      last = line;
    },
    end() {},
  };
}

function jsonLines(): Display {
  return { update: (counts) => note(JSON.stringify({ event: 'progress', ...counts })), end() {} };
}
