import { systemClock } from '../../compose.ts';
import type { PruneFlags } from '../commands/prune.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson, printLine } from '../output/print.ts';
import { WRITE, withStore } from '../with-store.ts';

/** `registry prune`. */
export function pruneCommand(flags: PruneFlags): Promise<ExitCode> {
  return withStore(flags, WRITE, async ({ records }) => {
    const counts = await records.prune(systemClock.now());
    if (flags.json) printJson(counts);
    else
      printLine(
        `deleted ${counts.captures} captures, ${counts.observations} probes, ${counts.tombstones} tombstones, ${counts.bodies} bodies, ${counts.runs} runs, ${counts.evidence} times the evidence of a run`,
      );
    return EXIT.ok;
  });
}
