import type { Command } from 'commander';
import { RegistryError } from '../errors.ts';
import type { CommandFile, Done } from './command.ts';

/** The commands that people start with, each with the words of `agent-registry --help`. */
export const FIRST_COMMANDS: Readonly<Record<string, string>> = {
  init: 'write the settings file of a new registry',
  crawl: 'visit domains and probe their agents',
  search: 'search agents by text and filters',
  show: 'show one agent in full',
  explain: 'explain the state of a domain or an agent',
  validate: 'validate and repair an adagents.json or brand.json',
  probe: 'probe one agent over MCP or A2A',
  check: 'test an agent with its storyboards',
  serve: 'serve the pages and the API',
  doctor: 'check settings, store, index and clock',
};

/** All others, by what they are for. */
export const MORE_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'query and call': ['authorized', 'call', 'runs', 'badges'],
  'manage agents': ['members', 'agents', 'bundles', 'keys', 'audit'],
  'run as a service': ['sources', 'heartbeat', 'schedule', 'work', 'export', 'prune'],
  'scale and migrate': ['index', 'schema', 'migrate', 'completion'],
  'sign and send': ['sign', 'verify', 'webhooks', 'match'],
  'try it out': ['sandbox', 'campaign', 'approvals'],
};

/** Every command in the order of the reference page, except `completion` (completion.ts). */
export const COMMANDS: Readonly<Record<string, CommandFile>> = {
  init: () => import('./commands/init.ts'),
  crawl: () => import('./commands/crawl/command.ts'),
  sources: () => import('./commands/sources.ts'),
  validate: () => import('./commands/validate/command.ts'),
  probe: () => import('./commands/probe.ts'),
  call: () => import('./commands/call/command.ts'),
  check: () => import('./commands/check/command.ts'),
  search: () => import('./commands/search/command.ts'),
  show: () => import('./commands/show/command.ts'),
  authorized: () => import('./commands/authorized.ts'),
  explain: () => import('./commands/explain/command.ts'),
  serve: () => import('./commands/serve.ts'),
  schedule: () => import('./commands/schedule/command.ts'),
  work: () => import('./commands/work.ts'),
  heartbeat: () => import('./commands/heartbeat.ts'),
  index: () => import('./commands/index/command.ts'),
  members: () => import('./commands/members/command.ts'),
  agents: () => import('./commands/agents/command.ts'),
  keys: () => import('./commands/keys/command.ts'),
  runs: () => import('./commands/runs/command.ts'),
  badges: () => import('./commands/badges/command.ts'),
  bundles: () => import('./commands/bundles/command.ts'),
  audit: () => import('./commands/audit/command.ts'),
  sign: () => import('./commands/sign.ts'),
  verify: () => import('./commands/verify.ts'),
  match: () => import('./commands/match/command.ts'),
  webhooks: () => import('./commands/webhooks/command.ts'),
  sandbox: referenceCommand('sandbox'),
  campaign: referenceCommand('campaign'),
  approvals: referenceCommand('approvals'),
  export: () => import('./commands/export.ts'),
  prune: () => import('./commands/prune.ts'),
  migrate: () => import('./commands/migrate.ts'),
  schema: () => import('./commands/schema.ts'),
  doctor: () => import('./commands/doctor.ts'),
};

/** By its name, in a scope that is ours, so that nothing of it is needed to build, install or check this program. */
const PACKAGE = '@agent-registry/reference-agents';

interface ReferenceAgents {
  runReferenceCommand(args: readonly string[], done: Done): Promise<void>;
}

/** The commands of the reference agents, with what our own help says of each. */
const DESCRIPTIONS = {
  sandbox: 'Start the reference agents and their domains on this machine.',
  campaign: 'Buy one campaign from the agents of the sandbox.',
  approvals: 'Answer the checks that the governance agent of the sandbox leaves to a human.',
};
type ReferenceName = keyof typeof DESCRIPTIONS;

export function isReferenceCommand(name: string | undefined): name is ReferenceName {
  return name !== undefined && Object.hasOwn(DESCRIPTIONS, name);
}

/** A command of the reference agents, loaded from their package; fails with a hint if it is not installed. */
function referenceCommand(name: ReferenceName): CommandFile {
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
    throw new RegistryError('usage', `"${name}" requires the reference agents, which are not installed`, {
      cause,
      hint: 'clone the repository, run "npm ci" and start the command there',
    });
  }
}
