import { type DefineCommand, examples } from '../command.ts';
import { type JsonFlag, type StoreFlags, withJson, withStore } from '../options.ts';

export type PruneFlags = StoreFlags & JsonFlag;

/** `registry prune`. */
export const definePrune: DefineCommand = (program, done) => {
  const command = program
    .command('prune')
    .description(
      'Delete history that is past its time: captures, tombstones and the evidence of passing runs after 30 days, probes and runs after 90.',
    );
  withJson(withStore(command));
  examples(command, 'registry prune');
  command.action(async (flags: PruneFlags) => {
    const { pruneCommand } = await import('../run/prune.ts');
    done(await pruneCommand(flags));
  });
};
