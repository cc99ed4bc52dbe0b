import { composeFetcher, systemClock } from '../../compose.ts';
import { probeAgent } from '../../probe/probe.ts';
import type { ProbeFlags } from '../commands/probe.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { readAgentUrl } from '../input/read-agent-url.ts';
import { readCredential } from '../input/read-credential.ts';
import { onInterrupt } from '../interrupt.ts';
import { printProbe } from '../output/print-probe.ts';
import { networkOf, settingsOf } from '../settings.ts';

/** `registry probe`: 0 when the agent answered and could be read, 1 otherwise. */
export async function probeCommand(text: string, flags: ProbeFlags): Promise<ExitCode> {
  const key = readAgentUrl(text, 'probed');
  const auth = await readCredential(flags);
  const config = settingsOf({});
  const fetcher = composeFetcher(config, await networkOf(flags, config), systemClock);
  const interrupt = onInterrupt();
  try {
    const observation = await probeAgent({
      url: text,
      key,
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
