import { openStore } from '../../src/compose/engines.ts';
import { readConfig } from '../../src/config.ts';
import type { AbusersInput, AbusersResult } from '../sides/abusers.ts';
import type { HonestInput, HonestResult } from '../sides/honest-clients.ts';
import { fillRegistry } from '../support/fill-registry.ts';
import { honestPaths } from '../support/honest-paths.ts';
import { withScratchStore } from '../support/scratch.ts';
import { type ServeProcess, startServe } from '../support/serve-process.ts';
import { runSide } from '../support/side.ts';
import { median, quantile } from '../support/statistics.ts';
import { printTable, type Row } from '../support/table.ts';
import type { AbuseOptions } from './part.ts';
import { WORST_REQUESTS } from './worst-requests.ts';

const CLIENTS = 100;
const ABUSERS = 50;
/** The honest p99 beside abuse, of the quiet p99 in the same run. */
const TARGET = 3;

interface Size {
  readonly agents: number;
  readonly forMs: number;
  readonly rounds: number;
}

/** The worst requests, many at once, beside honest clients of a real `serve`. */
export async function measure({ quick }: AbuseOptions): Promise<boolean> {
  const size = quick
    ? { agents: 500, forMs: 1_500, rounds: 1 }
    : { agents: 10_000, forMs: 12_000, rounds: 3 };
  const held = await withScratchStore(async (path) => {
    await fill(path, size.agents);
    const serving = await startServe(path);
    try {
      return await compare(serving, size);
    } finally {
      await serving.stop();
    }
  });
  return held || quick;
}

async function fill(path: string, agents: number): Promise<void> {
  const store = await openStore({ ...readConfig({}), store: `sqlite:${path}` }, { create: true });
  try {
    await fillRegistry(store.records, store.index, agents);
  } finally {
    await store.close();
  }
}

async function compare({ port }: ServeProcess, { agents, forMs, rounds }: Size): Promise<boolean> {
  const honest: HonestInput = { port, clients: CLIENTS, forMs, paths: honestPaths() };
  const requests = WORST_REQUESTS.map(({ text }) => text);
  const abusers: AbusersInput = { port, atOnce: ABUSERS, forMs, requests };
  await runSide<HonestResult>('honest-clients', { ...honest, forMs: forMs / 4 }); // warms up
  const quiet: HonestResult[] = [];
  const beside: HonestResult[] = [];
  const answers: Record<string, number> = {};
  for (let round = 0; round < rounds; round += 1) {
    quiet.push((await runSide<HonestResult>('honest-clients', honest)).result);
    const [ours, theirs] = await Promise.all([
      runSide<HonestResult>('honest-clients', honest),
      runSide<AbusersResult>('abusers', abusers),
    ]);
    beside.push(ours.result);
    for (const [status, count] of Object.entries(theirs.result.answers))
      answers[status] = (answers[status] ?? 0) + count;
  }
  const ratio = median(beside.map((one, at) => p99(one) / p99(quiet[at] ?? one)));
  printTable(
    `${CLIENTS} honest clients beside ${ABUSERS} abusers with ${requests.length} requests (${agents} agents, n = ${rounds} × ${forMs / 1_000} s)`,
    [
      { ...row('quiet', quiet), 'p99 of the quiet': '', target: '' },
      { ...row('beside the abusers', beside), 'p99 of the quiet': ratio, target: `≤ ${TARGET}` },
    ],
  );
  console.log(`\nthe abusers' answers: ${shown(answers)}`);
  return ratio <= TARGET && beside.every(({ failed }) => Object.keys(failed).length === 0);
}

function row(side: string, results: readonly HonestResult[]): Row {
  const of = (share: number) => median(results.map(({ ms }) => quantile(ms, share)));
  const failed = shown(sum(results.map((one) => one.failed)));
  const answered = results.reduce((total, { ms }) => total + ms.length, 0);
  return { side, answered, failed, 'p50 ms': of(0.5), 'p99 ms': of(0.99), 'worst ms': of(1) };
}

function p99({ ms }: HonestResult): number {
  return quantile(ms, 0.99);
}

function sum(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const one of counts)
    for (const [name, count] of Object.entries(one)) total[name] = (total[name] ?? 0) + count;
  return total;
}

function shown(counts: Readonly<Record<string, number>>): string {
  return (
    Object.entries(counts)
      .map(([name, count]) => `${name}: ${count}`)
      .join(', ') || 'none'
  );
}
