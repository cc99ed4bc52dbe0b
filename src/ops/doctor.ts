import { lookup } from 'node:dns/promises';
import { statfs } from 'node:fs/promises';
import { type Config, hasOwnContact } from '../config.ts';
import { RegistryError } from '../errors.ts';
import type { AgentIndex, Generation } from '../ports/agent-index.ts';
import type { Records } from '../ports/records.ts';
import { credentialTicks, type StoredCredentials } from './credential-ticks.ts';

/** One line of the doctor's list. */
export interface Tick {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do about it. */
  readonly hint?: string;
}

interface OpenStore {
  readonly records: Records;
  readonly index: AgentIndex;
  close(): Promise<void>;
}

/** How the live generation stands to the change log; `fault` is why it cannot be brought up to date. */
interface FeedLook {
  readonly fed: readonly Generation[];
  readonly lag: number;
  readonly fault?: RegistryError;
}

export interface DoctorParts {
  readonly readConfig: () => Config;
  /** Reads the files that settings name; throws for the first that cannot be used. */
  readonly readFiles?: (config: Config) => Promise<unknown>;
  readonly openStore: (config: Config) => Promise<OpenStore>;
  readonly feedState: (records: Records, index: AgentIndex) => Promise<FeedLook>;
  /** How many test credentials are stored, and for which agents no key opens the one that is. */
  readonly credentials?: (config: Config, records: Records) => Promise<StoredCredentials>;
}

const MIN_FREE_BYTES = 512 * 1024 * 1024;
/** How far the index may lag behind the records before somebody should look. */
const MAX_LAG = 10_000;

/** Looks at everything the registry needs; each check says what it saw, and what to do when that is not enough. */
export async function runChecks(parts: DoctorParts): Promise<readonly Tick[]> {
  const ticks: Tick[] = [node(), await disk(), await dns()];
  const config = attempt('configuration', parts.readConfig);
  if ('tick' in config) return [...ticks, config.tick];
  ticks.push(await files(parts, config.value), contact(config.value));
  return [...ticks, ...(await store(parts, config.value))];
}

async function files({ readFiles }: DoctorParts, config: Config): Promise<Tick> {
  try {
    await readFiles?.(config);
    return { name: 'configuration', ok: true, detail: 'every REGISTRY_ variable is known and valid' };
  } catch (error) {
    return failed('configuration', error);
  }
}

function node(): Tick {
  const ok = Number(process.versions.node.split('.')[0]) >= 24;
  return {
    name: 'node',
    ok,
    detail: `Node ${process.versions.node}`,
    ...(!ok && { hint: 'Node 24 or newer is needed; "npm ci" brings one' }),
  };
}

async function disk(): Promise<Tick> {
  const { bavail, bsize } = await statfs('.');
  const free = bavail * bsize;
  const ok = free > MIN_FREE_BYTES;
  return {
    name: 'disk',
    ok,
    detail: `${Math.round(free / 2 ** 20)} MiB free here`,
    ...(!ok && {
      hint: 'make room: the store grows with every new capture ("registry prune" deletes what is past its time)',
    }),
  };
}

/** Only whether the machine resolves names at all; nobody is contacted. */
async function dns(): Promise<Tick> {
  try {
    await lookup('localhost');
    return { name: 'name service', ok: true, detail: 'answers' };
  } catch (error) {
    return {
      name: 'name service',
      ok: false,
      detail: String(error),
      hint: 'check the resolver of this machine',
    };
  }
}

function contact({ contact: url }: Config): Tick {
  const isDefault = !hasOwnContact({ contact: url });
  return {
    name: 'contact',
    ok: !isDefault,
    detail: `our User-Agent names ${url}`,
    ...(isDefault && { hint: 'set REGISTRY_CONTACT to a page where the sites that you crawl can reach you' }),
  };
}

/** Everything that is wrong is said, not only the first of it. */
async function store(
  { openStore, feedState, credentials }: DoctorParts,
  config: Config,
): Promise<readonly Tick[]> {
  try {
    const { records, index, close } = await openStore(config);
    try {
      return [
        ...(await storeTicks(records)),
        ...(await attempted('test credentials', async () =>
          credentialTicks(await credentials?.(config, records)),
        )),
        ...(await indexTicks(index, () => feedState(records, index))),
      ];
    } finally {
      await close();
    }
  } catch (error) {
    return [failed(isOfIndex(error) ? 'index' : 'store', error)];
  }
}

async function storeTicks(records: Records): Promise<readonly Tick[]> {
  const found = await Promise.allSettled([
    records.check().then(() => records.agents.countListed()),
    records.checkRoom(),
  ]);
  const faults = found.flatMap((part) => (part.status === 'rejected' ? [failed('store', part.reason)] : []));
  const [listed] = found;
  if (faults.length > 0 || listed.status === 'rejected') return faults;
  return [{ name: 'store', ok: true, detail: `${listed.value} agents in the records` }];
}

/** The records may be well while the index is away, or empty. */
async function indexTicks(index: AgentIndex, look: () => Promise<FeedLook>): Promise<readonly Tick[]> {
  const found = await Promise.allSettled([index.check(), look().then(feedTick)]);
  const [search, feed] = found;
  const fed = feed.status === 'rejected' ? failed('index', feed.reason) : feed.value;
  if (search.status === 'fulfilled') return [fed];
  const searched = failed('index', search.reason);
  return fed.ok || fed.detail === searched.detail ? [searched] : [searched, fed]; // often for one reason
}

function isOfIndex(error: unknown): boolean {
  return error instanceof RegistryError && error.code.startsWith('index_');
}

/** How the live generation stands to the change log. */
function feedTick({ lag, fault, fed }: FeedLook): Tick {
  if (fault !== undefined) return failed('index', fault);
  const live = fed.find((generation) => generation.state === 'live');
  const ok = lag <= MAX_LAG;
  return {
    name: 'index',
    ok,
    detail: `generation ${live?.id ?? '-'}, ${lag} changes behind the records`,
    ...(!ok && { hint: '"registry index rebuild --yes" builds it anew from the records' }),
  };
}

function failed(name: string, error: unknown): Tick {
  return { name, ok: false, ...reason(error) };
}

/** What is wrong with the store is told by its own tick. */
async function attempted(name: string, look: () => Promise<readonly Tick[]>): Promise<readonly Tick[]> {
  try {
    return await look();
  } catch (error) {
    return error instanceof RegistryError && error.code.startsWith('store_') ? [] : [failed(name, error)];
  }
}

function attempt<T>(name: string, work: () => T): { readonly value: T } | { readonly tick: Tick } {
  try {
    return { value: work() };
  } catch (error) {
    return { tick: failed(name, error) };
  }
}

function reason(error: unknown): { readonly detail: string; readonly hint?: string } {
  if (!(error instanceof RegistryError))
    return { detail: error instanceof Error ? error.message : String(error) };
  return { detail: error.message, ...(error.hint !== undefined && { hint: error.hint }) };
}
