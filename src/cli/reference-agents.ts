import type { Command } from 'commander';
import { RegistryError } from '../errors.ts';
import type { CommandFile, Done } from './command.ts';

/** By its name, in a scope that is ours, so that nothing of it is needed to build, install or check this program. */
const PACKAGE = '@agent-registry/reference-agents';

interface ReferenceAgents {
  runReferenceCommand(args: readonly string[], done: Done): Promise<void>;
}

/** The commands of the reference agents, with what our own help says of each. */
const DESCRIPTIONS = {
  sandbox: 'Start the reference agents in a small advertising web on this machine.',
  campaign: "Buy one campaign from the sandbox's agents.",
  approvals: "Answer the checks that the sandbox's governance agent leaves to a human.",
};
type ReferenceName = keyof typeof DESCRIPTIONS;

export function isReferenceCommand(name: string | undefined): name is ReferenceName {
  return name !== undefined && Object.hasOwn(DESCRIPTIONS, name);
}

/** A command of the reference agents: the one door, which loads them where they are, and says so where they are not. */
export function referenceCommand(name: ReferenceName): CommandFile {
  return async () => ({
    default: {
      async addTo(program, done) {
        program
          .command(name)
          .description(DESCRIPTIONS[name])
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
