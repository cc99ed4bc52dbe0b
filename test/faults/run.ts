/**
 * Makes things go wrong, and checks what must hold: `npm run faults [-- NAME…] [--scale 1] [--share 1] [--seed N] [--lanes 1]`. The
 * same seed makes the same choices, also of which faults a share of them are. Several lanes run several faults at once. Exit code 1 when something does not hold.
 */
import { fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { printTable } from '../../bench/support/table.ts';
import { createRandom } from '../../reference-agents/src/random.ts';
import type { Fault } from './support/fault.ts';
import { type LaneResult, loadFault } from './support/lane.ts';

const USAGE = 'usage: npm run faults -- [name…] [--scale 0.1] [--share 0.5] [--seed N] [--lanes 2]';
const LARGEST_SEED = 2 ** 31;
const LANE = join(import.meta.dirname, 'support', 'lane-process.ts');
/** A fault whose lane broke down was not tried, and does not hold. */
const LANE_ENDED: LaneResult = { counted: 'none', held: false, detail: 'its lane ended', seconds: 0 };

interface Outcome extends LaneResult, Pick<Fault, 'name' | 'sentence'> {}

interface Options {
  readonly names: readonly string[];
  readonly scale: number;
  readonly seed: number;
  readonly lanes: number;
}

const all = faultNames();
const options = readOptions(process.argv.slice(2));
const log = (line: string) => void process.stderr.write(`${line}\n`);
// an exit, and not a death by the signal: the lanes notice it and end what they started
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
/** What lanes leave for each other. */
const folder = mkdtempSync(join(tmpdir(), 'registry-faults-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
log(`seed ${options.seed}, scale ${options.scale}`);
const outcomes = await runInLanes(options);
report(outcomes, options);
process.exit(outcomes.every((outcome) => outcome.held) ? 0 : 1);

/** Each lane is a process with engines of its own, and takes the next fault when it has done one. */
async function runInLanes({ names, scale, seed, lanes }: Options): Promise<Outcome[]> {
  const faults = await Promise.all(names.map(loadFault));
  const waiting = faults.toSorted(
    (one, other) => Number(other.isLong ?? false) - Number(one.isLong ?? false),
  );
  const results: Outcome[] = [];
  await Promise.all(
    Array.from({ length: Math.min(lanes, faults.length) }, async () => {
      const lane = fork(LANE, [String(scale), String(seed)], {
        env: { ...process.env, FAULTS_FOLDER: folder },
      });
      const ended = once(lane, 'exit');
      for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift()) {
        const { name, sentence } = fault;
        lane.send(name);
        const said = await Promise.race([once(lane, 'message'), ended.then(() => undefined)]);
        const result = (said?.[0] as LaneResult | undefined) ?? LANE_ENDED;
        results.push({ name, sentence, ...result });
        if (said === undefined) return;
      }
      lane.disconnect();
      await ended;
    }),
  );
  for (const { name, sentence } of waiting) results.push({ name, sentence, ...LANE_ENDED });
  return results;
}

function report(results: readonly Outcome[], { scale, seed }: Options): void {
  const rows = results.map(({ name, sentence, counted, held, seconds }) => ({
    fault: name,
    counted,
    'must hold': sentence,
    held: held ? 'yes' : 'NO',
    seed,
    seconds,
  }));
  printTable(`Faults at scale ${scale}`, rows);
  for (const { name, detail } of results) process.stdout.write(`\n${name}: ${detail}\n`);
}

function readOptions(args: string[]): Options {
  const { values, positionals } = parsedArgs(args);
  if (values.help) {
    process.stdout.write(`${USAGE}\n${all.map((name) => `  ${name}\n`).join('')}`);
    process.exit(0);
  }
  const scale = Number(values.scale);
  const share = Number(values.share);
  const seed = values.seed === undefined ? randomInt(LARGEST_SEED) : Number(values.seed);
  const lanes = Number(values.lanes);
  const unknown = positionals.find((name) => !all.includes(name));
  if (unknown !== undefined) stop(`there is no fault ${unknown}; there are ${all.join(', ')}`);
  if (!(scale > 0)) stop('--scale is a number above 0');
  if (!(share > 0 && share <= 1)) stop('--share is a number above 0, up to 1');
  if (!Number.isInteger(seed)) stop('--seed is a whole number');
  if (!Number.isInteger(lanes) || lanes < 1) stop('--lanes is a whole number from 1');
  const wanted = positionals.length > 0 ? positionals : all;
  const order = createRandom(seed).fork('share').shuffled(wanted);
  return { names: order.slice(0, Math.ceil(order.length * share)), scale, seed, lanes };
}

function parsedArgs(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        help: { type: 'boolean', default: false },
        scale: { type: 'string', default: '1' },
        share: { type: 'string', default: '1' },
        seed: { type: 'string' },
        lanes: { type: 'string', default: '1' },
      },
    });
  } catch (error) {
    stop((error as Error).message);
  }
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
