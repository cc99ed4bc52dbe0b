import { Option } from 'commander';
import { AGENT_TYPES, type AgentType } from '../../domain/agent-type.ts';
import { type DefineCommand, examples } from '../command.ts';
import { type JsonFlag, type StoreFlags, withJson, withStore } from '../options.ts';

export interface RegisterFlags extends StoreFlags, JsonFlag {
  readonly member: string;
  readonly type?: AgentType;
  readonly name?: string;
  readonly description?: string;
  readonly contactName?: string;
  readonly contactEmail?: string;
  readonly contactWebsite?: string;
}

/** `registry agents register`. */
export const defineAgents: DefineCommand = (program, done) => {
  const agents = program.command('agents').description('Agents that members register.');
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
  examples(
    agents,
    'registry agents register https://sales.agents.example/mcp --member nova --type sales --name "Nova Sales"',
  );
};
