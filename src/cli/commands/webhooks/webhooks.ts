import { group } from '../../command.ts';

export default group({
  name: 'webhooks',
  description: 'Receive signed webhooks, and look after those that agents of this machine send.',
  commands: [() => import('./listen.ts'), () => import('./outbox.ts')],
  examples: [
    'registry webhooks listen --port 9000 --agent https://sales.agents.example/mcp --origin https://buyer.example',
    'registry webhooks dead --state sqlite:.registry/sandbox.sqlite',
    'registry webhooks replay --all --state sqlite:.registry/sandbox.sqlite',
  ],
});
