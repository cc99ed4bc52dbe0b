import { type Jwk, publicJwk, RegistryError, readJwkSet } from '@agent-registry/surface/agent-kit';
import {
  type AgentStateFlag,
  aborted,
  DEFAULT_STATE,
  EXIT,
  type ExitCode,
  type JsonFlag,
  note,
  onInterrupt,
  printJson,
  printLine,
  readTextFile,
} from '@agent-registry/surface/command-line';
import { sqlitePath } from '@agent-registry/surface/registry';
import { BROKEN_DOMAIN } from '../broken/broken-domain.ts';
import type { Sandbox } from '../sandbox.ts';
import { startSandbox } from '../start-sandbox.ts';

const MAX_SLOW_MS = 60_000;

export interface SandboxFlags extends JsonFlag, AgentStateFlag {
  readonly deskKeys?: string;
  readonly connectTo: readonly string[];
  readonly slow: readonly string[];
  readonly port: number;
  readonly seed: number;
  readonly vocabulary?: 'proto' | 'adcp';
  readonly wellKnown?: string;
}

/** The agent that answers 401 to everybody without the sandbox's token. */
const LOCKED_AGENT = 'https://lockedcellar.example/mcp';

/** `agent-registry sandbox`: until it is interrupted. */
export async function sandboxCommand(flags: SandboxFlags): Promise<ExitCode> {
  const interrupt = onInterrupt();
  try {
    const sandbox = await start(flags);
    if (flags.json) printJson(sandboxJson(sandbox));
    else tell(sandbox, flags);
    await aborted(interrupt.signal);
    await sandbox.close();
    return EXIT.ok;
  } catch (error) {
    interrupt.dispose(); // whatever is still open, the next signal ends the process
    throw error;
  }
}

function tell(sandbox: Sandbox, { state }: SandboxFlags): void {
  const { origin, connectTo, domains, agents, token } = sandbox;
  printLine(
    `sandbox at ${origin}: ${domains.publishers.length} publishers, ${domains.brands.length} brands, ${agents.length} agents`,
  );
  printLine('crawl some domains:');
  printLine(
    `  npx agent-registry crawl ${domains.publishers.slice(0, 3).join(' ')} --connect-to '${connectTo[0]}'`,
  );
  printLine(`  npx agent-registry probe ${agents[0]} --connect-to '${connectTo[0]}'`);
  printLine(`probe the agent that requires a credential, with the token ${token}:`);
  printLine(
    `  TOKEN=${token} npx agent-registry probe ${LOCKED_AGENT} --auth-env TOKEN --connect-to '${connectTo[0]}'`,
  );
  printLine('call the agents as the buyer desk.example:');
  printLine(
    `  TOKEN=${tokenOf(sandbox)} npx agent-registry call ${agents[0]} get_products brief='papers of the coast' --auth-env TOKEN --connect-to '${connectTo[0]}'`,
  );
  printLine(`  ${campaignLine(state, connectTo[0] ?? '')}`);
  printLine('test an agent:');
  printLine(
    `  TOKEN=${tokenOf(sandbox)} npx agent-registry check ${agents[0]} --auth-env TOKEN --connect-to '${connectTo[0]}'`,
  );
  printLine(
    `other clients on this machine reach each host at ${origin}/@HOST/PATH; ${origin}/ lists the hosts`,
  );
  printLine(`domains with faults: ${domains.trouble.join(', ')}`);
  printLine(
    `agents with one fault each: https://<name>.${BROKEN_DOMAIN}/mcp (reference-agents/docs/broken-agents.md)`,
  );
}

/** A campaign looks into the state of the sandbox for the webhooks that came. */
function campaignLine(state: string, connectTo: string): string {
  if (sqlitePath(state) === ':memory:') return '(no campaign: it requires --state sqlite:PATH)';
  const flag = state === DEFAULT_STATE ? '' : ` --state '${state}'`;
  return `npx agent-registry campaign${flag} --connect-to '${connectTo}'`;
}

/** The user's own buyer is the last of those that the agents know. */
function tokenOf({ buyers }: Sandbox): string {
  return buyers.at(-1)?.token ?? '';
}

/** As in schemas/cli/sandbox.json. */
function sandboxJson({ origin, connectTo, domains, agents, token, buyers, summary }: Sandbox) {
  const { longTail, ...named } = domains;
  const expected = summary();
  return {
    origin,
    connect_to: connectTo,
    domains: { ...named, long_tail: longTail },
    agents,
    credentials: { [LOCKED_AGENT]: token },
    buyers,
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

async function start({ port, seed, vocabulary, state, connectTo, deskKeys, wellKnown, slow }: SandboxFlags) {
  const keys = deskKeys === undefined ? [] : readKeys(await readTextFile(deskKeys, '--desk-keys'), deskKeys);
  try {
    return await startSandbox({
      port,
      seed,
      state: sqlitePath(state),
      connectTo,
      deskKeys: keys,
      slow: readSlow(slow),
      onFault: (error) =>
        note(`internal error of the sandbox: ${error instanceof Error ? error.stack : error}`),
      ...(vocabulary && { vocabulary }),
      ...(wellKnown !== undefined && { wellKnown }),
    });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    throw new RegistryError('port_in_use', `port ${port} is already in use`, {
      cause: error,
      hint: 'choose another port with --port (0 picks a free one)',
    });
  }
}

/** `URL=MS`; the last `=` parts them, as an address may have some. */
function readSlow(given: readonly string[]): ReadonlyMap<string, number> {
  return new Map(
    given.map((text) => {
      const [, url = '', ms = ''] = /^(https?:\/\/[^ ]+)=(\d{1,5})$/.exec(text) ?? [];
      if (url === '' || Number(ms) > MAX_SLOW_MS)
        throw new RegistryError('usage', `--slow: ${text} is not URL=MS`, {
          hint: `write it as --slow https://sales-2.agents.example/mcp=200, with at most ${MAX_SLOW_MS} ms`,
        });
      return [url, Number(ms)];
    }),
  );
}

/** Private parts are left where they are: only what verifies is published. */
function readKeys(text: string, file: string): readonly Jwk[] {
  const set = readJwkSet(text);
  if (set !== undefined && set.length > 0) return set.map(publicJwk);
  throw new RegistryError('usage', `--desk-keys: ${file} contains no keys`, {
    hint: 'create it with `agent-registry keys jwks`',
  });
}
