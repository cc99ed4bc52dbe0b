import { composeFetcher, systemClock } from '../../compose.ts';
import { AGENT_URL_PROBLEMS, parseAgentUrl } from '../../domain/agent-url.ts';
import { RegistryError } from '../../errors.ts';
import { probeAgent } from '../../probe/probe.ts';
import type { ProbeFlags } from '../commands/probe.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { onInterrupt } from '../interrupt.ts';
import { printProbe } from '../output/print-probe.ts';
import { networkOf, readText, settingsOf } from '../settings.ts';

/** `registry probe`: 0 when the agent answered and could be read, 1 otherwise. */
export async function probeCommand(text: string, flags: ProbeFlags): Promise<ExitCode> {
  const parsed = parseAgentUrl(text);
  if (!parsed.ok) {
    throw new RegistryError(
      'usage',
      `'${text.slice(0, 200)}' cannot be probed: ${AGENT_URL_PROBLEMS[parsed.problem]}`,
      {
        hint: 'give the address of the agent, as in https://sales.agents.example/mcp',
      },
    );
  }
  const auth = await credential(flags);
  const config = settingsOf({});
  const fetcher = composeFetcher(config, await networkOf(flags, config), systemClock);
  const interrupt = onInterrupt();
  try {
    const observation = await probeAgent({
      url: text,
      key: parsed.url,
      fetcher,
      clock: systemClock,
      signal: interrupt.signal,
      ...(auth !== undefined && { auth }),
      openOrigin: text,
    });
    if (interrupt.signal.aborted) return EXIT.interrupted;
    printProbe(observation, flags.json === true);
    return observation.health.errorClass === undefined ? EXIT.ok : EXIT.findings;
  } finally {
    await fetcher.close();
    interrupt.dispose();
  }
}

/** The token of --auth-env or --auth; a token on the command line is visible to every user of the machine. */
async function credential({ auth, authEnv }: ProbeFlags): Promise<string | undefined> {
  if (auth !== undefined && authEnv !== undefined)
    throw new RegistryError('usage', '--auth and --auth-env are two ways to say the same', {
      hint: 'keep --auth-env',
    });
  if (auth?.startsWith('@')) return (await readText(auth.slice(1), '--auth')).trim();
  if (authEnv === undefined) return auth;
  const token = process.env[authEnv];
  if (token) return token;
  throw new RegistryError('usage', `--auth-env: the variable ${authEnv} is not set`, {
    hint: `set it, as in ${authEnv}=… registry probe …`,
  });
}
