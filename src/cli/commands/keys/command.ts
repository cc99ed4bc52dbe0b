import { group } from '../../command.ts';

export default group({
  name: 'keys',
  description: 'Manage signing keys (files of yours) and API keys of members (in the store).',
  commands: [() => import('./signing-keys.ts'), () => import('./api-keys.ts')],
  examples: [
    'agent-registry keys generate --kind request',
    'agent-registry keys jwks > public/.well-known/jwks.json',
    'agent-registry keys rotate --kind webhook',
    'agent-registry keys generate --kind credential --out /etc/registry/credential-keys.json',
    'agent-registry keys create --member nova --label "build server" --scope runs --scope read --days 90',
    'agent-registry keys renew ark_0123456789abcdef --overlap 48',
    'agent-registry keys list --member nova',
  ],
});
