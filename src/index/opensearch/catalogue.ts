import type { Clock } from '../../ports/clock.ts';
import { noGeneration } from '../generation-errors.ts';
import type { Engine } from './client.ts';
import { EngineFault, indexMissing, indexUnavailable, isIndexNotFound } from './errors.ts';
import type { IndexNames, ReadyOptions } from './mapping.ts';
import type { Writer } from './write-documents.ts';

/** An index of the engine that is a generation, as the cluster's state has it: no step in between can be seen. */
export interface Entry {
  readonly id: number;
  readonly index: string;
  /** Of these records; others' generations are never read, written or dropped. */
  readonly isOurs: boolean;
  readonly isLive: boolean;
  readonly isPrevious: boolean;
  readonly layout: number;
  readonly createdAt: number;
  readonly promotedAt?: number;
  /** Undefined for an index that was not made by us. */
  readonly handle?: string;
  /** The highest number that is known to have been given. */
  readonly given: number;
  readonly aliases: readonly string[];
}

type IndicesAnswer = Readonly<Record<string, IndexAnswer>>;

interface IndexAnswer {
  readonly aliases?: Readonly<Record<string, object>>;
  readonly mappings?: { readonly _meta?: Meta };
}

interface Meta {
  readonly layout?: number;
  readonly records?: string;
  readonly created_at?: number;
}

/** All generations under the prefix by number, those of other records too. */
async function readCatalogue(
  engine: Engine,
  names: IndexNames,
  recordsId: string,
): Promise<readonly Entry[]> {
  const answer = await engine.ask<IndicesAnswer>(
    {
      method: 'GET',
      path: `/${names.live}-*`,
      query: { expand_wildcards: 'all', filter_path: '*.aliases,*.mappings._meta' },
    },
    engine.generationReads,
  );
  return Object.entries(answer)
    .flatMap(([index, found]) => entryOf(names, recordsId, index, found) ?? [])
    .toSorted((a, b) => a.id - b.id);
}

/** The pattern also finds what begins like a generation's name and is none. */
function entryOf(names: IndexNames, recordsId: string, index: string, found: IndexAnswer): Entry | undefined {
  const id = Number(index.slice(names.live.length + 1));
  if (!Number.isSafeInteger(id) || names.index(id) !== index) return undefined;
  const aliases = Object.keys(found.aliases ?? {});
  const meta = found.mappings?._meta ?? {};
  const [promotedAt] = valuesIn(aliases, withoutNumber(names.promoted(id, 0)));
  const handle = aliases.find((alias) => alias.startsWith(names.handle(id, '')));
  return {
    id,
    index,
    isOurs: meta.records === recordsId,
    isLive: aliases.includes(names.live),
    isPrevious: aliases.includes(names.previous),
    layout: meta.layout ?? 0,
    createdAt: meta.created_at ?? 0,
    ...(promotedAt !== undefined && { promotedAt }),
    ...(handle !== undefined && { handle }),
    given: Math.max(id, ...valuesIn(aliases, withoutNumber(names.given(id, 0)))),
    aliases,
  };
}

/** The part of a name before its number. */
export function withoutNumber(name: string): string {
  return name.slice(0, -1);
}

function valuesIn(aliases: readonly string[], mark: string): readonly number[] {
  return aliases.filter((alias) => alias.startsWith(mark)).map((alias) => Number(alias.slice(mark.length)));
}

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
