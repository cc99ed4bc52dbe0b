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
  agent: textFlag('--agent <url>', 'only checks of this agent (default: all agents in the state)'),
  ...JSON_FLAG,
};

const CHECK = [['<check>', 'id from `approvals list`']] as const;

const DECISION = {
  as: textFlag(
    '--as <name>',
    'name of the approver; must be in the plan if it lists approvers (default: your user name)',
  ),
  reason: textFlag('--reason <text>', 'reason, for the audit log'),
};

const list = command({
  name: 'list',
  description: 'List the checks that are waiting for an answer.',
  flags: AGENT,
  examples: ['agent-registry approvals list --json'],
  run: async (flags) => (await import('./run-approvals.ts')).listApprovals(flags),
});

const APPROVING = 'agent-registry approvals approve chk_1 --as "head of media" --condition "not at night"';

const approve = command({
  name: 'approve',
  description: 'Approve a check. The requesting agent receives the approval when it repeats the check.',
  arguments: CHECK,
  flags: {
    ...DECISION,
    condition: listFlag('--condition <text>', 'condition of the approval (repeatable)'),
    upTo: parsedFlag('--up-to <amount>', 'maximum cost, if the check does not state it', amount),
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
  description: 'Return the budget committed by an unused, expired approval to its plan.',
  arguments: CHECK,
  flags: { ...DECISION, ...AGENT },
  examples: ['agent-registry approvals release chk_1 --as "head of media" --reason "never bought"'],
  run: async (flags, checkId) => (await import('./run-approvals.ts')).releaseCommand(checkId, flags),
});

function amount(value: string): number {
  if (/^\d{1,12}(\.\d{1,2})?$/.test(value)) return Number(value);
  throw new InvalidArgumentError('Expected an amount with at most two decimals.');
}

export default group({
  name: 'approvals',
  description: 'List, approve or deny the checks that a running governance agent leaves to a human.',
  commands: [list, approve, deny, release],
  examples: ['agent-registry approvals list', APPROVING],
});
