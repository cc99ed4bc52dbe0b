import { ProvenOrigin } from '../../domain/proven-origin.ts';
import { RegistryError } from '../../errors.ts';
import type { CredentialFlags } from '../shared-flags.ts';
import { readTextFile } from './read-text.ts';

/**
 * The token of --auth-env or --auth for the agent at `url`; a token on the command line is visible to every user of the
 * machine. `usage` for an agent that is called in the clear, this machine aside.
 */
export async function readCredential(flags: CredentialFlags, url: string): Promise<string | undefined> {
  const token = await tokenOf(flags);
  if (token === undefined || ProvenOrigin.of(url).takesCredentials) return token;
  throw new RegistryError(
    'usage',
    `no credential is sent to ${url.slice(0, 200)}: http would show it to the network`,
    {
      hint: 'name the https address of the agent, or leave the credential out',
    },
  );
}

async function tokenOf({ auth, authEnv }: CredentialFlags): Promise<string | undefined> {
  if (auth !== undefined && authEnv !== undefined)
    throw new RegistryError('usage', '--auth and --auth-env cannot be combined', {
      hint: 'keep --auth-env',
    });
  if (auth?.startsWith('@')) return (await readTextFile(auth.slice(1), '--auth')).trim();
  if (authEnv === undefined) return auth;
  const token = process.env[authEnv];
  if (token) return token;
  throw new RegistryError('usage', `--auth-env: the variable ${authEnv} is not set`, {
    hint: `set it, as in ${authEnv}=… agent-registry …`,
  });
}
