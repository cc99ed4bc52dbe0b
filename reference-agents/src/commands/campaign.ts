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
    'Buy one campaign from the agents of the sandbox, from the brand identity to the audit log. Run the same command again to continue an interrupted campaign.',
  flags: {
    protocol: choiceFlag(
      '--protocol <name>',
      'protocol of the agents (default for a new campaign: mcp)',
      PROTOCOLS,
    ),
    id: parsedFlag(
      '--id <id>',
      'id of the campaign (default: the newest unfinished one, otherwise a new one)',
      campaignId,
    ),
    budget: integerFlag('--budget <n>', 'budget in euros (default for a new campaign: 5000)', [1, MAX_EUROS]),
    maxAmount: integerFlag(
      '--max-amount <n>',
      'euros that may be spent at once without human approval (default for a new campaign: 150% of its budget)',
      [1, MAX_EUROS],
    ),
    seed: integerFlag(
      '--seed <n>',
      'seed of the sandbox, from which the keys are derived',
      [0, 2 ** 32 - 1],
      1,
    ),
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
  throw new InvalidArgumentError('use at most 64 letters, digits, dots and dashes.');
}
