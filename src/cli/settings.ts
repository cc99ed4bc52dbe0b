import { readFile } from 'node:fs/promises';
import { type Config, readConfig } from '../config.ts';
import { RegistryError } from '../errors.ts';
import type { LogFlags, NetworkFlags, StoreFlags } from './options.ts';

/** The configuration of the environment, with the flags of the command line over it. */
export function settingsOf(flags: StoreFlags & LogFlags & { readonly concurrency?: number }): Config {
  const overrides = {
    ...(flags.store !== undefined && { REGISTRY_STORE: flags.store }),
    ...(flags.logLevel !== undefined && { REGISTRY_LOG_LEVEL: flags.logLevel }),
    ...(flags.concurrency !== undefined && { REGISTRY_CONCURRENCY: String(flags.concurrency) }),
  };
  return readConfig({ ...process.env, ...overrides });
}

/** The texts behind the network flags: mappings in order, and the certificates. */
export async function networkOf(
  flags: NetworkFlags,
): Promise<{ readonly connectTo: readonly string[]; readonly connectToFile?: string; readonly ca?: string }> {
  const connectToFile =
    flags.connectToFile === undefined ? undefined : await readText(flags.connectToFile, '--connect-to-file');
  const ca = flags.ca === undefined ? undefined : await readText(flags.ca, '--ca');
  return {
    connectTo: flags.connectTo,
    ...(connectToFile !== undefined && { connectToFile }),
    ...(ca !== undefined && { ca }),
  };
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
