import type { RegistryError } from '../../errors.ts';
import type { Generation, GenerationState, Generations } from '../../ports/agent-index.ts';
import { cannotBeRead, dropsLive, noGeneration, otherLayout } from '../generation-errors.ts';
import { INDEX_LAYOUT } from '../query/index-fields.ts';
import type { WriteDocuments } from './bulk.ts';
import {
  CATALOGUE_READ_MS,
  type Catalogue,
  createGeneration,
  type Entry,
  type IndexNames,
  isSecondWriteIndex,
  searchableSettings,
} from './catalogue.ts';
import type { Engine } from './client.ts';
import { EngineError, replacesForeign } from './errors.ts';
import { countAgents, listAgents } from './search.ts';

export interface GenerationOptions {
  readonly shards: number;
  readonly replicas: number;
  /** How long the replicas on other nodes are waited for, milliseconds. */
  readonly replicasWaitMs: number;
  /** Deadline of a write including its retries, milliseconds. */
  readonly deadlineMs: number;
}

export interface GenerationContext {
  readonly engine: Engine;
  readonly names: IndexNames;
  readonly catalogue: Catalogue;
  readonly writeDocuments: WriteDocuments;
  readonly recordsId: string;
  readonly options: GenerationOptions;
}

/** How often a change is planned again because another process changed the generations. */
const ATTEMPTS = 5;

/**
 * An index for each generation. Aliases say which one is live or previous, and change in one request. Whether a generation is
 * complete, and which changes it has, is stored in two documents of its own index, so that it is lost with it. A step that is
 * killed leaves nothing that contradicts this.
 */
export function createGenerations(context: GenerationContext): Generations {
  const { engine, names, catalogue, writeDocuments, recordsId, options } = context;
  const saveProgress = (id: number, progress: StoredProgress) =>
    catalogue.with(id, (writes) => updateProgress(context, writes, progress));
  return {
    list: async () => readGenerations(engine, await catalogue.readOurs()),
    async begin(now) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const id = await createGeneration(engine, names, await catalogue.readAll(), {
          ...options,
          state: 'building',
          recordsId,
          now,
        });
        if (id !== undefined) return id;
      }
      throw keepsChanging(engine);
    },
    write: (id, documents) =>
      catalogue.with(id, (writes, { layout }) => {
        if (layout !== INDEX_LAYOUT) throw otherLayout(id, layout, INDEX_LAYOUT);
        return writeDocuments(writes, documents);
      }),
    applied: (id, seq, mark) =>
      catalogue.with(id, (writes) =>
        updateApplied(context, writes, { seq, ...(mark !== undefined && { mark }) }),
      ),
    async built(id) {
      await catalogue.with(id, (_, { index }) => makeSearchable(engine, index, options));
      await saveProgress(id, { is_complete: true });
    },
    searchIn: (id, query) => catalogue.with(id, (writes) => listAgents(engine, writes, query)),
    foreign: async () => foreignLive(await catalogue.readAll())?.id,
    async promote(id, now, { replaceForeign = false } = {}) {
      await catalogue.with(id, (_, { index }) => makeSearchable(engine, index, options));
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const entries = await catalogue.readAll();
        const target = ourEntry(entries, id);
        if (target === undefined) throw noGeneration(id);
        const foreign = replaceForeign ? undefined : foreignLive(entries);
        if (foreign !== undefined) throw replacesForeign(foreign);
        if (target.isLive) return;
        await saveProgress(id, { promoted_at: now });
        if (await changeAliases(engine, promotion(names, entries, target))) return;
      }
      throw keepsChanging(engine);
    },
    async drop(id) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const entries = await catalogue.readAll();
        const target = ourEntry(entries, id);
        // dropped by an attempt whose response was lost, or by another process
        if (target === undefined && attempt > 0) return;
        if (target === undefined) throw noGeneration(id);
        if (target.isLive) throw dropsLive(id);
        if (await changeAliases(engine, removal(names, entries, target))) return;
      }
      throw keepsChanging(engine);
    },
  };
}

function ourEntry(entries: readonly Entry[], id: number): Entry | undefined {
  return entries.find((entry) => entry.isOurs && entry.id === id);
}

function foreignLive(entries: readonly Entry[]): Entry | undefined {
  return entries.find(({ isLive, isOurs }) => isLive && !isOurs);
}

function keepsChanging({ place }: Engine): EngineError {
  return new EngineError(place, 'other processes keep changing its generations');
}

/** The document `generation:progress`. */
interface StoredProgress {
  readonly is_complete?: true;
  readonly promoted_at?: number;
}

/** The document `generation:applied`. Its version is `seq`, so that OpenSearch keeps the highest one. */
interface StoredApplied {
  readonly seq: number;
  readonly mark?: string;
}

// no agent has such an id: theirs begin with the scheme of a URL or with "sha256:"
const PROGRESS = 'generation:progress';
const APPLIED = 'generation:applied';

async function updateProgress(
  { engine, options }: GenerationContext,
  writes: string,
  progress: StoredProgress,
): Promise<void> {
  const body = { doc: { generation: progress }, doc_as_upsert: true };
  await engine.write(
    (client, request) =>
      client.update(
        { index: writes, id: PROGRESS, require_alias: true, retry_on_conflict: 3, body },
        request,
      ),
    options.deadlineMs,
  );
}

/** An older number is refused with 409, which is right. */
async function updateApplied(
  { engine, options }: GenerationContext,
  writes: string,
  applied: StoredApplied,
): Promise<void> {
  const document = { id: APPLIED, body: { generation: applied } };
  const version = { version: applied.seq, version_type: 'external' } as const;
  await engine.write(
    (client, request) =>
      client.index(
        { index: writes, require_alias: true, ...document, ...version },
        { ...request, ignore: [409] },
      ),
    options.deadlineMs,
  );
}

/** Generations as they are now, without those that were dropped meanwhile. */
async function readGenerations(engine: Engine, entries: readonly Entry[]): Promise<readonly Generation[]> {
  const found = await Promise.all(entries.map((entry) => readGeneration(engine, entry)));
  return found.filter((generation) => generation !== undefined);
}

async function readGeneration(engine: Engine, entry: Entry): Promise<Generation | undefined> {
  const { id, createdAt, isLive, isPrevious } = entry;
  const fault = faultOf(entry);
  try {
    const [{ progress, applied }, documents] = await Promise.all([
      readProgress(engine, entry.index),
      countAgents(engine, entry.index, {}),
    ]);
    const promotedAt = progress.promoted_at ?? entry.promotedAt;
    return {
      id,
      state: stateOf(entry, progress.is_complete ? 'built' : 'building'),
      createdAt,
      ...(promotedAt !== undefined && (isLive || isPrevious) && { promotedAt }),
      documents,
      appliedSeq: applied?.seq ?? 0,
      ...(applied?.mark !== undefined && { appliedMark: applied.mark }),
      ...(fault && { fault }),
    };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    if (error.isMissing) return undefined;
    if (!error.isShardFailure) throw error;
    return {
      id,
      state: stateOf(entry, 'building'),
      createdAt,
      ...(entry.promotedAt !== undefined && { promotedAt: entry.promotedAt }),
      appliedSeq: 0,
      fault: fault ?? cannotBeRead(id, error.message),
    };
  }
}

/** Also without its write alias, a generation can be read and counted. */
function faultOf({ id, layout, writes }: Entry): RegistryError | undefined {
  if (layout !== INDEX_LAYOUT) return otherLayout(id, layout, INDEX_LAYOUT);
  return writes === undefined ? cannotBeRead(id, 'its write alias was removed') : undefined;
}

function stateOf({ isLive, isPrevious }: Entry, otherwise: GenerationState): GenerationState {
  if (isLive) return 'live';
  return isPrevious ? 'previous' : otherwise;
}

interface StoredDocument {
  readonly _source?: { readonly generation: object };
  readonly error?: { readonly type: string; readonly reason: string };
}

/** Reads by id, which sees a write before the next refresh. */
async function readProgress(
  engine: Engine,
  index: string,
): Promise<{ readonly progress: StoredProgress; readonly applied?: StoredApplied }> {
  const { body } = await engine.read(
    (client, options) => client.mget({ index, body: { ids: [PROGRESS, APPLIED] } }, options),
    CATALOGUE_READ_MS,
  );
  const documents = body.docs as readonly StoredDocument[];
  const error = documents.find((document) => document.error !== undefined)?.error;
  if (error !== undefined) {
    const status = error.type === 'index_not_found_exception' ? 404 : 503;
    throw new EngineError(engine.place, error.reason, status, error.type);
  }
  const [progress, applied] = documents.map((document) => document._source?.generation);
  return { progress: progress ?? {}, ...(applied && { applied: applied as StoredApplied }) };
}

/**
 * Ends the state of a copy: what was written is found, and is on as many nodes as it should be. Repeating it changes
 * nothing.
 */
async function makeSearchable(engine: Engine, index: string, options: GenerationOptions): Promise<void> {
  const { replicas, replicasWaitMs } = options;
  const settings = { index: searchableSettings(replicas) };
  await engine.change((client, request) =>
    client.indices.putSettings({ index, body: settings as never }, request),
  );
  await refresh(engine, index);
  // OpenSearch has as many replicas as the nodes allow, so that also the index on a single node is green
  const health = { index, wait_for_status: 'green', timeout: `${replicasWaitMs}ms` } as const;
  const waited = await engine.change(
    (client, request) => client.cluster.health(health, { ...request, ignore: [408] }),
    2 * replicasWaitMs,
  );
  if (waited.body.timed_out)
    throw new EngineError(engine.place, `not all replicas of ${index} were ready in time`);
}

/** The refresh of an index that was just filled writes all that is in memory, milliseconds. */
const REFRESH_MS = 60_000;

/** Makes searches find everything that was written. A missing index is not an error. */
export async function refresh(engine: Engine, index: string): Promise<void> {
  const { body } = await engine.change(
    (client, options) => client.indices.refresh({ index, ignore_unavailable: true }, options),
    REFRESH_MS,
  );
  const failed = body._shards?.failed ?? 0;
  if (failed > 0) throw new EngineError(engine.place, `${failed} shards did not answer`, 503);
}

type AliasAction =
  | { readonly add: { readonly index: string; readonly alias: string; readonly is_write_index?: true } }
  | { readonly remove: { readonly index: string; readonly alias: string; readonly must_exist: true } }
  | { readonly remove_index: { readonly index: string } };

/**
 * Applies all actions in one step, or none if the state is not the one that they were planned on: an alias that is removed
 * must exist, and OpenSearch allows one write index of an alias. Returns false then; an attempt whose response was lost may
 * have applied them.
 */
async function changeAliases(engine: Engine, actions: readonly AliasAction[]): Promise<boolean> {
  try {
    await engine.change((client, options) =>
      client.indices.updateAliases({ body: { actions: [...actions] } }, options),
    );
    return true;
  } catch (error) {
    if (error instanceof EngineError && (error.isMissing || isSecondWriteIndex(error))) return false;
    throw error;
  }
}

/**
 * Makes `target` live and the live one `previous`, and drops the previous one. Generations of other records lose their
 * aliases and are left to their owner.
 */
function promotion(names: IndexNames, entries: readonly Entry[], target: Entry): readonly AliasAction[] {
  const dropped = entries.filter((entry) => entry.isOurs && entry.isPrevious && entry !== target);
  const others = entries.filter((entry) => entry !== target && !dropped.includes(entry));
  return [
    ...dropped.map(({ index }) => ({ remove_index: { index } })),
    ...others.flatMap((entry) => retirement(names, entry)),
    ...(target.isPrevious ? [remove(target, names.previous)] : []),
    addLive(names, target),
    { add: { index: target.index, alias: names.reads } },
  ];
}

/**
 * A generation of these records in another layout keeps the alias that processes of that layout search, so that they answer
 * from it until they are upgraded.
 */
function retirement(names: IndexNames, entry: Entry): readonly AliasAction[] {
  const { index, isOurs, isLive, aliases } = entry;
  const lost = aliases.filter(
    (alias) =>
      [names.live, names.previous, names.reads].includes(alias) ||
      (!isOurs && alias.startsWith(names.anyReads)),
  );
  return [
    ...lost.map((alias) => remove(entry, alias)),
    ...(isOurs && isLive ? [{ add: { index, alias: names.previous } }] : []),
  ];
}

/** Drops `target`, on condition that the live generation is still the same. */
function removal(names: IndexNames, entries: readonly Entry[], target: Entry): readonly AliasAction[] {
  const live = entries.find(({ isLive }) => isLive);
  const drop = { remove_index: { index: target.index } };
  return live === undefined ? [drop] : [drop, remove(live, names.live), addLive(names, live)];
}

function addLive({ live }: IndexNames, { index }: Entry): AliasAction {
  return { add: { index, alias: live, is_write_index: true } };
}

function remove({ index }: Entry, alias: string): AliasAction {
  return { remove: { index, alias, must_exist: true } };
}
