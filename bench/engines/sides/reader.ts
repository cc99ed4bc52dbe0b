import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'undici';
import { sealCursor } from '../../../src/index/query/cursor.ts';
import { asServer, sideInput } from '../../support/as-side.ts';
import { markOf } from '../support/load-rows.ts';
import { randomNumbers } from '../support/questions.ts';
import { isMissing, urlsOf } from '../support/sets.ts';

export interface ReaderInput {
  readonly port: number;
  readonly cursorSecret: Uint8Array;
  readonly agents: number;
  /** Answers may come from this set and the one after it. */
  readonly set: number;
  readonly seed: number;
}

/** What the reads between two questions were. */
export interface ReadCounts {
  readonly old: number;
  readonly new: number;
  /** Not answered with 200. */
  readonly failed: number;
  /** Equal to neither set: of both, or not whole. */
  readonly mixed: number;
  /** Of the old set after an answer of the new one. */
  readonly back: number;
  readonly worstMs: number;
}

const LIMIT = 50;
const PAUSE_MS = 10;
const { port, cursorSecret, agents, set, seed } = await sideInput<ReaderInput>();
const urls = urlsOf(agents);
const random = randomNumbers(seed);
const client = new Client(`http://127.0.0.1:${port}`);
const counts = { old: 0, new: 0, failed: 0, mixed: 0, back: 0, worstMs: 0 };
let isStopped = false;

asServer(
  {},
  () => counts,
  () => {
    isStopped = true;
  },
);
while (!isStopped) {
  await read();
  await pause(PAUSE_MS);
}
await client.close();

/** A page from anywhere, through the API. */
async function read(): Promise<void> {
  // not at the very end, where a page of either set may be empty
  const at = Math.floor(random() * (agents - 3 * LIMIT));
  const cursor = sealCursor(cursorSecret, {}, urls[at] ?? '');
  const begun = performance.now();
  const path = `/api/registry/agents?limit=${LIMIT}&cursor=${cursor}`;
  const answer = await client.request({ method: 'GET', path }).catch(() => undefined);
  const text = await answer?.body.text().catch(() => '');
  counts.worstMs = Math.max(counts.worstMs, performance.now() - begun);
  if (answer?.statusCode !== 200 || text === undefined || text === '') counts.failed += 1;
  else judge(at, (JSON.parse(text) as { readonly agents: readonly Shown[] }).agents);
}

interface Shown {
  readonly url: string;
  readonly name: string;
}

function judge(at: number, shown: readonly Shown[]): void {
  if (isPageOf(set + 1, at, shown)) counts.new += 1;
  else if (isPageOf(set, at, shown)) {
    counts.old += 1;
    if (counts.new > 0) counts.back += 1;
  } else counts.mixed += 1;
}

function isPageOf(candidate: number, at: number, shown: readonly Shown[]): boolean {
  const expected: string[] = [];
  for (let next = at + 1; next < agents && expected.length < LIMIT; next += 1)
    if (!isMissing(next, candidate)) expected.push(urls[next] ?? '');
  const mark = markOf(candidate);
  return (
    shown.length === expected.length &&
    shown.every(({ url, name }, place) => url === expected[place] && name.endsWith(mark))
  );
}
