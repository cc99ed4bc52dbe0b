import { setTimeout } from 'node:timers/promises';
import { SingleBar } from 'cli-progress';
import type { CrawlContext } from '../../../pipelines/crawl-context.ts';
import { keep } from '../../base/kept.ts';
import type { RunProgress } from '../../records/sources/crawl-runs.ts';
import { counted, note, pace } from './print.ts';

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

type Pending = RunProgress['pending'];

/** Of the whole bar. */
const PARTS = 1_000;

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
  let isEnded = false;
  const update = (left: Pending) => {
    if (!isEnded) show.update(countsOf(context.tally, left));
  };
  const count = (now: number) => countPending(context, now);
  const pending = keep(count, { clock: context.clock, ...COUNTING });
  // a store that cannot be read ends the crawl with an error of its own; the display only skips a beat
  let isCounting = false;
  const timer = setInterval(async () => {
    if (isCounting) return;
    isCounting = true;
    await pending.newest().then(update, () => {});
    isCounting = false;
  }, EVERY_MS[chosen]);
  return {
    async stop() {
      clearInterval(timer);
      const last = count(context.clock.now()).then(update, () => {});
      await Promise.race([last, setTimeout(LAST_MS, undefined, { ref: false })]);
      isEnded = true;
      show.end();
    },
  };
}

interface Display {
  update(counts: Counts): void;
  end(): void;
}

/** Nobody waits longer for the last line, milliseconds. */
const LAST_MS = 2_000;

/** Of millions that are due, the count takes seconds of the store: no more than a tenth of the time goes into it. */
const COUNTING = { times: 10, leastMs: 0, mostMs: 600_000 };

function countPending({ records: { sources }, run }: CrawlContext, now: number): Promise<Pending> {
  return run ? sources.progressOf(run.id).then(({ pending }) => pending) : sources.countDue(now);
}

function countsOf({ visited, newAgents }: CrawlContext['tally'], pending: Pending): Counts {
  return {
    domains: visited.domains,
    domains_pending: pending.domains,
    agents: visited.agents,
    agents_pending: pending.agents,
    agents_found: newAgents,
  };
}

/** The share of the work that is done, from 0 to 1. It never goes back, though a crawl finds more to do on its way. */
export function steadyShare(): (done: number, left: number) => number {
  let share = 0;
  return (done, left) => {
    share = Math.max(share, done / Math.max(1, done + left));
    return share;
  };
}

/** Of a terminal with so many columns: the words have more to say. */
export function barSize(columns: number): number {
  return Math.max(4, Math.min(20, Math.floor(columns / 8)));
}

/** A crawl starts slowly: the time left is not guessed before. */
const STEADY_MS = 5_000;

function paceOf(done: number, tookMs: number, left: number): string {
  return pace(done, tookMs, tookMs < STEADY_MS ? 0 : left);
}

/** `, 74 a second` as the beginning of a line. */
function paceFirst(text: string): string {
  return text === '' ? '' : `${text.slice(2)}: `;
}

function bar(): Display {
  const single = new SingleBar({
    // a terminal cuts the end off, so what people wait for goes first
    format: '{bar} {pace}{seen}',
    barsize: barSize(process.stderr.columns ?? 80),
    hideCursor: true,
    stream: process.stderr,
    clearOnComplete: true,
  });
  const startedAt = performance.now();
  const share = steadyShare();
  single.start(PARTS, 0, { seen: '', pace: '' });
  return {
    update(counts) {
      const { done, left } = workOf(counts);
      single.update(Math.floor(share(done, left) * PARTS), {
        seen: `${counted(counts.domains, 'domain')}, ${counted(counts.agents, 'agent')} probed, ${counts.agents_found} found`,
        pace: paceFirst(paceOf(done, performance.now() - startedAt, left)),
      });
    },
    end: () => single.stop(),
  };
}

function plainLines(): Display {
  const startedAt = performance.now();
  let last = '';
  return {
    update(counts) {
      const { done, left } = workOf(counts);
      const line = `${counted(counts.domains, 'domain')} visited (${counts.domains_pending} pending), ${counted(counts.agents, 'agent')} probed (${counts.agents_pending} pending)`;
      if (line !== last) note(line + paceOf(done, performance.now() - startedAt, left));
      last = line;
    },
    end() {},
  };
}

function workOf({ domains, agents, domains_pending, agents_pending }: Counts) {
  return { done: domains + agents, left: domains_pending + agents_pending };
}

function jsonLines(): Display {
  const startedAt = performance.now();
  let last = '';
  return {
    update(counts) {
      const state = JSON.stringify(counts);
      if (state === last) return;
      last = state;
      const { done, left } = workOf(counts);
      const seconds = (performance.now() - startedAt) / 1_000;
      const perSecond = done / seconds;
      const isSteady = seconds * 1_000 >= STEADY_MS && done > 0;
      note(
        JSON.stringify({
          event: 'progress',
          ...counts,
          per_second: Number(perSecond.toFixed(1)),
          ...(isSteady && { seconds_left: Math.round(left / perSecond) }),
        }),
      );
    },
    end() {},
  };
}
