import { group } from '../../command.ts';

export default group({
  name: 'badges',
  description: 'What agents are verified for: why badges came or went, and whether the token of one holds.',
  commands: [() => import('./list.ts'), () => import('./verify.ts')],
  examples: [
    'agent-registry badges list https://sales.example/mcp',
    'agent-registry badges verify badge.jwt --jwks jwks.json --agent https://sales.example/mcp',
  ],
});
