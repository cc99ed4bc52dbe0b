import { PROTOCOLS } from 'agent-registry/agent-kit';
import {
  type DefineCommand,
  examples,
  wholeNumber,
  withJson,
  withNetwork,
  withState,
} from 'agent-registry/command-line';
import { InvalidArgumentError, Option } from 'commander';
import type { CampaignFlags } from './run-campaign.ts';

/** What the agents take at most. */
const MAX_EUROS = 10_000_000;

/** `registry campaign`. */
export const defineCampaign: DefineCommand = (program, done) => {
  const command = program
    .command('campaign')
    .description(
      "Buy one campaign from the sandbox's agents, from the brand's identity to the audit log; the same command goes on with one that was cut off.",
    )
    .addOption(
      new Option('--protocol <name>', 'how the agents are spoken to; a new campaign: mcp').choices([
        ...PROTOCOLS,
      ]),
    )
    .option('--id <id>', 'which campaign; default: the newest unfinished one, or else a new one', campaignId)
    .option('--budget <n>', 'euros to spend; a new campaign: 5000', wholeNumber(1, MAX_EUROS))
    .option(
      '--max-amount <n>',
      'euros that may be spent at once without asking a human; a new campaign: half as much again as its budget',
      wholeNumber(1, MAX_EUROS),
    )
    .option('--seed <n>', 'the seed of the sandbox: the keys follow from it', wholeNumber(0, 2 ** 32 - 1), 1);
  withJson(withNetwork(withState(command)));
  examples(
    command,
    "registry campaign --connect-to '*.example=http://127.0.0.1:4000'",
    "registry campaign --budget 4000 --max-amount 2000 --connect-to '*.example=http://127.0.0.1:4000'",
    "registry campaign --protocol a2a --connect-to '*.example=http://127.0.0.1:4000'",
  );
  command.action(async (flags: CampaignFlags) => {
    const { campaignCommand } = await import('./run-campaign.ts');
    done(await campaignCommand(flags));
  });
};

/** It becomes part of the names of plan and creative. */
function campaignId(value: string): string {
  if (/^[A-Za-z0-9.-]{1,64}$/.test(value)) return value;
  throw new InvalidArgumentError('letters, digits, dots and dashes are expected, at most 64.');
}
