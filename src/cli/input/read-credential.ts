import { RegistryError } from '../../errors.ts';
import type { CredentialFlags } from '../shared-flags.ts';
import { readTextFile } from './read-text.ts';

/** The token of --auth-env or --auth; a token on the command line is visible to every user of the machine. */
export async function readCredential({ auth, authEnv }: CredentialFlags): Promise<string | undefined> {
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
