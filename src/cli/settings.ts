import { readFile } from 'node:fs/promises';
import { DEFAULT_TIERS, type TierTable } from '../compliance/badges/conditions.ts';
import type { Network } from '../compose.ts';
import { type Config, readConfig } from '../config.ts';
import { RegistryError } from '../errors.ts';
import type { BadgeKeys } from '../signing/badge-keys.ts';
import { parseDomainSettings } from './input/parse-domain-settings.ts';
import { parseTiers } from './input/parse-tiers.ts';
import type { LogFlags, NetworkFlags, StoreFlags } from './options.ts';
import { note } from './output/print.ts';

/** The configuration of the environment, with the flags of the command line over it. */
export function settingsOf(flags: StoreFlags & LogFlags & { readonly concurrency?: number }): Config {
  const overrides = {
    ...(flags.store !== undefined && { REGISTRY_STORE: flags.store, REGISTRY_STORE_FILE: undefined }),
    ...(flags.logLevel !== undefined && { REGISTRY_LOG_LEVEL: flags.logLevel }),
    ...(flags.concurrency !== undefined && { REGISTRY_CONCURRENCY: String(flags.concurrency) }),
  };
  return readConfig({ ...process.env, ...overrides });
}

/** What the network flags and REGISTRY_DOMAINS say, files read: mappings in order, certificates, settings of domains. */
export async function networkOf(flags: NetworkFlags, config: Config): Promise<Network> {
  const connectToFile =
    flags.connectToFile === undefined ? undefined : await readText(flags.connectToFile, '--connect-to-file');
  const ca = flags.ca === undefined ? undefined : await readText(flags.ca, '--ca');
  const domains =
    config.domains === ''
      ? undefined
      : parseDomainSettings(await readText(config.domains, 'REGISTRY_DOMAINS'), config.domains);
  return {
    connectTo: flags.connectTo,
    ...(connectToFile !== undefined && { connectToFile }),
    ...(ca !== undefined && { ca }),
    ...(domains !== undefined && { domains }),
  };
}

/** Which memberships grant badges: the table that REGISTRY_TIERS names, or the usual one. */
export async function tiersOf({ tiers }: Pick<Config, 'tiers'>): Promise<TierTable> {
  return tiers === '' ? DEFAULT_TIERS : parseTiers(await readText(tiers, 'REGISTRY_TIERS'), tiers);
}

/** What of the configuration shows in answers of the API, files read. */
export async function publicFaceOf(config: Config) {
  const { baseUrl, badgeKeys } = config;
  return {
    tiers: await tiersOf(config),
    ...(baseUrl !== '' && { baseUrl }),
    ...(badgeKeys !== '' && { badgeKeys: await badgeKeysIn(badgeKeys) }),
  };
}

async function badgeKeysIn(path: string): Promise<BadgeKeys> {
  const { loadBadgeKeys } = await import('../signing/badge-keys.ts');
  const { isExposed } = await import('../signing/key-folder.ts');
  const keys = await loadBadgeKeys(path);
  for (const file of keys.files)
    if (await isExposed(file)) note(`${file} can be read by others: chmod 600 ${file}`);
  return keys;
}

/** Reads a text file that the user named; a missing one is a usage error. */
export async function readText(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new RegistryError('usage', `${what}: cannot read ${path}`, {
      cause,
      hint: 'check the path and the permissions',
    });
  }
}
