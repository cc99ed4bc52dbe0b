import type { Config } from '../config.ts';
import { RegistryError } from '../errors.ts';
import { type Credentials, createCredentials, type Sealer } from '../owners/credentials.ts';
import { checkCredentials, resealAll } from '../owners/stored-credentials.ts';
import { exchangeToken, type TokenExchange } from '../owners/token-exchange.ts';
import type { Clock } from '../ports/clock.ts';
import type { Fetcher } from '../ports/fetcher.ts';
import type { Records } from '../ports/records.ts';
import { keyCommand } from '../signing/key-command.ts';
import {
  open,
  readSealingKeys,
  type SealingKey,
  seal,
  sealedWith,
  sealingKeysOfCommand,
} from '../signing/sealing-keys.ts';

type KeyConfig = Pick<Config, 'credentialKeys'>;
type Owners = Pick<Records, 'owners'>;

/**
 * The test credentials of owners, sealed with the keys that the configuration names. Rejects with a RegistryError
 * `input_invalid` or `keys_unavailable` when these cannot be used. Later the file is read anew for each credential, and a
 * command is asked again after a minute: a rotation needs no restart. Without `exchange`, OAuth clients are kept and get
 * no token.
 */
export async function composeCredentials(
  config: KeyConfig,
  { owners }: Owners,
  clock: Clock,
  exchange: TokenExchange = noExchange,
): Promise<Credentials> {
  const keys = keyReader(config, clock);
  await keys();
  return createCredentials({ owners, clock, sealer: createSealer(keys), exchange });
}

/** Asks token endpoints by the guarded way of this process. */
export function composeExchange(fetcher: Fetcher, clock: Clock): TokenExchange {
  return (client, within) => exchangeToken(client, fetcher, clock, within);
}

async function noExchange() {
  return { failure: { kind: 'network', message: 'this process does not request tokens' } as const };
}

/** Seals all stored credentials with the first key. Rejects with a RegistryError `usage` where there are no keys. */
export async function resealCredentials(config: KeyConfig, { owners }: Owners) {
  const keys = await keysOf(config);
  if (keys.length === 0) throw noKeys();
  return resealAll(
    owners,
    createSealer(async () => keys),
  );
}

/** How many credentials are stored, and whose no key opens. Rejects as `composeCredentials` does. */
export async function checkStoredCredentials(config: KeyConfig, { owners }: Owners) {
  const keys = await keysOf(config);
  return checkCredentials(
    owners,
    createSealer(async () => keys),
  );
}

/** None where the setting is not given. */
function keysOf(config: KeyConfig): Promise<readonly SealingKey[]> {
  return keysBehind(config)();
}

function keysBehind({ credentialKeys: setting }: KeyConfig): () => Promise<readonly SealingKey[]> {
  const command = keyCommand(setting);
  if (command !== undefined) return () => sealingKeysOfCommand(command);
  return async () => (setting === '' ? [] : readSealingKeys(setting));
}

/** What a command printed counts for so long; one that fails then is asked again, and nothing older is used. */
const COMMAND_MS = 60_000;

function keyReader(config: KeyConfig, clock: Clock): () => Promise<readonly SealingKey[]> {
  const read = keysBehind(config);
  if (keyCommand(config.credentialKeys) === undefined) return read;
  let asked: { readonly at: number; readonly keys: Promise<readonly SealingKey[]> } | undefined;
  return () => {
    const now = clock.now();
    if (asked === undefined || Math.abs(now - asked.at) >= COMMAND_MS) {
      const keys = read();
      asked = { at: now, keys };
      keys.catch(() => (asked = undefined));
    }
    return asked.keys;
  };
}

function createSealer(keys: () => Promise<readonly SealingKey[]>): Sealer {
  return {
    async seal(owner, text) {
      const known = await keys();
      if (known.length === 0) throw noKeys();
      return seal(known, owner, text);
    },
    open: async (owner, sealed) => open(await keys().catch(ownFault), owner, sealed),
    isCurrent: async (sealed) => sealedWith(sealed) === (await keys())[0]?.kid,
  };
}

/** The file was valid when this process started, and callers cannot fix it. */
function ownFault(error: unknown): never {
  if (!(error instanceof RegistryError)) throw error;
  const { message, hint } = error;
  throw new RegistryError('credential_unreadable', message, {
    cause: error,
    ...(hint !== undefined && { hint }),
  });
}

function noKeys(): RegistryError {
  return new RegistryError(
    'usage',
    'REGISTRY_CREDENTIAL_KEYS is not set, so no test credential can be stored',
    {
      hint: 'create a key with `agent-registry keys generate --kind credential`, and set REGISTRY_CREDENTIAL_KEYS to its file',
    },
  );
}
