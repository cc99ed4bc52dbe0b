import { hash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { noGeneration } from '../generation-errors.ts';
import { INDEX_LAYOUT } from '../query/index-fields.ts';
import type { Engine } from './client.ts';
import { EngineError, indexMissing } from './errors.ts';

const { settings, mappings } = JSON.parse(
  readFileSync(new URL('../../../schemas/index/agents.json', import.meta.url), 'utf8'),
) as { readonly settings: { readonly index: object }; readonly mappings: object };

/** Settings and mapping of every generation. */
export const GENERATION_TEMPLATE = { settings, mappings: { _meta: { layout: INDEX_LAYOUT }, ...mappings } };

/** The names in OpenSearch. The prefix is set by the operator. */
export interface IndexNames {
  readonly template: string;
  /** The alias of the live generation. It has one write index, so that OpenSearch refuses a second one. */
  readonly live: string;
  /** The alias for searches: the live generation, if it is of these records and of this layout. */
  readonly reads: string;
  /** The beginning of `reads` for any records and layout. */
  readonly anyReads: string;
  readonly previous: string;
  /** Finds the indices of all generations, and possibly others. */
  readonly pattern: string;
  index(id: number): string;
  /** The beginning of the alias through which a generation is written. */
  writes(id: number): string;
}

export function indexNames(prefix: string, recordsId: string): IndexNames {
  const index = (id: number) => `${prefix}-${String(id).padStart(6, '0')}`;
  const owner = hash('sha256', recordsId).slice(0, 16);
  return {
    template: prefix,
    live: prefix,
    reads: `${prefix}-of-${owner}-layout-${INDEX_LAYOUT}`,
    anyReads: `${prefix}-of-`,
    previous: `${prefix}-previous`,
    pattern: `${prefix}-*`,
    index,
    writes: (id) => `${index(id)}-write-`,
  };
}

/** An index that is a generation, as the cluster state has it: no step in between is ever visible. */
export interface Entry {
  readonly id: number;
  readonly index: string;
  /** Whether it was built from these records. Generations of other records are never read, written or dropped. */
  readonly isOurs: boolean;
  readonly isLive: boolean;
  readonly isPrevious: boolean;
  readonly layout: number;
  readonly createdAt: number;
  /** When it was created, if it was created live. */
  readonly promotedAt?: number;
  /** The alias through which it is written; undefined if it was removed by hand. */
  readonly writes?: string;
  readonly aliases: readonly string[];
}

interface IndexState {
  readonly aliases?: Readonly<Record<string, object>>;
  readonly mappings?: { readonly _meta?: Meta };
}

interface Meta {
  readonly layout?: number;
  readonly records?: string;
  readonly created_at?: number;
  readonly promoted_at?: number;
}

/** Deadline for reading the generations, milliseconds: the cluster manager may be busy. */
export const CATALOGUE_READ_MS = 5_000;

/** All generations by number, those of other records included. */
async function readEntries(engine: Engine, names: IndexNames, recordsId: string): Promise<readonly Entry[]> {
  const { body } = await engine.read(
    (client, options) =>
      client.indices.get(
        {
          index: names.pattern,
          expand_wildcards: 'all',
          filter_path: ['*.aliases', '*.mappings._meta'],
        },
        options,
      ),
    CATALOGUE_READ_MS,
  );
  return Object.entries(body as unknown as Readonly<Record<string, IndexState>>)
    .flatMap(([index, state]) => entryOf(names, recordsId, index, state) ?? [])
    .toSorted((a, b) => a.id - b.id);
}

/** Undefined for an index that the pattern finds and that is no generation. */
function entryOf(names: IndexNames, recordsId: string, index: string, state: IndexState): Entry | undefined {
  const id = Number(index.slice(index.lastIndexOf('-') + 1));
  if (!Number.isSafeInteger(id) || names.index(id) !== index) return undefined;
  const aliases = Object.keys(state.aliases ?? {});
  const meta = state.mappings?._meta ?? {};
  const writes = aliases.find((alias) => alias.startsWith(names.writes(id)));
  return {
    id,
    index,
    isOurs: meta.records === recordsId,
    isLive: aliases.includes(names.live),
    isPrevious: aliases.includes(names.previous),
    layout: meta.layout ?? 0,
    createdAt: meta.created_at ?? 0,
    ...(meta.promoted_at !== undefined && { promotedAt: meta.promoted_at }),
    ...(writes !== undefined && { writes }),
    aliases,
  };
}

/** The generations of these records, and access to each of them. */
export interface Catalogue {
  /** Those of other records too. */
  readAll(): Promise<readonly Entry[]>;
  readOurs(): Promise<readonly Entry[]>;
  /**
   * Does something with one generation through its write alias. Rejects with `not_found` when there is no such generation, and
   * with `index_missing` when none is live either: then OpenSearch was wiped.
   */
  with<T>(id: number, work: (writes: string, entry: Entry) => Promise<T>): Promise<T>;
}

export function createCatalogue(engine: Engine, names: IndexNames, recordsId: string): Catalogue {
  const readAll = () => readEntries(engine, names, recordsId);
  const readOurs = async () => (await readAll()).filter((entry) => entry.isOurs);
  return {
    readAll,
    readOurs,
    async with(id, work) {
      const ours = await readOurs();
      const entry = ours.find((candidate) => candidate.id === id);
      if (entry?.writes !== undefined) return work(entry.writes, entry);
      throw ours.some(({ isLive }) => isLive) ? noGeneration(id) : indexMissing(names.live, engine.place);
    },
  };
}

export interface NewGeneration {
  readonly state: 'live' | 'building';
  readonly recordsId: string;
  readonly shards: number;
  readonly replicas: number;
  readonly now: number;
}

/**
 * Creates an empty generation under the next number, which it returns; undefined if another process was faster, with this number
 * or with a live generation.
 */
export async function createGeneration(
  engine: Engine,
  names: IndexNames,
  entries: readonly Entry[],
  { state, recordsId, shards, replicas, now }: NewGeneration,
): Promise<number | undefined> {
  const id = Math.max(await lastNumber(engine, names), ...entries.map((entry) => entry.id)) + 1;
  await putTemplate(engine, names, id);
  const isLive = state === 'live';
  const settings = isLive ? searchableSettings(replicas) : COPY_SETTINGS;
  const meta: Meta = {
    ...{ layout: INDEX_LAYOUT, records: recordsId, created_at: now },
    ...(isLive && { promoted_at: now }),
  };
  const body = {
    settings: { index: { number_of_shards: shards, ...settings } },
    mappings: { _meta: meta },
    aliases: {
      // the token makes the alias unique even if numbers begin again after a wipe
      [names.writes(id) + randomBytes(6).toString('hex')]: {},
      ...(isLive && { [names.live]: { is_write_index: true }, [names.reads]: {} }),
    },
  };
  try {
    await engine.change((client, options) =>
      client.indices.create({ index: names.index(id), body: body as never }, options),
    );
    return id;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    if (error.type === 'resource_already_exists_exception' || isSecondWriteIndex(error)) return undefined;
    throw error;
  }
}

/** The highest number of a generation so far, dropped ones included; 0 before the first. */
async function lastNumber(engine: Engine, names: IndexNames): Promise<number> {
  const { body } = await engine.read(
    (client, options) =>
      client.indices.getIndexTemplate({ name: names.template }, { ...options, ignore: [404] }),
    CATALOGUE_READ_MS,
  );
  const [found] =
    (body as { index_templates?: { index_template: { _meta?: object } }[] }).index_templates ?? [];
  const { last_generation = 0 } = (found?.index_template._meta ?? {}) as { last_generation?: number };
  return last_generation;
}

/** Makes the index template what this version writes, and remembers the number of the next generation in it. */
async function putTemplate(engine: Engine, names: IndexNames, id: number): Promise<void> {
  const body = {
    index_patterns: [`${names.live}-0*`],
    priority: 500,
    template: GENERATION_TEMPLATE,
    _meta: { last_generation: id },
  };
  await engine.change((client, options) =>
    client.indices.putIndexTemplate({ name: names.template, body: body as never }, options),
  );
}

/** OpenSearch allows one write index of an alias. */
export function isSecondWriteIndex({ type, message }: EngineError): boolean {
  return type === 'illegal_state_exception' && message.includes('more than one write index');
}

/** A copy is faster without refreshes and replicas. */
const COPY_SETTINGS = { refresh_interval: '-1', number_of_replicas: 0, auto_expand_replicas: false };

/** With an explicit interval, an index is refreshed also if it was not searched for a while. */
export function searchableSettings(replicas: number): object {
  const copies = replicas === 0 ? COPY_SETTINGS : { auto_expand_replicas: `0-${replicas}` };
  return { ...copies, refresh_interval: '1s' };
}
