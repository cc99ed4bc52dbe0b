import type { Protocol } from '@agent-registry/surface/agent-kit';
import { note } from '@agent-registry/surface/command-line';
import {
  type Config,
  composeFetcher,
  openAgentStates,
  readConfig,
  sqlitePath,
  systemClock,
} from '@agent-registry/surface/registry';
import { runCampaign } from '../buying/campaign.ts';
import { openCampaignParts } from '../buying/campaigns.ts';
import { printCampaignEnd, printStep } from '../commands/print-campaign.ts';
import type { SandboxProcess } from './sandbox-process.ts';

/** Buys one campaign from the sandbox's agents over MCP, step by step, and another one over A2A. */
export async function walkCampaigns(sandbox: SandboxProcess): Promise<void> {
  const config = readConfig({});
  note('\none campaign over MCP, from the brand identity to the audit log:');
  await walk(sandbox, config, 'mcp', true);
  note('and one over A2A:');
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
