import { lookup } from 'node:dns/promises';
import { statfs } from 'node:fs/promises';
import { type Config, hasOwnContact } from '../config.ts';
import type { BodyStore } from '../ports/body-store.ts';
import { type DoctorCheck, failedCheck } from './doctor-check.ts';
import { checkStore, type StoreParts } from './doctor-store.ts';

export interface DoctorParts extends StoreParts {
  readonly readConfig: () => Config;
  /** Reads the files that settings name; throws for the first that cannot be used. */
  readonly readFiles?: (config: Config) => Promise<unknown>;
  /** Where bodies are moved to; undefined: nowhere. */
  readonly openBodies?: (config: Config) => Promise<BodyStore | undefined>;
  /** When the newest export was begun, epoch milliseconds; undefined: there is none. */
  readonly newestExport?: (config: Config) => Promise<{ readonly at: number } | undefined>;
}

/** No file has this hash. */
const PROBE_HASH = '0'.repeat(64);
/** An export is made each night; one may be late. */
const MAX_EXPORT_AGE_MS = 48 * 3_600_000;
const MIN_FREE_BYTES = 512 * 1024 * 1024;

/** Checks everything the registry needs; each check says what it saw, and what to do when that is not enough. */
export async function runChecks(parts: DoctorParts): Promise<readonly DoctorCheck[]> {
  const checks: DoctorCheck[] = [node(), await disk(), await dns()];
  const config = attempt('configuration', parts.readConfig);
  if ('failed' in config) return [...checks, config.failed];
  checks.push(await files(parts, config.value), contact(config.value));
  checks.push(...(await newest(parts, config.value)), ...(await bodies(parts, config.value)));
  return [...checks, ...(await checkStore(parts, config.value))];
}

async function files({ readFiles }: DoctorParts, config: Config): Promise<DoctorCheck> {
  try {
    await readFiles?.(config);
    return { name: 'configuration', ok: true, detail: 'every REGISTRY_ variable is known and valid' };
  } catch (error) {
    return failedCheck('configuration', error);
  }
}

/** No check if no export was ever made: exports are optional. */
async function newest({ newestExport }: DoctorParts, config: Config): Promise<readonly DoctorCheck[]> {
  const name = 'export';
  try {
    const found = await newestExport?.(config);
    if (found === undefined) return [];
    const ok = Date.now() - found.at <= MAX_EXPORT_AGE_MS;
    const hint = 'run "agent-registry export" every night; until then, new copies must read a long feed';
    const detail = `the newest export is from ${new Date(found.at).toISOString()}`;
    return [{ name, ok, detail, ...(!ok && { hint }) }];
  } catch (error) {
    return [failedCheck(name, error)];
  }
}

/** Writes, reads and deletes one. Nothing where bodies stay in the records. */
async function bodies({ openBodies }: DoctorParts, config: Config): Promise<readonly DoctorCheck[]> {
  const name = 'bodies';
  try {
    const store = await openBodies?.(config);
    if (store === undefined) return [];
    const sent = new TextEncoder().encode(new Date().toISOString());
    await store.put(PROBE_HASH, sent);
    const ok = Buffer.compare((await store.get(PROBE_HASH)) ?? Buffer.alloc(0), sent) === 0;
    await store.drop(PROBE_HASH);
    const detail = ok
      ? `${store.name} can be written and read`
      : `${store.name} returned different bytes than were stored`;
    return [{ name, ok, detail, ...(!ok && { hint: 'use a store that is consistent after a write' }) }];
  } catch (error) {
    return [failedCheck(name, error)];
  }
}

function node(): DoctorCheck {
  const ok = Number(process.versions.node.split('.')[0]) >= 24;
  return {
    name: 'node',
    ok,
    detail: `Node ${process.versions.node}`,
    ...(!ok && { hint: 'Node 24 or newer is required; "npm ci" installs it' }),
  };
}

async function disk(): Promise<DoctorCheck> {
  const { bavail, bsize } = await statfs('.');
  const free = bavail * bsize;
  const ok = free > MIN_FREE_BYTES;
  return {
    name: 'disk',
    ok,
    detail: `${Math.round(free / 2 ** 20)} MiB free here`,
    ...(!ok && {
      hint: 'free some disk space: the store grows with every capture ("agent-registry prune" deletes expired history)',
    }),
  };
}

/** Only checks that names resolve; contacts no host. */
async function dns(): Promise<DoctorCheck> {
  try {
    await lookup('localhost');
    return { name: 'name service', ok: true, detail: 'answers' };
  } catch (error) {
    return {
      name: 'name service',
      ok: false,
      detail: String(error),
      hint: 'check the DNS resolver of this machine',
    };
  }
}

function contact({ contact: url }: Config): DoctorCheck {
  const isDefault = !hasOwnContact({ contact: url });
  return {
    name: 'contact',
    ok: !isDefault,
    detail: `the contact in the User-Agent is ${url}`,
    ...(isDefault && {
      hint: 'set REGISTRY_CONTACT to a page or mailbox of yours, where the sites that you crawl can reach you',
    }),
  };
}

function attempt<T>(name: string, work: () => T): { readonly value: T } | { readonly failed: DoctorCheck } {
  try {
    return { value: work() };
  } catch (error) {
    return { failed: failedCheck(name, error) };
  }
}
