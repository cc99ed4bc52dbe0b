import type { Command } from 'commander';
import type { Done } from '../command.ts';
import { type JsonFlag, type StoreFlags, withJson, withStore } from '../options.ts';

export interface ApiKeysFlags extends StoreFlags, JsonFlag {
  readonly member?: string;
}

export interface CreateKeyFlags extends StoreFlags, JsonFlag {
  readonly member: string;
  readonly label?: string;
}

/** `registry keys create | list | revoke`. */
export function defineApiKeys(keys: Command, done: Done): void {
  const create = keys
    .command('create')
    .description('Make an API key of a member and print it, this once: only its hash is kept.')
    .requiredOption('--member <slug>', 'the member that it belongs to')
    .option('--label <text>', 'what it is for, to tell it from the others');
  withJson(withStore(create)).action(async (flags: CreateKeyFlags) => {
    const { createKey } = await import('../run/api-keys.ts');
    done(await createKey(flags));
  });
  const list = keys
    .command('list')
    .description('Show the API keys: the id of each, its member, when it was made, used and revoked.')
    .option('--member <slug>', 'those of one member');
  withJson(withStore(list)).action(async (flags: ApiKeysFlags) => {
    const { listKeys } = await import('../run/api-keys.ts');
    done(await listKeys(flags));
  });
  const revoke = keys
    .command('revoke')
    .description('Revoke an API key, at once and for good.')
    .argument('<id>', 'its id, as in keys list');
  withJson(withStore(revoke)).action(async (id: string, flags: ApiKeysFlags) => {
    const { revokeKey } = await import('../run/api-keys.ts');
    done(await revokeKey(id, flags));
  });
}
