import { group } from '../../command.ts';

export default group({
  name: 'agents',
  description: 'Manage the agents of members: registration, ownership, settings and credentials.',
  commands: [
    () => import('./register.ts'),
    () => import('./list.ts'),
    () => import('./prove.ts'),
    () => import('./settings.ts'),
    () => import('./credential.ts'),
    () => import('./end.ts'),
  ],
  examples: [
    'agent-registry agents register https://sales.agents.example/mcp --member nova --type sales --name "Nova Sales"',
    'agent-registry agents challenge https://sales.agents.example/mcp --member nova',
    'agent-registry agents prove https://sales.agents.example/mcp --member nova',
    'agent-registry agents settings https://sales.agents.example/mcp --member nova --pause',
    'agent-registry agents credential https://sales.agents.example/mcp --member nova --auth-env TOKEN',
  ],
});
