/**
 * Makes things go wrong, and checks what must hold: `npm run faults [-- NAME…] [--scale 1] [--seed N]`. The same seed
 * makes the same choices. Exit code 1 when something does not hold.
 */
import { randomInt } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { printTable } from '../../bench/support/table.ts';
import { createRandom } from '../../reference-agents/src/random.ts';
import { createEngines, type Engines } from './support/engines.ts';
import type { Fault, FaultResult } from './support/fault.ts';
import { endCommands } from './support/registry.ts';

const USAGE = 'usage: npm run faults -- [name…] [--scale 0.1] [--seed N]';
const LARGEST_SEED = 2 ** 31;

interface Options {
  readonly names: readonly string[];
  readonly scale: number;
  readonly seed: number;
}

interface Outcome extends FaultResult {
  readonly fault: Fault;
  readonly seconds: number;
}

const all = faultNames();
const options = readOptions(process.argv.slice(2));
const log = (line: string) => void process.stderr.write(`${line}\n`);
// an exit, and not a death by the signal: what was started is then ended too
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
log(`seed ${options.seed}, scale ${options.scale}`);
const engines = createEngines(log);
const outcomes: Outcome[] = [];
try {
  for (const name of options.names) outcomes.push(await runFault(name, options, engines));
} finally {
  await engines.stop();
}
report(outcomes, options);
// at once: a fault that broke off may have left something open
process.exit(outcomes.every((outcome) => outcome.held) ? 0 : 1);

async function runFault(name: string, { scale, seed }: Options, engines: Engines): Promise<Outcome> {
  const { default: fault } = (await import(`./${name}.ts`)) as { readonly default: Fault };
  const folder = mkdtempSync(join(tmpdir(), 'registry-fault-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const startedAt = performance.now();
  const elapsed = () => Math.round((performance.now() - startedAt) / 1_000);
  const say = (line: string) => log(`${name} ${elapsed()} s: ${line}`);
  const context = { scale, seed, random: createRandom(seed).fork(name), engines, folder, log: say };
  const result = await fault.run(context).catch(failed);
  await endCommands();
  process.off('exit', remove);
  remove();
  say(`${result.held ? 'held' : 'DID NOT HOLD'}: ${result.detail}`);
  return { ...result, fault, seconds: elapsed() };
}

/** A fault that could not be tried does not hold. */
function failed(error: unknown): FaultResult {
  const hint = error instanceof Error && 'hint' in error ? `; ${String(error.hint)}` : '';
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { counted: 'none', held: false, detail: `it could not be tried to its end: ${text}${hint}` };
}

function report(results: readonly Outcome[], { scale, seed }: Options): void {
  const rows = results.map(({ fault, counted, held, seconds }) => ({
    fault: fault.name,
    counted,
    'must hold': fault.sentence,
    held: held ? 'yes' : 'NO',
    seed,
    seconds,
  }));
  printTable(`Faults at scale ${scale}`, rows);
  for (const { fault, detail } of results) process.stdout.write(`\n${fault.name}: ${detail}\n`);
}

function readOptions(args: string[]): Options {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { scale: { type: 'string', default: '1' }, seed: { type: 'string' } },
  });
  const scale = Number(values.scale);
  const seed = values.seed === undefined ? randomInt(LARGEST_SEED) : Number(values.seed);
  const unknown = positionals.find((name) => !all.includes(name));
  if (unknown !== undefined) stop(`there is no fault ${unknown}; there are ${all.join(', ')}`);
  if (!(scale > 0)) stop('--scale is a number above 0');
  if (!Number.isInteger(seed)) stop('--seed is a whole number');
  return { names: positionals.length > 0 ? positionals : all, scale, seed };
}

/** Every file beside this one is a fault. */
function faultNames(): readonly string[] {
  return readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
    .map((file) => file.slice(0, -'.ts'.length))
    .toSorted();
}

function stop(message: string): never {
  process.stderr.write(`${message}\n${USAGE}\n`);
  process.exit(2);
}
