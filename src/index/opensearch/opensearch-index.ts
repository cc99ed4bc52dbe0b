import type { RegistryError } from '../../errors.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Clock } from '../../ports/clock.ts';
import { otherLayout } from '../generation-errors.ts';
import { INDEX_LAYOUT } from '../query/index-fields.ts';
import { createWriter, type WriterOptions } from './bulk.ts';
import {
  CATALOGUE_READ_MS,
  type Catalogue,
  createCatalogue,
  createGeneration,
  type Entry,
  type IndexNames,
  indexNames,
} from './catalogue.ts';
import { createEngine, type Engine, type EngineOptions } from './client.ts';
import { EngineError, indexMissing } from './errors.ts';
import { createGenerations, type GenerationOptions, refresh } from './generations.ts';
import { countAgents, countFacet, listAgents, searchAgents } from './search.ts';

export interface OpenSearchIndexOptions extends EngineOptions, GenerationOptions, WriterOptions {
  /** The beginning of all names in OpenSearch. */
  readonly prefix: string;
  /** The records that this index is built from. */
  readonly recordsId: string;
  /** Whether the records never had a listed agent: only then may an index be empty. */
  readonly recordsEmpty: () => Promise<boolean>;
  readonly clock: Clock;
}

/**
 * How long a version holds, milliseconds. OpenSearch has no number that is cheap to read and grows with every refresh
 * and switch, by whatever process, so the index is taken to have changed after this time. Only cached answers depend on it: an
 * ETag is a digest of the body.
 */
const VERSION_MS = 500;

/**
 * The index in OpenSearch. Opening it does not need OpenSearch: the first generation is created as soon as it answers. An
 * OpenSearch that lost its data stays `index_missing` until a rebuild, because an index that is being filled must not answer.
 */
export async function createOpenSearchIndex(options: OpenSearchIndexOptions): Promise<AgentIndex> {
  const wasEmpty = await options.recordsEmpty();
  const engine = createEngine(options);
  const { recordsId, clock } = options;
  const names = indexNames(options.prefix, recordsId);
  const catalogue = createCatalogue(engine, names, recordsId);
  const checkWrites: AgentIndex['checkWrites'] = async ({ newGeneration = false } = {}) =>
    checkWriteBlocks(engine, await catalogue.readOurs(), newGeneration);
  const writeDocuments = createWriter(engine, checkWrites, options);
  const generations = createGenerations({ engine, names, catalogue, writeDocuments, recordsId, options });
  let isOpened = false;
  let ownChanges = 0;
  let hasUnsettled = false;

  /**
   * Creates the first generation. Whether the records were empty is asked when the index is opened: a crawl while OpenSearch
   * does not answer must not require a rebuild.
   */
  const openOnce = async () => {
    if (isOpened) return;
    const entries = await catalogue.readAll();
    const live = entries.find((entry) => entry.isLive);
    if (live === undefined && wasEmpty)
      await createGeneration(engine, names, entries, { ...options, state: 'live', now: clock.now() });
    if (live !== undefined && !live.isOurs)
      options.onWarning?.(`the index ${live.index} belongs to other records`);
    isOpened = true;
  };
  const explainMissing = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      const isMissing = error instanceof EngineError && error.isMissing;
      throw isMissing ? await whyMissing(engine, names, catalogue) : error;
    }
  };
  const search: AgentIndex['search'] = (query) => explainMissing(listAgents(engine, names.reads, query));

  // a patient command waits for OpenSearch when it needs the generations, and not twice
  if (options.patienceMs === undefined) await openOnce().catch((error) => options.onWarning?.(String(error)));
  return {
    search,
    find: (query) => explainMissing(searchAgents(engine, names.reads, query)),
    facet: (name, most) => explainMissing(countFacet(engine, names.reads, name, most)),
    count: (filter) => explainMissing(countAgents(engine, names.reads, filter)),
    async settle(id) {
      await refresh(engine, names.index(id));
      if (hasUnsettled) ownChanges += 1;
      hasUnsettled = false;
    },
    version: async () => `${Math.floor(clock.now() / VERSION_MS)}.${ownChanges}`,
    generations: {
      ...generations,
      async list() {
        await openOnce();
        return generations.list();
      },
      async write(id, documents) {
        hasUnsettled = true;
        await generations.write(id, documents);
      },
      async promote(id, now, switching) {
        await generations.promote(id, now, switching);
        ownChanges += 1;
      },
    },
    check: async () => void (await search({ filter: {}, limit: 1 })),
    checkWrites,
    close: () => engine.close(),
  };
}

/** The alias that searches use has the layout in its name, so a live generation of another layout is missing too. */
async function whyMissing(engine: Engine, names: IndexNames, catalogue: Catalogue): Promise<RegistryError> {
  const live = (await catalogue.readOurs()).find(({ isLive }) => isLive);
  return live === undefined || live.layout === INDEX_LAYOUT
    ? indexMissing(names.live, engine.place)
    : otherLayout(live.id, live.layout, INDEX_LAYOUT);
}

interface Block {
  readonly description: string;
  readonly levels: readonly string[];
}
type Blocks = Readonly<Record<string, Block>>;

/** A new generation is an index, and the switch changes the aliases of the others. */
const LEVELS_OF_GENERATION = ['write', 'metadata_write', 'create_index'];

/**
 * Rejects with `index_read_only` when the cluster, or an index that is needed, is closed to writes: by a setting
 * (`index.blocks.*`, `cluster.blocks.*`), or by OpenSearch itself because a disk is nearly full. The cluster state has all
 * blocks, and reading it is not blocked.
 */
export async function checkWriteBlocks(
  engine: Engine,
  ours: readonly Entry[],
  newGeneration: boolean,
): Promise<void> {
  const { body } = await engine.read(
    (client, options) => client.cluster.state({ metric: ['blocks'], filter_path: ['blocks'] }, options),
    CATALOGUE_READ_MS,
  );
  const { global = {}, indices = {} } =
    (body as { blocks?: { global?: Blocks; indices?: Readonly<Record<string, Blocks>> } }).blocks ?? {};
  const needed = newGeneration ? ours : ours.filter(({ isLive }) => isLive);
  const forbidden = newGeneration ? LEVELS_OF_GENERATION : ['write'];
  const reasons = [
    ['the cluster', global] as const,
    ...needed.map(({ index }) => [index, indices[index] ?? {}] as const),
  ].flatMap(([what, blocks]) =>
    Object.values(blocks)
      .filter(({ levels }) => levels.some((level) => forbidden.includes(level)))
      .map(({ description }) => `${what}: ${description}`),
  );
  if (reasons.length > 0)
    throw new EngineError(engine.place, reasons.join('; '), 403, 'cluster_block_exception');
}
