import type { Command } from 'commander';
import { type DefineCommand, examples } from '../command.ts';
import { type JsonFlag, type StoreFlags, withJson, withStore } from '../options.ts';

export interface IndexFlags extends StoreFlags, JsonFlag {
  readonly yes?: true;
  readonly acceptShrink?: true;
  readonly replaceForeign?: true;
  /** False with --no-promote. */
  readonly promote?: boolean;
}

const STEPS = [
  ['status', 'Show the generations of the index, how far each one is, and what can be done next.'],
  ['rebuild', 'Build a new generation from the records, with no network, compare it, and switch to it.'],
  ['promote', 'Compare a generation that was built and not switched to, and switch to it.'],
  ['rollback', 'Bring the previous generation up to date and go back to it.'],
  ['prune', 'Drop what interrupted or refused rebuilds left.'],
] as const;

export type IndexStep = (typeof STEPS)[number][0];

/** `registry index status | rebuild | promote | rollback | prune`. */
export const defineIndex: DefineCommand = (program, done) => {
  const index = program.command('index').description('Look at, rebuild and switch the search index.');
  for (const [step, description] of STEPS) {
    const command = index.command(step).description(description);
    addOptions(command, step);
    withJson(withStore(command));
    command.action(async (flags: IndexFlags) => {
      const { indexCommand } = await import('../run/index.ts');
      done(await indexCommand(step, flags));
    });
  }
  examples(index, 'registry index status', 'registry index rebuild --yes');
};

function addOptions(command: Command, step: IndexStep): void {
  if (step === 'status') return;
  command.option('--yes', 'do it; without this the plan is shown');
  if (step !== 'prune') {
    command
      .option('--accept-shrink', 'even when the new one is more than a tenth smaller')
      .option('--replace-foreign', 'even when a generation of other records is live under these names');
  }
  if (step === 'rebuild') command.option('--no-promote', 'build it and do not switch to it');
}
