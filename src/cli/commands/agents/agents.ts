import { group } from '../../command.ts';

export default group({
  name: 'agents',
  description: 'Agents that members register, prove to own, and decide about.',
  commands: [
    () => import('./register.ts'),
    () => import('./list.ts'),
    () => import('./prove.ts'),
    () => import('./settings.ts'),
    () => import('./credential.ts'),
    () => import('./end.ts'),
  ],
  examples: [
    'registry agents register https://sales.agents.example/mcp --member nova --type sales --name "Nova Sales"',
    'registry agents challenge https://sales.agents.example/mcp --member nova',
    'registry agents prove https://sales.agents.example/mcp --member nova',
    'registry agents settings https://sales.agents.example/mcp --member nova --pause',
    'registry agents credential https://sales.agents.example/mcp --member nova --auth-env TOKEN',
  ],
});
