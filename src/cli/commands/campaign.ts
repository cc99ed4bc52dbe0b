import { Option } from 'commander';
import type { Protocol } from '../../domain/agent-type.ts';
import { PROTOCOLS } from '../../domain/agent-type.ts';
import { type DefineCommand, examples } from '../command.ts';
import {
  type JsonFlag,
  type NetworkFlags,
  type StateFlag,
  wholeNumber,
  withJson,
  withNetwork,
  withState,
} from '../options.ts';

export interface CampaignFlags extends NetworkFlags, JsonFlag, StateFlag {
  readonly protocol: Protocol;
  readonly seed: number;
  readonly id?: string;
}

/** `registry campaign`. */
export const defineCampaign: DefineCommand = (program, done) => {
  const command = program
    .command('campaign')
    .description(
      "Buy one campaign from the sandbox's agents, from the brand's identity to the audit log; the same command goes on with one that was cut off.",
    )
    .addOption(
      new Option('--protocol <name>', 'how the agents are spoken to').choices([...PROTOCOLS]).default('mcp'),
    )
    .option('--id <id>', 'which campaign; default: the unfinished one, or else a new one')
    .option('--seed <n>', 'the seed of the sandbox: the keys follow from it', wholeNumber(0, 2 ** 32 - 1), 1);
  withJson(withNetwork(withState(command)));
  examples(
    command,
    "registry campaign --connect-to '*.example=http://127.0.0.1:4000'",
    "registry campaign --protocol a2a --connect-to '*.example=http://127.0.0.1:4000'",
  );
  command.action(async (flags: CampaignFlags) => {
    const { campaignCommand } = await import('../run/campaign.ts');
    done(await campaignCommand(flags));
  });
};
