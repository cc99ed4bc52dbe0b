import { command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { printJson, printLine } from '../output/print.ts';
import { WRITE, withStore } from '../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../shared-flags.ts';

export default command({
  name: 'prune',
  description:
    'Delete old history: captures, tombstones and the evidence of passing runs after 30 days, probes and runs after 90.',
  flags: { ...STORE_FLAGS, ...JSON_FLAG },
  examples: ['agent-registry prune'],
  run: (flags) =>
    withStore(flags, WRITE, async ({ records, clock }) => {
      const counts = await records.prune(Math.min(clock.now(), clock.settled()));
      const { edgeChanges, ...others } = counts;
      if (flags.json) printJson({ ...others, edge_changes: edgeChanges });
      else
        printLine(
          `deleted ${counts.captures} captures, ${counts.observations} probes, ${counts.tombstones} tombstones, ${counts.bodies} bodies, ${counts.runs} runs, ${counts.evidence} times the evidence of a run, ${edgeChanges} overtaken changes of edges`,
        );
      return EXIT.ok;
    }),
});
