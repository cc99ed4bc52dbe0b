import { randomBytes } from 'node:crypto';
import type { Entry, Site } from './catalogue.ts';
import type { Engine } from './client.ts';
import { EngineFault, indexUnavailable } from './errors.ts';
import { creationBody, type ReadyOptions, searchableSettings } from './mapping.ts';
import { isSecondWriteIndex, liveNames } from './switch.ts';

interface Health {
  readonly number_of_data_nodes: number;
}

/** A refresh of an index that was just filled writes all that is in memory. */
const REFRESH = { withinMs: 60_000, retries: 2 };

/**
 * Ends the state of a copy: what was written is found, and is on as many nodes as it should be. Doing it again changes
 * nothing. Rejects with an EngineFault when that is not reached in time.
 */
export async function makeReady(engine: Engine, index: string, options: ReadyOptions): Promise<void> {
  const { shards, replicas, replicasWaitMs } = options;
  const settings = { index: searchableSettings(replicas) };
  await engine.send({ method: 'PUT', path: `/${index}/_settings`, body: settings }, engine.changes);
  await refresh(engine, [index]);
  const { number_of_data_nodes: nodes } = await health(engine, index, {}, engine.changes.withinMs);
  const copies = 1 + Math.min(replicas, nodes - 1); // two copies are never on one node: a lone node has one
  const wait = { wait_for_active_shards: shards * copies, timeout: `${replicasWaitMs}ms` };
  await health(engine, index, wait, replicasWaitMs + engine.changes.withinMs);
}

/** Refreshes the index, so that searches find all writes. A missing index is not an error. */
export async function refresh(engine: Engine, indices: readonly string[]): Promise<void> {
  if (indices.length === 0) return;
  const path = `/${indices.join(',')}/_refresh`;
  await engine.send<{ readonly _shards: { readonly failed: number } }>(
    { method: 'POST', path, query: { ignore_unavailable: true } },
    REFRESH,
    ({ _shards: { failed } }) => {
      if (failed > 0) throw new EngineFault(`${failed} shards did not answer`);
    },
  );
}

/** A wait that is over without what was waited for is an answer with status 408, and so a fault. */
async function health(
  engine: Engine,
  index: string,
  query: Readonly<Record<string, string | number>>,
  withinMs: number,
): Promise<Health> {
  try {
    const request = { method: 'GET', path: `/_cluster/health/${index}`, query } as const;
    return await engine.send<Health>(request, { withinMs, retries: engine.changes.retries });
  } catch (fault) {
    if ((fault as EngineFault).status !== 408) throw fault;
    throw new EngineFault(`not all replicas of ${index} were ready in time`);
  }
}

/**
 * Makes an empty generation under the next number: its index with the mapping, the names and whose it is, in one step.
 * Returns false when another process was faster, with this number or with a live generation.
 */
export async function createGeneration(
  site: Site,
  entries: readonly Entry[],
  state: 'live' | 'building',
  now: number,
): Promise<boolean> {
  const { engine, names, recordsId, ready } = site;
  const id = Math.max(0, ...entries.map((entry) => entry.given)) + 1;
  const handle = names.handle(id, randomBytes(6).toString('hex'));
  const live = state === 'live' ? liveNames(names, id, now) : [];
  const body = creationBody({
    ...ready,
    recordsId,
    createdAt: now,
    aliases: { [handle]: {}, ...Object.fromEntries(live) },
    searchable: state === 'live',
  });
  try {
    await engine.send({ method: 'PUT', path: `/${names.index(id)}`, body }, engine.changes);
    return true;
  } catch (thrown) {
    const fault = thrown as EngineFault;
    if (fault.type === 'resource_already_exists_exception' || isSecondWriteIndex(fault)) return false;
    throw indexUnavailable(engine.place, fault);
  }
}
