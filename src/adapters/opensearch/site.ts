import type { Clock } from '../../ports/clock.ts';
import { noGeneration } from '../generation-errors.ts';
import { type Entry, readCatalogue } from './catalogue.ts';
import type { Engine } from './client.ts';
import { EngineFault, indexMissing, indexUnavailable, isIndexNotFound } from './errors.ts';
import type { ReadyOptions } from './make-ready.ts';
import type { IndexNames } from './mapping.ts';
import type { Writer } from './write-documents.ts';

/** What all parts of the index share. */
export interface Site {
  readonly engine: Engine;
  readonly writer: Writer;
  readonly names: IndexNames;
  readonly recordsId: string;
  readonly ready: ReadyOptions;
  readonly clock: Clock;
  /** Indices whose shards were waited for in vain; they are asked once from then on, until they answer. */
  readonly shardless: Set<string>;
}

/** The generations of these records, and the way into each of them. */
export interface Catalogue {
  /** Those of other records too. */
  readAll(): Promise<readonly Entry[]>;
  readOurs(): Promise<readonly Entry[]>;
  /**
   * Does something with one generation by its handle. Rejects with `not_found` when there is no such generation, and
   * with `index_missing` when none is live either: then the engine was wiped.
   */
  with<T>(id: number, work: (handle: string, entry: Entry) => Promise<T>): Promise<T>;
}

/**
 * Handles are remembered, so that a write is one request. One that is out of date leads nowhere, not even after a wipe
 * that lets numbers begin anew: the name has a token.
 */
export function createCatalogue({ engine, names, recordsId }: Site): Catalogue {
  const known = new Map<number, Entry>();
  const readAll = async () => {
    const entries = await readCatalogue(engine, names, recordsId);
    known.clear();
    for (const entry of entries) if (entry.isOurs) known.set(entry.id, entry);
    return entries;
  };
  const gone = async (id: number) => {
    const entries = await readAll();
    const isLive = entries.some((entry) => entry.isOurs && entry.isLive);
    return isLive ? noGeneration(id) : indexMissing(names.live, engine.place);
  };
  return {
    readAll,
    readOurs: async () => (await readAll()).filter((entry) => entry.isOurs),
    async with(id, work) {
      if (!known.has(id)) await readAll();
      const entry = known.get(id);
      if (entry?.handle === undefined) throw await gone(id);
      const { handle } = entry;
      return answering(engine, async () => {
        try {
          return await work(handle, entry);
        } catch (error) {
          throw error instanceof EngineFault && isIndexNotFound(error) ? await gone(id) : error;
        }
      });
    },
  };
}

/** Does something for a caller of the index, who sees RegistryErrors only. */
export async function answering<T>({ place }: Engine, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof EngineFault ? indexUnavailable(place, error) : error;
  }
}
