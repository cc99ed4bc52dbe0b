import { runCampaign } from '../../../reference-agents/src/buying/campaign.ts';
import { openCampaignParts } from '../../../reference-agents/src/buying/open-campaign.ts';
import { composeFetcher, openAgentStates, sqlitePath, systemClock } from '../../compose.ts';
import { type Config, readConfig } from '../../config.ts';
import type { Protocol } from '../../domain/agent-type.ts';
import { note } from '../output/print.ts';
import { printCampaignEnd, printStep } from '../output/print-campaign.ts';
import type { SandboxProcess } from './sandbox-process.ts';

/** Buys one campaign from the sandbox's agents over MCP, step by step, and another one over A2A. */
export async function walkCampaigns(sandbox: SandboxProcess): Promise<void> {
  const config = readConfig({});
  note('\none campaign through the whole protocol, over MCP:');
  await walk(sandbox, config, 'mcp', true);
  note('and another one over A2A:');
  await walk(sandbox, config, 'a2a', false);
}

async function walk(
  { connectTo, state, seed }: SandboxProcess,
  config: Config,
  protocol: Protocol,
  tellsSteps: boolean,
): Promise<void> {
  const fetcher = composeFetcher(config, { connectTo }, systemClock);
  const states = openAgentStates(sqlitePath(state));
  try {
    const ground = { states, fetcher, clock: systemClock, ...(tellsSteps && { onStep: printStep }) };
    const { campaigns, plan, parts } = await openCampaignParts(ground, { protocol, seed });
    const outcome = await runCampaign(plan, parts);
    campaigns.finish(plan, outcome);
    printCampaignEnd(outcome);
  } finally {
    states.close();
    await fetcher.close();
  }
}
