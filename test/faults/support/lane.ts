import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '../../../reference-agents/src/random.ts';
import type { Engines } from './engines.ts';
import type { Fault, FaultResult } from './fault.ts';
import { endCommands } from './registry.ts';

/** What a lane says of a fault that it has run. */
export interface LaneResult extends FaultResult {
  readonly seconds: number;
}

/** The fault of this name; each is a file. */
export async function loadFault(name: string): Promise<Fault> {
  const module = (await import(`../${name}.ts`)) as { readonly default: Fault };
  return module.default;
}

/** Runs one fault in a folder of its own, and ends what it leaves running. */
export async function runFault(
  name: string,
  { scale, seed, engines }: { readonly scale: number; readonly seed: number; readonly engines: Engines },
): Promise<LaneResult> {
  const fault = await loadFault(name);
  const folder = mkdtempSync(join(tmpdir(), 'registry-fault-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1_000);
  const log = (line: string) => void process.stderr.write(`${name} ${seconds()} s: ${line}\n`);
  const random = createRandom(seed).fork(name);
  const result = await fault.run({ scale, seed, random, engines, folder, log }).catch(failed);
  await endCommands();
  process.off('exit', remove);
  remove();
  log(`${result.held ? 'held' : 'DID NOT HOLD'}: ${result.detail}`);
  return { ...result, seconds: seconds() };
}

/** A fault that could not be tried does not hold. */
function failed(error: unknown): FaultResult {
  const hint = error instanceof Error && 'hint' in error ? `; ${String(error.hint)}` : '';
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { counted: 'none', held: false, detail: `it could not be tried to its end: ${text}${hint}` };
}
