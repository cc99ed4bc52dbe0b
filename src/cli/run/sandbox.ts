import { RegistryError } from '../../errors.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import type { SandboxFlags } from '../commands/sandbox.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { onInterrupt } from '../interrupt.ts';
import { printJson, printLine } from '../output/print.ts';

/** The agent that answers 401 to everybody without the sandbox's token. */
const LOCKED_AGENT = 'https://lockedcellar.example/mcp';

/** `registry sandbox`: until it is interrupted. */
export async function sandboxCommand(flags: SandboxFlags): Promise<ExitCode> {
  const interrupt = onInterrupt();
  const sandbox = await start(flags);
  const { origin, connectTo, domains, agents, token } = sandbox;
  if (flags.json) printJson(sandboxJson(sandbox));
  else {
    printLine(
      `the sandbox is on ${origin}: ${domains.publishers.length} publishers, ${domains.brands.length} brands, ${agents.length} agents`,
    );
    printLine('crawl some of it:');
    printLine(
      `  npx registry crawl ${domains.publishers.slice(0, 3).join(' ')} --connect-to '${connectTo[0]}'`,
    );
    printLine(`  npx registry probe ${agents[0]} --connect-to '${connectTo[0]}'`);
    printLine(`the token of the agent that wants credentials is ${token}; as in`);
    printLine(
      `  TOKEN=${token} npx registry probe ${LOCKED_AGENT} --auth-env TOKEN --connect-to '${connectTo[0]}'`,
    );
    printLine(`trouble lives at ${domains.trouble.join(', ')}`);
  }
  await new Promise<void>((resolve) => interrupt.signal.addEventListener('abort', () => resolve()));
  await sandbox.close();
  return EXIT.ok;
}

/** As in schemas/cli/sandbox.json. */
function sandboxJson({ origin, connectTo, domains, agents, token, summary }: Sandbox) {
  const { longTail, ...named } = domains;
  const expected = summary();
  return {
    origin,
    connect_to: connectTo,
    domains: { ...named, long_tail: longTail },
    agents,
    credentials: { [LOCKED_AGENT]: token },
    summary: {
      agents: expected.agents,
      online: expected.online,
      agents_by_type: expected.agentsByType,
      agents_by_protocol: expected.agentsByProtocol,
      publishers: expected.publishers,
      publishers_by_agent: expected.publishersByAgent,
      agents_by_metric: expected.agentsByMetric,
      agents_by_body: expected.agentsByBody,
    },
  };
}

async function start({ port, seed, vocabulary }: SandboxFlags) {
  try {
    return await startSandbox({ port, seed, ...(vocabulary && { vocabulary }) });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    throw new RegistryError('port_in_use', `port ${port} is already in use`, {
      cause: error,
      hint: 'choose another one with --port (0 takes a free one)',
    });
  }
}
