import { setTimeout as pause } from 'node:timers/promises';
import { heartbeat } from '../../pipelines/heartbeat.ts';
import { openStore } from '../../src/compose/engines.ts';
import { composeFetcher } from '../../src/compose/network.ts';
import { composeRuns } from '../../src/compose/runs.ts';
import { readConfig } from '../../src/config.ts';
import { deriveStored } from '../../src/discovery/derive-facts.ts';
import { createLog } from '../../src/ops/log.ts';
import { createMetrics } from '../../src/ops/metrics.ts';
import type { Records } from '../../src/ports/records.ts';
import { asSide } from '../support/as-side.ts';
import { cpuMs } from '../support/cpu.ts';

export interface HeartbeatSideInput {
  readonly store: string;
  readonly connectTo: readonly string[];
  readonly concurrency: number;
  /** When the clock begins, epoch milliseconds. */
  readonly from: number;
  /** How much faster than ours it goes. */
  readonly speed: number;
  /** How long, by that clock, milliseconds; absent: until nothing is due. */
  readonly lastingMs?: number;
  /** Bearer token for all agents. */
  readonly token?: string;
}

export interface HeartbeatSide {
  readonly runs: number;
  readonly complete: number;
  /** Of the runs, without what was loaded before. */
  readonly cpuMs: number;
  readonly wallMs: number;
  /** Between when an agent came due and when its run was taken up, by the clock of the input, milliseconds. */
  readonly largestDelayMs: number;
}

/** The heartbeat of one process under a clock that is sped up. */
await asSide(async (input: HeartbeatSideInput): Promise<HeartbeatSide> => {
  const { concurrency, from, speed, lastingMs, token } = input;
  const config = readConfig({
    REGISTRY_STORE: `sqlite:${input.store}`,
    REGISTRY_RUN_CONCURRENCY: String(concurrency),
    REGISTRY_LOG_LEVEL: 'warn',
  });
  const began = performance.now();
  const clock = { now: () => from + Math.round((performance.now() - began) * speed) };
  const store = await openStore(config, { create: false });
  const metrics = createMetrics();
  const fetcher = composeFetcher(config, { connectTo: input.connectTo }, clock);
  const end = new AbortController();
  const delays = measuringDelays(store.records, clock);
  const log = createLog({ level: 'warn', pretty: false });
  const parts = { config, records: delays.records, fetcher, clock, log, signal: end.signal, metrics };
  const composed = await composeRuns(parts);
  const runs = token === undefined ? composed : { ...composed, credentialOf: async () => ({ token }) };
  const before = { cpuMs: cpuMs(), at: performance.now() };
  const indexer = { records: delays.records, index: store.index, rederive: deriveStored };
  const beating = heartbeat({ runs, indexer, once: lastingMs === undefined });
  if (lastingMs !== undefined) {
    await pause((from + lastingMs - clock.now()) / speed);
    end.abort();
  }
  await beating;
  const spent = { cpuMs: cpuMs() - before.cpuMs, wallMs: performance.now() - before.at };
  await fetcher.close();
  await store.close();
  const { interrupted, ...counts } = metrics.runCounts();
  const made = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { ...spent, runs: made, complete: counts.complete, largestDelayMs: delays.largestMs() };
});

function measuringDelays(records: Records, clock: { now(): number }) {
  let largest = 0;
  const takeDue: Records['runs']['takeDue'] = async (...asked) => {
    const works = await records.runs.takeDue(...asked);
    for (const { dueAt } of works) largest = Math.max(largest, clock.now() - dueAt);
    return works;
  };
  return { records: { ...records, runs: { ...records.runs, takeDue } }, largestMs: () => largest };
}
