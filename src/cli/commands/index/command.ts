import { command, group } from '../../command.ts';
import { negation, toggle } from '../../flags.ts';
import { JSON_FLAG, STORE_FLAGS } from '../../shared-flags.ts';

const YES = { yes: toggle('--yes', 'do it; without this the plan is shown') };

const SWITCH = {
  ...YES,
  acceptShrink: toggle('--accept-shrink', 'even when the new one is more than a tenth smaller'),
  replaceForeign: toggle(
    '--replace-foreign',
    'even when a generation of other records is live under these names',
  ),
};

const status = command({
  name: 'status',
  description: 'Show the generations of the index, how far each one is, and what can be done next.',
  flags: { ...STORE_FLAGS, ...JSON_FLAG },
  run: async (flags) => (await import('./run.ts')).runIndexStep('status', flags),
});

const rebuild = command({
  name: 'rebuild',
  description: 'Build a new generation from the records, with no network, compare it, and switch to it.',
  flags: {
    ...SWITCH,
    promote: negation('--no-promote', 'build it and do not switch to it'),
    ...STORE_FLAGS,
    ...JSON_FLAG,
  },
  run: async (flags) => (await import('./run.ts')).runIndexStep('rebuild', flags),
});

const promote = command({
  name: 'promote',
  description: 'Compare a generation that was built and not switched to, and switch to it.',
  flags: { ...SWITCH, ...STORE_FLAGS, ...JSON_FLAG },
  run: async (flags) => (await import('./run.ts')).runIndexStep('promote', flags),
});

const rollback = command({
  name: 'rollback',
  description: 'Bring the previous generation up to date and go back to it.',
  flags: { ...SWITCH, ...STORE_FLAGS, ...JSON_FLAG },
  run: async (flags) => (await import('./run.ts')).runIndexStep('rollback', flags),
});

const prune = command({
  name: 'prune',
  description: 'Drop what interrupted or refused rebuilds left.',
  flags: { ...YES, ...STORE_FLAGS, ...JSON_FLAG },
  run: async (flags) => (await import('./run.ts')).runIndexStep('prune', flags),
});

export default group({
  name: 'index',
  description: 'Look at, rebuild and switch the search index.',
  commands: [status, rebuild, promote, rollback, prune],
  examples: ['agent-registry index status', 'agent-registry index rebuild --yes'],
});
