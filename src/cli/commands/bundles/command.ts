import { group } from '../../command.ts';

export default group({
  name: 'bundles',
  description: 'Install, compare and switch the storyboards that agents are tested with.',
  commands: [
    () => import('./add.ts'),
    () => import('./list.ts'),
    () => import('./show.ts'),
    () => import('./stage.ts'),
    () => import('./remove.ts'),
    () => import('./compare.ts'),
  ],
  examples: [
    'agent-registry bundles add adcp-3.1.19.tgz --sha256 8f0c…',
    'agent-registry bundles list',
    'agent-registry bundles show 3.1.19',
    'agent-registry bundles compare 3.0.26 3.1.19',
    'agent-registry bundles preview 3.1.19',
    'agent-registry bundles default 3.1.19',
    'agent-registry bundles remove 3.0.26',
  ],
});
