import { group } from '../../command.ts';

export default group({
  name: 'webhooks',
  description: 'Receive signed webhooks, and manage the outbox of agents on this machine.',
  commands: [() => import('./listen.ts'), () => import('./outbox.ts')],
  examples: [
    'agent-registry webhooks listen --port 9000 --agent https://sales.agents.example/mcp --origin https://buyer.example',
    'agent-registry webhooks dead --state sqlite:.registry/sandbox.sqlite',
    'agent-registry webhooks replay --all --state sqlite:.registry/sandbox.sqlite',
  ],
});
