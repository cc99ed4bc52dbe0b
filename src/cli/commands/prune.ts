import { command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { printJson, printLine } from '../output/print.ts';
import { WRITE, withStore } from '../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../shared-flags.ts';

export default command({
  name: 'prune',
  description:
    'Delete old history: captures, tombstones and evidence of passing runs after 30 days, probes and runs after 90; move file bodies to REGISTRY_BODIES.',
  flags: { ...STORE_FLAGS, ...JSON_FLAG },
  examples: ['agent-registry prune'],
  run: (flags) =>
    withStore(flags, WRITE, async ({ records, clock }) => {
      const { pruneAndMove } = await import('../../../pipelines/prune.ts');
      const { counts, moved, fault } = await pruneAndMove(
        records,
        clock,
        Math.min(clock.now(), clock.settled()),
      );
      const { edgeChanges, ...others } = counts;
      const bodies = moved && {
        bodies_moved: moved.moved,
        moved_bytes: moved.bytes,
        bodies_dropped: moved.dropped,
      };
      if (flags.json) printJson({ ...others, edge_changes: edgeChanges, ...bodies });
      else {
        printLine(
          `deleted ${counts.captures} captures, ${counts.observations} probes, ${counts.tombstones} tombstones, ${counts.bodies} bodies, ${counts.runs} runs, the evidence of ${counts.evidence} runs, ${edgeChanges} superseded authorisation changes`,
        );
        if (moved) printLine(`moved ${moved.moved} bodies (${moved.bytes} bytes), deleted ${moved.dropped}`);
      }
      if (fault !== undefined) throw fault;
      return EXIT.ok;
    }),
});
