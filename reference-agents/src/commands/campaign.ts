import { PROTOCOLS } from '@agent-registry/surface/agent-kit';
import {
  AGENT_STATE_FLAG,
  choiceFlag,
  command,
  integerFlag,
  JSON_FLAG,
  NETWORK_FLAGS,
  parsedFlag,
} from '@agent-registry/surface/command-line';
import { InvalidArgumentError } from 'commander';

/** What the agents take at most. */
const MAX_EUROS = 10_000_000;

export default command({
  name: 'campaign',
  description:
    "Buy one campaign from the sandbox's agents, from the brand's identity to the audit log. The same command continues an interrupted campaign.",
  flags: {
    protocol: choiceFlag(
      '--protocol <name>',
      'the protocol of the agents; a new campaign uses mcp',
      PROTOCOLS,
    ),
    id: parsedFlag(
      '--id <id>',
      'which campaign; default: the newest unfinished one, or else a new one',
      campaignId,
    ),
    budget: integerFlag('--budget <n>', 'euros to spend; a new campaign: 5000', [1, MAX_EUROS]),
    maxAmount: integerFlag(
      '--max-amount <n>',
      'euros that may be spent at once without asking a human; a new campaign: half as much again as its budget',
      [1, MAX_EUROS],
    ),
    seed: integerFlag('--seed <n>', 'the seed of the sandbox: the keys follow from it', [0, 2 ** 32 - 1], 1),
    ...AGENT_STATE_FLAG,
    ...NETWORK_FLAGS,
    ...JSON_FLAG,
  },
  examples: [
    "agent-registry campaign --connect-to '*.example=http://127.0.0.1:4000'",
    "agent-registry campaign --budget 4000 --max-amount 2000 --connect-to '*.example=http://127.0.0.1:4000'",
    "agent-registry campaign --protocol a2a --connect-to '*.example=http://127.0.0.1:4000'",
  ],
  run: async (flags) => (await import('./run-campaign.ts')).campaignCommand(flags),
});

/** It becomes part of the names of plan and creative. */
function campaignId(value: string): string {
  if (/^[A-Za-z0-9.-]{1,64}$/.test(value)) return value;
  throw new InvalidArgumentError('letters, digits, dots and dashes are expected, at most 64.');
}
