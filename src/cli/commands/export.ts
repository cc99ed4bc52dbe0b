import { command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { textFlag } from '../flags.ts';
import { onInterrupt } from '../interrupt.ts';
import { printJson, printLine } from '../output/print.ts';
import { WRITE, withStore } from '../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../shared-flags.ts';

export default command({
  name: 'export',
  description: 'Write a copy of the directory for those who keep one: serve hands out the newest.',
  flags: {
    to: textFlag('--to <folder>', 'where the file goes; older ones there are deleted (REGISTRY_EXPORTS)'),
    ...STORE_FLAGS,
    ...JSON_FLAG,
  },
  examples: ['agent-registry export', 'agent-registry export --to /var/lib/agent-registry/exports'],
  run: (flags) =>
    withStore(flags, WRITE, async ({ records, clock }, config) => {
      const { writeExport } = await import('../../api/export/files.ts');
      const { cursorSecretOf } = await import('../../api/operations/list-agents.ts');
      const { signal, dispose } = onInterrupt();
      using _interrupt = { [Symbol.dispose]: dispose };
      const parts = { records, clock, cursorSecret: await cursorSecretOf(records) };
      const { path, bytes, cursor, counts } = await writeExport(parts, flags.to ?? config.exports, signal);
      if (flags.json) printJson({ path, bytes, cursor, counts });
      else {
        const { agents, publishers, entries } = counts;
        printLine(`${path}: ${agents} agents, ${publishers} publishers, ${entries} entries, ${bytes} bytes`);
      }
      return EXIT.ok;
    }),
});
