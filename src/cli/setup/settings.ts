import { DEFAULT_TIERS, type TierTable } from '../../compliance/badges/conditions.ts';
import type { DomainSettings, Network } from '../../compose/network.ts';
import { type Config, readConfig, SETTINGS } from '../../config.ts';
import type { Logger } from '../../ops/log.ts';
import type { BadgeKeySource } from '../../signing/badge-key-source.ts';
import { readTextFile } from '../input/arguments.ts';
import type { LogFlags, NetworkFlags, StoreFlags } from '../shared-flags.ts';

/** The configuration of the environment, with the flags of the command line over it. */
export function configOf(flags: StoreFlags & LogFlags & { readonly concurrency?: number }): Config {
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
    flags.connectToFile === undefined
      ? undefined
      : await readTextFile(flags.connectToFile, '--connect-to-file');
  const ca = flags.ca === undefined ? undefined : await readTextFile(flags.ca, '--ca');
  const domains = config.domains === '' ? undefined : await domainSettingsIn(config.domains);
  return {
    connectTo: flags.connectTo,
    ...(connectToFile !== undefined && { connectToFile }),
    ...(ca !== undefined && { ca }),
    ...(domains !== undefined && { domains }),
  };
}

/** Which memberships grant badges: the table that REGISTRY_TIERS names, or the usual one. */
export async function tiersOf({ tiers }: Pick<Config, 'tiers'>): Promise<TierTable> {
  if (tiers === '') return DEFAULT_TIERS;
  const { parseTiers } = await import('./settings-files.ts');
  return parseTiers(await readTextFile(tiers, 'REGISTRY_TIERS'), tiers);
}

/** The configuration that API responses depend on, with its files read. `onFault` is called if badge keys cannot be read later. */
export async function publicFaceOf(config: Config, onFault: (error: unknown) => void = () => {}) {
  const { baseUrl, badgeKeys, complianceTarget } = config;
  return {
    complianceTarget,
    tiers: await tiersOf(config),
    ...(baseUrl !== '' && { baseUrl }),
    ...(badgeKeys !== '' && { badgeKeys: await badgeKeysIn(badgeKeys, onFault) }),
  };
}

async function domainSettingsIn(file: string): Promise<DomainSettings> {
  const { parseDomainSettings } = await import('./settings-files.ts');
  return parseDomainSettings(await readTextFile(file, 'REGISTRY_DOMAINS'), file);
}

async function badgeKeysIn(setting: string, onFault: (error: unknown) => void): Promise<BadgeKeySource> {
  const { systemClock } = await import('../../compose/clock.ts');
  const { openBadgeKeys } = await import('../../signing/badge-key-source.ts');
  return openBadgeKeys(setting, { clock: systemClock, onFault });
}

/** Warns if real agents would be tested as the sandbox buyer; with mapped hosts, the sandbox is tested. */
export function warnAboutTester(
  { testAgent }: Pick<Config, 'testAgent'>,
  { connectTo }: NetworkFlags,
  log: Pick<Logger, 'warn'>,
): void {
  if (testAgent !== SETTINGS.testAgent.fallback || connectTo.length > 0) return;
  log.warn(
    { as: testAgent },
    'tests use the buyer agent of the sandbox, which real agents do not know: set REGISTRY_TEST_AGENT to your own',
  );
}
