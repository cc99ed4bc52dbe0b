import type { Engine } from './client.ts';
import type { IndexNames } from './mapping.ts';

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
export async function readCatalogue(
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
    engine.looks,
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
  const [promotedAt] = valuesIn(aliases, markOf(names.promoted(id, 0)));
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
    given: Math.max(id, ...valuesIn(aliases, markOf(names.given(id, 0)))),
    aliases,
  };
}

/** The part of a name before its number. */
export function markOf(name: string): string {
  return name.slice(0, -1);
}

function valuesIn(aliases: readonly string[], mark: string): readonly number[] {
  return aliases.filter((alias) => alias.startsWith(mark)).map((alias) => Number(alias.slice(mark.length)));
}
