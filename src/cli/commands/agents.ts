import { type Command, Option } from 'commander';
import { AGENT_TYPES, type AgentType } from '../../domain/agent-type.ts';
import { type DefineCommand, type Done, examples } from '../command.ts';
import {
  type JsonFlag,
  type NetworkFlags,
  type StoreFlags,
  withJson,
  withNetwork,
  withStore,
} from '../options.ts';
import { defineAgentCredential } from './agent-credential.ts';
import { defineAgentSettings } from './agent-settings.ts';

export interface RegisterFlags extends StoreFlags, JsonFlag {
  readonly member: string;
  readonly type?: AgentType;
  readonly name?: string;
  readonly description?: string;
  readonly contactName?: string;
  readonly contactEmail?: string;
  readonly contactWebsite?: string;
}

export interface OwnerFlags extends StoreFlags, JsonFlag {
  readonly member: string;
}

export interface ListAgentsFlags extends StoreFlags, JsonFlag {
  readonly member?: string;
}

export interface ProveFlags extends OwnerFlags, NetworkFlags {
  readonly dns?: string;
}

/** `registry agents register | list | challenge | prove | settings | credential | reseal | disown | unregister`. */
export const defineAgents: DefineCommand = (program, done) => {
  const agents = program
    .command('agents')
    .description('Agents that members register, prove to own, and decide about.');
  defineRegister(agents, done);
  defineList(agents, done);
  defineProof(agents, done);
  defineAgentSettings(agents, done);
  defineAgentCredential(agents, done);
  defineEnds(agents, done);
  examples(
    agents,
    'registry agents register https://sales.agents.example/mcp --member nova --type sales --name "Nova Sales"',
    'registry agents challenge https://sales.agents.example/mcp --member nova',
    'registry agents prove https://sales.agents.example/mcp --member nova',
    'registry agents settings https://sales.agents.example/mcp --member nova --pause',
    'registry agents credential https://sales.agents.example/mcp --member nova --auth-env TOKEN',
  );
};

function defineRegister(agents: Command, done: Done): void {
  const register = agents
    .command('register')
    .description('Register an agent to a member; registering again replaces what was said.')
    .argument('<url>', 'the agent, as it is to be dialled')
    .requiredOption('--member <slug>', 'the member that it belongs to')
    .addOption(
      new Option('--type <type>', 'what it is').choices(AGENT_TYPES.filter((type) => type !== 'unknown')),
    )
    .option('--name <text>', 'its name')
    .option('--description <text>', 'one or two sentences')
    .option('--contact-name <text>', 'whom to ask')
    .option('--contact-email <address>', 'where')
    .option('--contact-website <url>', 'or where to read');
  withJson(withStore(register)).action(async (url: string, flags: RegisterFlags) => {
    const { registerAgent } = await import('../run/register.ts');
    done(await registerAgent(url, flags));
  });
}

function defineList(agents: Command, done: Done): void {
  const list = agents
    .command('list')
    .description('Show the registered agents, and who has proven to own them.')
    .option('--member <slug>', 'those of one member');
  withJson(withStore(list)).action(async (flags: ListAgentsFlags) => {
    const { listAgents } = await import('../run/agents.ts');
    done(await listAgents(flags));
  });
}

function defineProof(agents: Command, done: Done): void {
  const challenge = agents
    .command('challenge')
    .description("Give a text to publish, which shows that a member controls a registered agent's domain.");
  withJson(withStore(withOwner(challenge))).action(async (url: string, flags: OwnerFlags) => {
    const { challengeAgent } = await import('../run/prove.ts');
    done(await challengeAgent(url, flags));
  });
  const prove = agents
    .command('prove')
    .description('Look for that text; once it is found the member owns the agent, whoever owned it before.')
    .option('--dns <address>', "the name server to ask; by default the system's");
  withJson(withNetwork(withStore(withOwner(prove)))).action(async (url: string, flags: ProveFlags) => {
    const { proveAgent } = await import('../run/prove.ts');
    done(await proveAgent(url, flags));
  });
}

function defineEnds(agents: Command, done: Done): void {
  const disown = agents
    .command('disown')
    .description("End a member's ownership; the agent stays registered to it, unproven.");
  withJson(withStore(withOwner(disown))).action(async (url: string, flags: OwnerFlags) => {
    const { disownAgent } = await import('../run/agents.ts');
    done(await disownAgent(url, flags));
  });
  const unregister = agents
    .command('unregister')
    .description(
      'End a registration, proven or not; an agent that nobody declares leaves the list in 24 hours.',
    );
  withJson(withStore(withOwner(unregister))).action(async (url: string, flags: OwnerFlags) => {
    const { unregisterAgent } = await import('../run/agents.ts');
    done(await unregisterAgent(url, flags));
  });
}

function withOwner(command: Command): Command {
  return command.argument('<url>', 'the agent').requiredOption('--member <slug>', 'the member');
}
