/**
 * A copy of the directory: the export as a stream, building the local directory from it, and a question to that directory.
 * Each step runs in its own process, beside its floor.
 *
 *   node bench/local-directory.ts [--publishers 1000000] [--agents 1000000] [--questions 200000] [--store PATH] [--quick]
 */
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Step } from './sides/local-directory.ts';
import { EDGES } from './support/fill-edges.ts';
import { withScratchStore } from './support/scratch.ts';
import { runSide } from './support/side.ts';
import { printTable } from './support/table.ts';

const { values: options } = parseArgs({
  options: {
    publishers: { type: 'string', default: '1000000' },
    agents: { type: 'string', default: '1000000' },
    questions: { type: 'string', default: '200000' },
    store: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
});
const publishers = options.quick ? 2_000 : Number(options.publishers);
const agents = options.quick ? 2_000 : Number(options.agents);
const questions = options.quick ? 5_000 : Number(options.questions);

if (options.store === undefined) await withScratchStore(main);
else await main(options.store);

async function main(store: string): Promise<void> {
  const folder = join(dirname(store), 'exports');
  const given = { store, folder, publishers, agents, questions, saved: join(dirname(store), 'directory') };
  const step = <Result>(name: Step['step'], file = '', other: Partial<Step> = {}) =>
    runSide<Result>('local-directory', { ...given, file, step: name, ...other } satisfies Step);
  const tenth = {
    ...{ store: `${store}.tenth`, folder: `${folder}-tenth` },
    ...{ publishers: publishers / 10, agents: agents / 10 },
  };
  if (!existsSync(tenth.store)) await step('fill', '', tenth);
  const small = await step<Exported>('export', '', tenth);
  if (!existsSync(store)) await step('fill');
  const rows = await step('rows');
  const made = await step<Exported>('export');
  const { path } = made.result;
  const lines = await step('lines', path);
  const load = await step('load', path);
  const row = (name: string, { cpuMs, peakRssMiB }: typeof rows, floor: typeof rows) => {
    const figures = { 'CPU s': cpuMs / 1_000, 'beside the floor': cpuMs / floor.cpuMs };
    return { step: name, ...figures, 'peak RSS, MiB': peakRssMiB };
  };
  printTable(`a copy of ${agents} agents and ${publishers * EDGES} edges, in CPU time`, [
    row('floor: the rows as they are', rows, rows),
    row('the export', made, rows),
    row('the same of a tenth as many', small, rows),
    row('floor: its lines, unpacked and parsed', lines, lines),
    row('the directory, saved', load, lines),
  ]);
  const memoryOf = ({ halfMiB, wholeMiB }: Exported) => ({ 'first half': halfMiB, 'both halves': wholeMiB });
  printTable('the most memory of an export, MiB', [
    { export: 'a tenth as many', ...memoryOf(small.result) },
    { export: 'all', ...memoryOf(made.result) },
  ]);
  const { result: open } = await step<Opened>('open');
  printTable('the saved directory', [
    { what: 'export, MiB', value: made.result.bytes / 2 ** 20 },
    { what: 'directory, MiB', value: statSync(given.saved).size / 2 ** 20 },
    { what: 'floor: its bytes read, ms', value: open.readMs },
    { what: 'opened, ms', value: open.openMs },
    { what: 'RSS of the process then, MiB', value: open.rssMiB },
    { what: 'floor: the rule alone, µs p50', value: open.floor.p50 },
    { what: 'floor: the rule alone, µs p99', value: open.floor.p99 },
    { what: 'making a question, µs p50', value: open.ask.p50 },
    { what: 'a question with that, µs p50', value: open.question.p50 },
    { what: 'a question with that, µs p99', value: open.question.p99 },
  ]);
}

interface Exported {
  readonly path: string;
  readonly bytes: number;
  /** The most memory while the first half of the time ran, and in all. */
  readonly halfMiB: number;
  readonly wholeMiB: number;
}

interface Opened {
  readonly readMs: number;
  readonly openMs: number;
  readonly rssMiB: number;
  readonly floor: Times;
  readonly ask: Times;
  readonly question: Times;
}

/** CPU microseconds a question, of blocks of a thousand. */
interface Times {
  readonly p50: number;
  readonly p99: number;
}
