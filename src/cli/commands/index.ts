import { type DefineCommand, examples } from '../command.ts';
import { type JsonFlag, type StoreFlags, withJson, withStore } from '../options.ts';

export interface IndexFlags extends StoreFlags, JsonFlag {
  readonly yes?: true;
  readonly acceptShrink?: true;
}

const STEPS = [
  ['status', 'Show the generations of the index and how far each one is.'],
  ['rebuild', 'Build a new generation from the records, with no network, beside the live one.'],
  ['promote', 'Compare the generation that was built with the live one, and switch to it.'],
  ['rollback', 'Bring the previous generation up to date and go back to it.'],
] as const;

export type IndexStep = (typeof STEPS)[number][0];

/** `registry index status | rebuild | promote | rollback`. */
export const defineIndex: DefineCommand = (program, done) => {
  const index = program.command('index').description('Look at, rebuild and switch the search index.');
  for (const [step, description] of STEPS) {
    const command = index.command(step).description(description);
    if (step !== 'status') command.option('--yes', 'do it; without this the plan is shown');
    if (step === 'promote' || step === 'rollback')
      command.option('--accept-shrink', 'even when the new one is more than a tenth smaller');
    withJson(withStore(command));
    command.action(async (flags: IndexFlags) => {
      const { indexCommand } = await import('../run/index.ts');
      done(await indexCommand(step, flags));
    });
  }
  examples(index, 'registry index status', 'registry index rebuild --yes && registry index promote --yes');
};
