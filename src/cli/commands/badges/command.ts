import { group } from '../../command.ts';

export default group({
  name: 'badges',
  description: 'Show badges and their history, and verify badge tokens.',
  commands: [() => import('./list.ts'), () => import('./verify.ts')],
  examples: [
    'agent-registry badges list https://sales.example/mcp',
    'agent-registry badges verify badge.jwt --jwks jwks.json --agent https://sales.example/mcp',
  ],
});
