import {
  AGENT_STATE_FLAG,
  command,
  group,
  JSON_FLAG,
  listFlag,
  parsedFlag,
  textFlag,
} from '@agent-registry/surface/command-line';
import { InvalidArgumentError } from 'commander';

const AGENT = {
  ...AGENT_STATE_FLAG,
  agent: textFlag('--agent <url>', 'only of this agent (default: all in the state)'),
  ...JSON_FLAG,
};

const CHECK = [['<check>', 'its id, as `approvals list` prints it']] as const;

const DECISION = {
  as: textFlag(
    '--as <name>',
    'who decides; one of the approvers where the plan names them (default: your user name)',
  ),
  reason: textFlag('--reason <text>', 'why, for the log'),
};

const list = command({
  name: 'list',
  description: 'Show the checks that wait for an answer.',
  flags: AGENT,
  examples: ['agent-registry approvals list --json'],
  run: async (flags) => (await import('./run-approvals.ts')).listApprovals(flags),
});

const APPROVING = 'agent-registry approvals approve chk_1 --as "head of media" --condition "not at night"';

const approve = command({
  name: 'approve',
  description: 'Approve a check. The requesting agent gets its approval when it asks again.',
  arguments: CHECK,
  flags: {
    ...DECISION,
    condition: listFlag('--condition <text>', 'what has to be kept (repeatable)'),
    upTo: parsedFlag('--up-to <amount>', 'what it may cost, where nothing else says so', amount),
    ...AGENT,
  },
  examples: [APPROVING],
  run: async (flags, checkId) => (await import('./run-approvals.ts')).answerCommand(checkId, flags, true),
});

const deny = command({
  name: 'deny',
  description: 'Deny a check.',
  arguments: CHECK,
  flags: { ...DECISION, ...AGENT },
  examples: ['agent-registry approvals deny chk_1 --as "head of media" --reason "too loud"'],
  run: async (flags, checkId) =>
    (await import('./run-approvals.ts')).answerCommand(checkId, { ...flags, condition: [] }, false),
});

const release = command({
  name: 'release',
  description: 'Return to its plan what an unused, expired approval committed.',
  arguments: CHECK,
  flags: { ...DECISION, ...AGENT },
  examples: ['agent-registry approvals release chk_1 --as "head of media" --reason "never bought"'],
  run: async (flags, checkId) => (await import('./run-approvals.ts')).releaseCommand(checkId, flags),
});

function amount(value: string): number {
  if (/^\d{1,12}(\.\d{1,2})?$/.test(value)) return Number(value);
  throw new InvalidArgumentError('an amount with at most two decimals is expected.');
}

export default group({
  name: 'approvals',
  description: 'What a governance agent leaves to a human: look, approve, deny, while it is running.',
  commands: [list, approve, deny, release],
  examples: ['agent-registry approvals list', APPROVING],
});
