import type { Config } from '../config.ts';
import { trusting } from '../edge/peer.ts';
import { RegistryError } from '../errors.ts';
import type { AgentIndex, Generation } from '../ports/agent-index.ts';
import type { Records } from '../ports/records.ts';
import { clockFault } from './clock-report.ts';
import { type DeepParts, type DoctorCheck, deepCheck, failedCheck } from './doctor-check.ts';

interface OpenedStore {
  readonly records: Records;
  readonly index: AgentIndex;
  close(): Promise<void>;
}

/** Lag of the live generation; `fault` is why it cannot be brought up to date. */
interface Lag {
  readonly current: readonly Generation[];
  readonly lag: number;
  readonly fault?: RegistryError;
}

export interface StoredCredentials {
  readonly stored: number;
  /** Agents whose credential none of the keys opens. */
  readonly unreadable: readonly string[];
  /** Agents that it is not sent to, as they are called in the clear. */
  readonly unsent: readonly string[];
}

interface UnusableBundle {
  readonly version: string;
  readonly state: string;
}

/** How the store and the index are opened and read. */
export interface StoreParts {
  readonly openStore: (config: Config) => Promise<OpenedStore>;
  readonly indexLag: (records: Records, index: AgentIndex) => Promise<Lag>;
  /** How many test credentials are stored, and for which agents no key opens the one that is. */
  readonly credentials?: (config: Config, records: Records) => Promise<StoredCredentials>;
  /** Bundles in use whose files on this machine are not those of the records. */
  readonly bundles?: (config: Config, records: Records) => Promise<readonly UnusableBundle[]>;
  /** Absent: nothing is recomputed. */
  readonly deep?: DeepParts;
}

const MAX_NAMED = 3;
/** A proxy that was not seen for so long is gone. */
const PROXY_DAYS = 7;
/** Lag of the index above which the check fails. */
const MAX_LAG = 10_000;

/** Reports everything that is wrong, not only the first of it. */
export async function checkStore(
  { openStore, indexLag, credentials, bundles, deep }: StoreParts,
  config: Config,
): Promise<readonly DoctorCheck[]> {
  try {
    const { records, index, close } = await openStore(config);
    try {
      return [
        ...(await recordsChecks(records)),
        clockCheck(records),
        ...(await attempted('proxy', async () => proxyChecks(records, config))),
        ...(await attempted('test credentials', async () =>
          credentialChecks(await credentials?.(config, records)),
        )),
        ...(await attempted('bundles', async () => bundleChecks(await bundles?.(config, records)))),
        ...(await indexChecks(index, () => indexLag(records, index))),
        ...(deep === undefined
          ? []
          : await attempted('self-check', async () => [
              await deepCheck(deep, { records, index }, await isCurrent(() => indexLag(records, index))),
            ])),
      ];
    } finally {
      await close();
    }
  } catch (error) {
    return [failedCheck(isOfIndex(error) ? 'index' : 'store', error)];
  }
}

async function recordsChecks(records: Records): Promise<readonly DoctorCheck[]> {
  const found = await Promise.allSettled([
    records.check().then(() => records.agents.countListed()),
    records.checkRoom(),
  ]);
  const faults = found.flatMap((part) =>
    part.status === 'rejected' ? [failedCheck('store', part.reason)] : [],
  );
  const [listed] = found;
  if (faults.length > 0 || listed.status === 'rejected') return faults;
  return [{ name: 'store', ok: true, detail: `${listed.value} agents in the records` }];
}

function clockCheck({ clock }: Records): DoctorCheck {
  const fault = clockFault(clock);
  const name = 'clock';
  if (fault !== undefined) return { name, ok: false, detail: fault.message, hint: fault.hint };
  return { name, ok: true, detail: `the clock of the records shows ${new Date(clock.now()).toISOString()}` };
}

/** Nothing where no server has seen such a proxy of late, or where it is trusted now. */
async function proxyChecks(
  records: Records,
  { trustedProxies }: Pick<Config, 'trustedProxies'>,
): Promise<readonly DoctorCheck[]> {
  const seen = await records.untrustedProxy();
  if (seen === undefined || records.clock.now() - seen.at > PROXY_DAYS * 86_400_000) return [];
  if (trusting(trustedProxies)(seen.address)) return [];
  const at = new Date(seen.at).toISOString();
  return [
    {
      ...{ name: 'proxy', ok: false },
      detail: `requests came through an untrusted proxy at ${seen.address} (${at}), so all of its callers share one rate limit`,
      hint: `if the proxy is yours, add its address to REGISTRY_TRUSTED_PROXIES: ${[...trustedProxies, seen.address].join(',')}`,
    },
  ];
}

/** Nothing where all of them can be used. */
function bundleChecks(unusable: readonly UnusableBundle[] = []): readonly DoctorCheck[] {
  return unusable.map(({ version, state }) => ({
    ...{ name: 'bundles', ok: false },
    detail: `the bundle ${version} cannot be used on this machine (${state.replace('_', ' ')}), so tests with it are inconclusive`,
    hint: 'run "agent-registry bundles add" here with the same archive',
  }));
}

/** The records may be well while the index is away, or empty. */
async function indexChecks(index: AgentIndex, read: () => Promise<Lag>): Promise<readonly DoctorCheck[]> {
  const found = await Promise.allSettled([index.check(), read().then(lagCheck), index.checkWrites()]);
  const [search, lag, writes] = found;
  const current = lag.status === 'rejected' ? failedCheck('index', lag.reason) : lag.value;
  const closed = writes.status === 'rejected' && isReadOnly(writes.reason);
  const written = closed ? [failedCheck('index', writes.reason)] : [];
  if (search.status === 'fulfilled') return closed && current.ok ? written : [...written, current];
  const searched = failedCheck('index', search.reason);
  return current.ok || current.detail === searched.detail ? [searched] : [searched, current]; // often for one reason
}

/** Whether the index can be read and has every change; why not is said by its own check. */
function isCurrent(read: () => Promise<Lag>): Promise<boolean> {
  return read().then(
    ({ lag, fault }) => lag === 0 && fault === undefined,
    () => false,
  );
}

/** What else keeps it from an answer is said by the others. */
function isReadOnly(error: unknown): boolean {
  return error instanceof RegistryError && error.code === 'index_read_only';
}

function isOfIndex(error: unknown): boolean {
  return error instanceof RegistryError && error.code.startsWith('index_');
}

/** Compares the live generation with the change log. */
function lagCheck({ lag, fault, current }: Lag): DoctorCheck {
  if (fault !== undefined) return failedCheck('index', fault);
  const live = current.find((generation) => generation.state === 'live');
  const ok = lag <= MAX_LAG;
  return {
    name: 'index',
    ok,
    detail: `generation ${live?.id ?? '-'}, ${lag} changes behind the records`,
    ...(!ok && { hint: '"agent-registry index rebuild --yes" rebuilds it from the records' }),
  };
}

/** Whether every stored test credential opens and is sent; nothing where none is stored. */
function credentialChecks(found: StoredCredentials | undefined): readonly DoctorCheck[] {
  if (found === undefined || found.stored === 0) return [];
  const { stored, unreadable, unsent } = found;
  const name = 'test credentials';
  if (unsent.length > 0)
    return [{ name, ok: false, ...notSent(unsent) }, ...credentialChecks({ ...found, unsent: [] })];
  if (unreadable.length === 0) return [{ name, ok: true, detail: `${stored} stored, all can be decrypted` }];
  return [
    {
      name,
      ok: false,
      detail: `${stored} stored; no key decrypts the credential of ${named(unreadable)}, so its tests are inconclusive`,
      hint: 'restore the missing keys in the REGISTRY_CREDENTIAL_KEYS file, or ask the owners to store their credentials again',
    },
  ];
}

function notSent(agents: readonly string[]) {
  return {
    detail: `the credential of ${named(agents)} is never sent: plain http would expose it`,
    hint: 'ask the owners to register the https addresses, then delete it: agent-registry agents credential URL --member SLUG --forget',
  };
}

function named(agents: readonly string[]): string {
  const more = agents.length > MAX_NAMED ? ` and ${agents.length - MAX_NAMED} more` : '';
  return `${agents.slice(0, MAX_NAMED).join(', ')}${more}`;
}

/** What is wrong with the store is reported by its own check. */
async function attempted(
  name: string,
  read: () => Promise<readonly DoctorCheck[]>,
): Promise<readonly DoctorCheck[]> {
  try {
    return await read();
  } catch (error) {
    return error instanceof RegistryError && error.code.startsWith('store_')
      ? []
      : [failedCheck(name, error)];
  }
}
