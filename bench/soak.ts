/**
 * `serve` for an hour at 500 requests a second, with crawls, rebuilds and prunes one after the other on the same SQLite
 * file. Each minute is measured separately: no response may be a 5xx, and memory must not grow after the first ten minutes.
 *
 *   npm run bench -- soak [--quick]
 *   node bench/soak.ts --minutes 20
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openStore } from '../src/compose/engines.ts';
import { readConfig } from '../src/config.ts';
import { startPublisherWeb } from '../test/faults/support/publisher-web.ts';
import { endCommands, runCommand } from '../test/faults/support/registry.ts';
import type { HonestInput, HonestResult } from './sides/honest-clients.ts';
import { fillRegistry } from './support/fill-registry.ts';
import { honestPaths } from './support/honest-paths.ts';
import { withScratchFolder } from './support/scratch.ts';
import { startServe } from './support/serve-process.ts';
import { runSide } from './support/side.ts';
import { median, quantile } from './support/statistics.ts';
import { printTable } from './support/table.ts';

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, minutes: { type: 'string', default: '60' } },
});
const MINUTE_MS = values.quick ? 3_000 : 60_000;
const minutes = values.quick ? 2 : Number(values.minutes);
const agents = values.quick ? 500 : 20_000;
const domains = values.quick ? 20 : 1_000;
/** Five requests a second each (honest-clients.ts). */
const CLIENTS = 100;
/** Minutes after which the memory must be flat, and by how much it may differ then. */
const SETTLED = values.quick ? 0 : Math.min(10, Math.floor(minutes / 2));
const FLAT = 1.1;

interface Minute {
  readonly result: HonestResult;
  readonly rssMiB: number;
}

await withScratchFolder(async (folder) => {
  const store = join(folder, 'registry.sqlite');
  await fill(store);
  const web = await startPublisherWeb({ domains, agents: 40, delayMs: 0 });
  const list = join(folder, 'domains.txt');
  writeFileSync(list, web.domains.join('\n'));
  const upkeep = startUpkeep(store, [
    ['crawl', '--from', list, '--progress', 'none', '--log-level', 'error', ...web.flags],
    ['index', 'rebuild', '--yes'],
    ['prune'],
  ]);
  const serving = await startServe(store);
  const input: HonestInput = { port: serving.port, clients: CLIENTS, forMs: MINUTE_MS, paths: honestPaths() };
  const measured: Minute[] = [];
  try {
    for (let minute = 1; minute <= minutes; minute += 1) {
      const { result } = await runSide<HonestResult>('honest-clients', input);
      measured.push({ result, rssMiB: residentMiB(serving.pid) });
    }
  } finally {
    const done = await upkeep.stop();
    await serving.stop();
    await web.close();
    report(measured, done);
  }
});

async function fill(path: string): Promise<void> {
  const store = await openStore({ ...readConfig({}), store: `sqlite:${path}` }, { create: true });
  try {
    await fillRegistry(store.records, store.index, agents);
  } finally {
    await store.close();
  }
}

/** Runs the commands again and again, one after the other; `stop` resolves with how often each came to its end. */
function startUpkeep(store: string, commands: readonly (readonly string[])[]) {
  const done: Record<string, number> = {};
  let goesOn = true;
  const going = (async () => {
    while (goesOn)
      for (const args of commands) {
        if (!goesOn) return;
        const { code, stderr } = await runCommand(args, { REGISTRY_STORE: `sqlite:${store}` });
        if (!goesOn) return;
        const name = code === 0 ? (args[0] ?? '') : `${args[0]} failed (${code}: ${stderr.slice(-300)})`;
        done[name] = (done[name] ?? 0) + 1;
      }
  })();
  return {
    async stop() {
      goesOn = false;
      await endCommands();
      await going;
      return done;
    },
  };
}

function residentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
}

function report(measured: readonly Minute[], upkeep: Readonly<Record<string, number>>): void {
  const seconds = MINUTE_MS / 1_000;
  printTable(
    `serve for ${minutes} × ${seconds} s (${agents} agents; beside it: ${counts(upkeep)})`,
    measured.map(({ result, rssMiB }, at) => ({
      minute: at + 1,
      'requests a second': Math.round(result.ms.length / seconds),
      'p50 ms': quantile(result.ms, 0.5),
      'p99 ms': quantile(result.ms, 0.99),
      'worst ms': quantile(result.ms, 1),
      'not 200': counts(result.failed),
      'memory MiB': Math.round(rssMiB),
    })),
  );
  const late = measured.slice(SETTLED).map(({ rssMiB }) => rssMiB);
  const half = Math.ceil(late.length / 2);
  const growth = median(late.slice(-half)) / median(late.slice(0, half));
  const broken = measured
    .flatMap(({ result }) => Object.keys(result.failed))
    .filter((status) => !/^[234]/.test(status));
  const failed = Object.keys(upkeep).filter((name) => name.includes('failed'));
  console.log(
    `\nmemory after minute ${SETTLED}, second half beside first: ${growth.toFixed(3)} (target: ≤ ${FLAT})`,
  );
  console.log(
    `5xx or broken connections: ${broken.length === 0 ? 'none' : broken.join(', ')} (target: none)`,
  );
  if (growth > FLAT || broken.length > 0 || failed.length > 0) process.exitCode = values.quick ? 0 : 1;
}

function counts(of: Readonly<Record<string, number>>): string {
  return (
    Object.entries(of)
      .map(([name, count]) => `${count} × ${name}`)
      .join(', ') || 'none'
  );
}
