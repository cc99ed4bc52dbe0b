import type { ComplianceRun } from '../../src/compliance/run-result.ts';
import { systemClock } from '../../src/compose/clock.ts';
import { composeFetcher } from '../../src/compose/network.ts';
import { readConfig } from '../../src/config.ts';
import type { AgentsInput, AgentsReady } from '../sides/agents.ts';
import { runnerOf } from './runner-of.ts';
import { startSide } from './side.ts';

/** A real run of our whole bundle against a seller of the sandbox, to be kept many times over. */
export async function oneRun(): Promise<ComplianceRun> {
  const agents = await startSide<AgentsReady, null>('agents', {
    hosts: [],
    numbered: 0,
  } satisfies AgentsInput);
  const fetcher = composeFetcher(readConfig({}), { connectTo: agents.ready.connectTo }, systemClock);
  try {
    return await (await runnerOf(fetcher))({ url: 'https://sales-1.agents.example/mcp', protocol: 'mcp' });
  } finally {
    await fetcher.close();
    await agents.stop();
  }
}
