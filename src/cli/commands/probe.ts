import { type DefineCommand, examples } from '../command.ts';
import {
  type CredentialFlags,
  type JsonFlag,
  type NetworkFlags,
  withCredential,
  withJson,
  withNetwork,
} from '../options.ts';

export interface ProbeFlags extends NetworkFlags, JsonFlag, CredentialFlags {}

/** `registry probe`. */
export const defineProbe: DefineCommand = (program, done) => {
  const command = program
    .command('probe')
    .description('Talk to one agent over MCP or A2A and say what it is, what it can do, and what is wrong.')
    .argument('<url>', 'the agent; a loopback URL such as http://127.0.0.1:3000/mcp is fine here');
  withJson(withNetwork(withCredential(command)));
  examples(
    command,
    'registry probe https://sales.agents.example/mcp',
    'registry probe http://127.0.0.1:3000/mcp --json',
  );
  command.action(async (url: string, flags: ProbeFlags) => {
    const { probeCommand } = await import('../run/probe.ts');
    done(await probeCommand(url, flags));
  });
};
