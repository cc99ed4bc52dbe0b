import { type CliCommand, type Done, emptyProgram } from '@agent-registry/surface/command-line';
import approvals from './approvals.ts';
import campaign from './campaign.ts';
import sandbox from './sandbox.ts';

const COMMANDS: readonly CliCommand[] = [sandbox, campaign, approvals];

/** Runs `agent-registry sandbox`, `campaign` or `approvals`; usage errors and --help leave as CommanderErrors. */
export async function runReferenceCommand(args: readonly string[], done: Done): Promise<void> {
  const program = await createReferenceProgram(done);
  await program.parseAsync(args, { from: 'user' });
}

/** The command line with the three of them. */
export async function createReferenceProgram(done: Done): Promise<ReturnType<typeof emptyProgram>> {
  const program = emptyProgram();
  for (const command of COMMANDS) await command.addTo(program, done);
  return program;
}
