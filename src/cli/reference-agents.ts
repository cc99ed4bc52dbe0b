import type { Command } from 'commander';
import { RegistryError } from '../errors.ts';
import type { DefineCommand, Done } from './command.ts';

/** The commands of the reference agents, which live in a workspace of their own. */
const COMMANDS: Readonly<Record<string, string>> = {
  sandbox: 'Start the reference agents in a small advertising web on this machine.',
  campaign: "Buy one campaign from the sandbox's agents.",
  approvals: "Answer what the sandbox's governance agent leaves to a human.",
};

/** By its name, so that nothing of it is needed to build, install or check this program. */
const PACKAGE = 'reference-agents';

interface ReferenceAgents {
  runReferenceCommand(args: readonly string[], done: Done): Promise<void>;
}

/** The one door to the reference agents: it loads them where they are, and says so where they are not. */
export const defineReferenceCommands: DefineCommand = (program, done) => {
  for (const [name, description] of Object.entries(COMMANDS)) {
    program
      .command(name)
      .description(description)
      .helpOption(false) // its flags are known to the workspace only
      .allowUnknownOption()
      .argument('[args...]')
      .action(async (_args: readonly string[], _flags: unknown, command: Command) => {
        const { runReferenceCommand } = await loadReferenceAgents(name);
        await runReferenceCommand([name, ...command.args], done);
      });
  }
};

async function loadReferenceAgents(name: string): Promise<ReferenceAgents> {
  try {
    return (await import(PACKAGE)) as ReferenceAgents;
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND')) throw cause;
    if (!cause.message.includes(`'${PACKAGE}'`)) throw cause;
    throw new RegistryError('usage', `"${name}" needs the reference agents, which are not installed`, {
      cause,
      hint: "they are part of the project's checkout: clone it, run npm ci, and start the command there",
    });
  }
}
