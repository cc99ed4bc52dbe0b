import type { Command } from 'commander';
import { RegistryError } from '../errors.ts';
import type { CommandFile, Done } from './command.ts';

/** By its name, in a scope that is ours, so that nothing of it is needed to build, install or check this program. */
const PACKAGE = '@agent-registry/reference-agents';

interface ReferenceAgents {
  runReferenceCommand(args: readonly string[], done: Done): Promise<void>;
}

/** A command of the reference agents: the one door, which loads them where they are, and says so where they are not. */
export function referenceCommand(name: string, description: string): CommandFile {
  return async () => ({
    default: {
      async addTo(program, done) {
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
      },
    },
  });
}

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
