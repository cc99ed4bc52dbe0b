import { group } from '../../command.ts';

export default group({
  name: 'runs',
  description: 'List, show, start, import and rejudge test runs of agents.',
  commands: [
    () => import('./import.ts'),
    () => import('./list.ts'),
    () => import('./rejudge.ts'),
    () => import('./show.ts'),
    () => import('./start.ts'),
  ],
  examples: [
    'agent-registry runs import runs.jsonl',
    'agent-registry runs list https://sales.agents.example/mcp',
    'agent-registry runs start https://sales.agents.example/mcp --member nova --wait',
    'agent-registry runs show https://sales.agents.example/mcp RUN_ID --evidence',
    'agent-registry runs rejudge',
  ],
});
