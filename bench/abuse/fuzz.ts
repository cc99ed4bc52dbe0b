import { type FuzzedRun, fuzz } from '../../test/fuzz/fuzz.ts';
import { PARSERS } from '../../test/fuzz/parsers.ts';
import { printTable } from '../support/table.ts';
import type { AbuseOptions } from './part.ts';

/** Milliseconds of the processor for one text, whatever it is. */
const BUDGET_MS = 50;

/** Texts of strangers for all parsers: none may throw, and none may take long. REGISTRY_SEED repeats a run. */
export async function measure({ quick }: AbuseOptions): Promise<boolean> {
  const inputs = quick ? 20_000 : 1_000_000;
  const each = Math.ceil(inputs / PARSERS.length);
  const seed = Number(process.env.REGISTRY_SEED ?? Date.now() % 1_000_000_000);
  const runs = PARSERS.map((parser) => fuzz(parser, { inputs: each, seed, budgetMs: BUDGET_MS }));
  printTable(
    `${each * PARSERS.length} texts for ${PARSERS.length} parsers, at most ${BUDGET_MS} ms each (seed ${seed})`,
    runs.map(({ parser, inputs: texts, longestMs, longest, faults }) => ({
      parser,
      texts,
      'longest ms': longestMs,
      characters: longest?.text.length ?? 0,
      'seed and number': longest === undefined ? '' : `${longest.seed} ${longest.number}`,
      faults: faults.length,
    })),
  );
  for (const run of runs) tellFaults(run);
  return runs.every(({ faults }) => faults.length === 0);
}

function tellFaults({ parser, faults }: FuzzedRun): void {
  for (const { input, why } of faults)
    console.log(
      `\n${parser}, seed ${input.seed}, number ${input.number}: ${why}\n  ${JSON.stringify(input.text.slice(0, 300))}`,
    );
}
