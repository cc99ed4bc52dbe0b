import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** Prints what the figures below were taken on, and how busy it was when the benchmark began. */
export function printMachine(more: Readonly<Record<string, string | number>>): void {
  const facts = {
    cores: `${availableParallelism()} (${cpus()[0]?.model ?? 'unknown'})`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    node: process.version,
    load: load(),
    ...more,
  };
  const texts = Object.entries(facts).map(([name, fact]) => `${name}: ${fact}`);
  console.log(`\n${texts.join('; ')}`);
}

/** The mean number of processes that wanted to run in the last minute, five and fifteen minutes. */
export function load(): string {
  return loadavg()
    .map((mean) => mean.toFixed(1))
    .join(' ');
}

/** Waits until hardly anything else runs: the mean of the last minute below `mean`, or for `withinMs` at most. */
export async function waitForQuiet(mean: number, withinMs: number): Promise<void> {
  const end = performance.now() + withinMs;
  while ((loadavg()[0] ?? 0) > mean && performance.now() < end) await pause(1_000);
}
