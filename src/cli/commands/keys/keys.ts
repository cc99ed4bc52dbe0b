import { group } from '../../command.ts';

export default group({
  name: 'keys',
  description: 'Signing keys, as files of yours, and the API keys of members, in the records.',
  commands: [() => import('./signing-keys.ts'), () => import('./api-keys.ts')],
  examples: [
    'registry keys generate --kind request',
    'registry keys jwks > public/.well-known/jwks.json',
    'registry keys rotate --kind webhook',
    'registry keys generate --kind credential --out /etc/registry/credential-keys.json',
    'registry keys create --member nova --label "build server"',
    'registry keys list --member nova',
  ],
});
