/**
 * Every fault of the matrix in front of every agent, by the runner and by `agent-registry check`. Exit code 1 when a cell is
 * wrong: `npm run test:verdicts [-- --agent NAME] [--of CLASS] [--name PART] [--narrow] [--no-field] [--no-command]`.
 */
import { parseArgs } from 'node:util';
import { SANDBOX_AGENTS } from './agents.ts';
import { openCommandJudge } from './command.ts';
import { openFieldSeller } from './field-seller.ts';
import { type Cell, cellsOf, openCells } from './matrix.ts';
import { openCellRunner } from './run-cell.ts';

const { values: flags } = parseArgs({
  allowNegative: true,
  options: {
    /** Only cells of this agent, of this class, or with this part in their name. */
    agent: { type: 'string' },
    of: { type: 'string' },
    name: { type: 'string' },
    /** Only the storyboards that show the fault. */
    narrow: { type: 'boolean', default: false },
    field: { type: 'boolean', default: true },
    command: { type: 'boolean', default: true },
  },
});

const LANES = 3;
const field = flags.field ? await openFieldSeller() : undefined;
const { seller, publicSeller, a2aSeller } = SANDBOX_AGENTS;
const cells: readonly Cell[] = [
  ...[seller, publicSeller, a2aSeller, ...(field ? [field] : [])].flatMap(cellsOf),
  ...openCells('sandbox-desk'),
].filter(
  (cell) =>
    (flags.agent === undefined || cell.agent.name === flags.agent) &&
    (flags.of === undefined || cell.of === flags.of) &&
    (flags.name === undefined || cell.name.includes(flags.name)),
);

const runner = await openCellRunner();
const commandFault = openCommandJudge(runner);
const counts = new Map<string, { cells: number; run: number; command: number }>();
const queue = [...cells];

async function judgeQueue(): Promise<void> {
  for (let cell = queue.shift(); cell !== undefined; cell = queue.shift()) {
    const breadth = flags.narrow ? 'narrow' : 'whole';
    const { wrong } = await runner.judge(cell, breadth);
    const shown = flags.command ? await commandFault(cell, breadth) : undefined;
    const key = `${cell.agent.name} | ${cell.of}`;
    const count = counts.get(key) ?? { cells: 0, run: 0, command: 0 };
    counts.set(key, count);
    count.cells += 1;
    count.run += Number(wrong !== undefined);
    count.command += Number(shown !== undefined);
    const got = [wrong && `run: ${wrong}`, shown && `command: ${shown}`].filter(Boolean).join('; ');
    if (got !== '')
      process.stdout.write(`${key} | ${cell.name} | ${expectedIn(cell)} | ${got.slice(0, 400)}\n`);
  }
}

function expectedIn({ expected }: Cell): string {
  return expected.kind === 'fault' ? `fault of ${expected.task}` : expected.kind;
}

process.stdout.write('agent | class | cell | expected | got\n');
await Promise.all(Array.from({ length: LANES }, judgeQueue));
await runner.close();
await field?.close();
process.stdout.write('\nagent | class | cells | wrong runs | wrong commands\n');
let wrong = 0;
for (const [key, count] of counts) {
  wrong += count.run + count.command;
  process.stdout.write(`${key} | ${count.cells} | ${count.run} | ${count.command}\n`);
}
process.stdout.write(`${cells.length} cells, ${wrong === 0 ? 'all right' : `${wrong} wrong results`}\n`);
process.exit(wrong === 0 ? 0 : 1);
