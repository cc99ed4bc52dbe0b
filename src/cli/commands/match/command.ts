import { group } from '../../command.ts';

export default group({
  name: 'match',
  description: 'Match packages to a page and to a user token, in two separate requests.',
  commands: [() => import('./serve.ts'), () => import('./try.ts')],
  examples: [
    'agent-registry match serve --packages packages.json --store sqlite:caps.sqlite --key-env MATCH_KEY',
    'agent-registry match try --context context.json --identity identity.json --provider http://127.0.0.1:8090',
  ],
});
