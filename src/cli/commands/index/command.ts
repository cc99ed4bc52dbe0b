import { command, group } from '../../command.ts';
import { negation, toggle } from '../../flags.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

const YES = { yes: toggle('--yes', 'execute; without this flag, only show the plan') };

const SWITCH = {
  ...YES,
  acceptShrink: toggle('--accept-shrink', 'accept a new generation with over 10 % fewer agents'),
  replaceForeign: toggle('--replace-foreign', 'replace a live generation that belongs to other records'),
};

const status = command({
  name: 'status',
  description: 'Show the generations of the index, their lag, and possible next steps.',
  flags: { ...STORE_FLAGS, ...JSON_FLAG },
  run: async (flags) => (await import('./run.ts')).runIndexStep('status', flags),
});

const rebuild = command({
  name: 'rebuild',
  description:
    'Build a new generation from the records, compare it with the live one, and switch to it. Fetches nothing from the web.',
  flags: {
    ...SWITCH,
    promote: negation('--no-promote', 'build it without switching to it'),
    ...STORE_FLAGS,
    ...JSON_FLAG,
  },
  run: async (flags) => (await import('./run.ts')).runIndexStep('rebuild', flags),
});

const promote = command({
  name: 'promote',
  description: 'Compare a built generation with the live one, and switch to it.',
  flags: { ...SWITCH, ...STORE_FLAGS, ...JSON_FLAG },
  run: async (flags) => (await import('./run.ts')).runIndexStep('promote', flags),
});

const rollback = command({
  name: 'rollback',
  description: 'Bring the previous generation up to date and switch back to it.',
  flags: { ...SWITCH, ...STORE_FLAGS, ...JSON_FLAG },
  run: async (flags) => (await import('./run.ts')).runIndexStep('rollback', flags),
});

const prune = command({
  name: 'prune',
  description: 'Delete the generations left by interrupted or refused rebuilds.',
  flags: { ...YES, ...STORE_FLAGS, ...JSON_FLAG },
  run: async (flags) => (await import('./run.ts')).runIndexStep('prune', flags),
});

export default group({
  name: 'index',
  description: 'Show, rebuild and switch the search index.',
  commands: [status, rebuild, promote, rollback, prune],
  examples: ['agent-registry index status', 'agent-registry index rebuild --yes'],
});
