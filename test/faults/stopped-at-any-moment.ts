import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { pino } from 'pino';
import { startCrawler } from '../../src/crawl/crawler.ts';
import { type SiteWork, TakenWork } from '../../src/crawl/taken-work.ts';
import { Checks, type Fault, type FaultContext, scaled } from './support/fault.ts';

const RUNS = 1_000;
const VISITS = 20;
/** The making of a run, its start and its visits take about so long, milliseconds: the moments are spread over it. */
const SPREAD_MS = 60;
/** A run that has not ended by then never ends. */
const NEVER_MS = 20_000;
const FAULT = 'the store is full';
const SILENT = pino({ level: 'silent' });

/** What happens to a run: the stop after its last visit, a stop at some moment, or a fault at some visit. */
const KINDS = ['stop at the end', 'stop at any moment', 'fault'] as const;

export default {
  name: 'stopped-at-any-moment',
  sentence: 'every crawl ends, and all its work was visited or given back',
  run: stopRuns,
} satisfies Fault;

async function stopRuns(context: FaultContext) {
  const checks = new Checks();
  const count = scaled(RUNS, context.scale);
  const ends = new Map<string, number>();
  for (let run = 0; run < count; run += 1) {
    const end = await oneRun(KINDS[run % KINDS.length] ?? 'fault', context);
    ends.set(end, (ends.get(end) ?? 0) + 1);
    if ((run + 1) % 500 === 0) context.log(`${run + 1} runs`);
  }
  const bad = [...ends.keys()].filter((end) => !KINDS.some((kind) => kind === end));
  checks.that('each ended as it had to', bad.length === 0, bad);
  checks.note([...ends].map(([end, runs]) => `${end}: ${runs}`).join(', '));
  return checks.result(`${count} runs of ${VISITS} visits by a crawler that goes on until the signal`);
}

/** Returns the kind when the run ended as it had to, otherwise what was wrong. */
async function oneRun(kind: (typeof KINDS)[number], { random }: FaultContext): Promise<string> {
  const waiting = Array.from({ length: VISITS }, (_, index): SiteWork => ({ key: `d${index}.example` }));
  const over: string[] = [];
  const stop = new AbortController();
  const faultAt = random.int(VISITS);
  let visits = 0;
  const taken = new TakenWork<SiteWork>({
    take: async (limit) => waiting.splice(0, limit),
    release: async (works) => void over.push(...works.map(({ key }) => key)),
    concurrency: 4,
    batch: 4,
  });
  const timer = setTimeout(() => kind === 'stop at any moment' && stop.abort(), random.int(SPREAD_MS));
  const given = new AbortController();
  const never = wait(NEVER_MS, 'still running', { signal: given.signal }).catch(() => '');
  const crawler = startCrawler<SiteWork>({
    ...{ taken, concurrency: 4, signal: stop.signal, log: SILENT },
    async visit({ key }) {
      visits += 1;
      over.push(key);
      await setImmediate();
      if (kind === 'fault' && over.length > faultAt) throw new Error(FAULT);
      if (visits === VISITS) stop.abort();
    },
  });
  const ended = crawler.ended.then(
    () => 'no fault',
    (fault: unknown) => (fault as Error).message,
  );
  const end = await Promise.race([ended, never]);
  clearTimeout(timer);
  given.abort();
  const all = new Set([...over, ...waiting.map(({ key }) => key)]).size === VISITS;
  if (end !== (kind === 'fault' ? FAULT : 'no fault')) return `${kind}: ${end}`;
  return all && over.length + waiting.length === VISITS ? kind : `${kind}: work was lost or done twice`;
}
