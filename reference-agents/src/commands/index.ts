import { createProgram, type DefineCommand, type Done } from 'agent-registry/command-line';
import { defineApprovals } from './approvals.ts';
import { defineCampaign } from './campaign.ts';
import { defineSandbox } from './sandbox.ts';

const COMMANDS: readonly DefineCommand[] = [defineSandbox, defineCampaign, defineApprovals];

/** Runs `registry sandbox`, `campaign` or `approvals`; usage errors and --help leave as CommanderErrors. */
export async function runReferenceCommand(args: readonly string[], done: Done): Promise<void> {
  await createProgram(COMMANDS, done).parseAsync(args, { from: 'user' });
}
