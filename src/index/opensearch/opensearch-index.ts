import type { RegistryError } from '../../errors.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Clock } from '../../ports/clock.ts';
import { otherLayout } from '../generation-errors.ts';
import { INDEX_LAYOUT } from '../query/index-fields.ts';
import { answering, type Catalogue, createCatalogue, type Site } from './catalogue.ts';
import { createEngine, type EngineOptions } from './client.ts';
import { EngineFault, indexMissing, isIndexNotFound } from './errors.ts';
import { countedByEngine, findInEngine } from './find.ts';
import { createGeneration, refresh } from './generation-index.ts';
import { createOpenSearchGenerations } from './generations.ts';
import { indexNames, type ReadyOptions } from './mapping.ts';
import { countHits, searchAgents } from './search.ts';
import { checkWriteBlocks } from './write-blocks.ts';
import { createWriter, type WriterOptions } from './write-documents.ts';

export interface OpenSearchIndexOptions extends EngineOptions, ReadyOptions, WriterOptions {
  /** What every name in the engine begins with. */
  readonly prefix: string;
  /** Of the records that this index is made from. */
  readonly recordsId: string;
  /** Whether nothing was ever listed in the records: only then may an index be empty. */
  readonly recordsEmpty: () => Promise<boolean>;
  readonly clock: Clock;
}

/**
 * How long a version holds, milliseconds. The engine has no number that is cheap to ask for and grows with every refresh
 * and switch, in whatever process these come from; so it is taken to have changed. Only what is kept of an answer
 * depends on it: an ETag is a digest of the body.
 */
const VERSION_MS = 500;

/**
 * The index in an OpenSearch. Opening it does not need the engine: what is to be made in an empty one is made as soon as
 * it answers. An engine that lost its data stays `index_missing` until a rebuild, because an index that is being filled
 * must not answer.
 */
export async function createOpenSearchIndex(options: OpenSearchIndexOptions): Promise<AgentIndex> {
  const wasEmpty = await options.recordsEmpty();
  const engine = createEngine(options);
  const { recordsId, clock } = options;
  const names = indexNames(options.prefix, recordsId);
  const writer = createWriter(engine, options);
  const site: Site = { engine, writer, names, recordsId, ready: options, clock, shardless: new Set() };
  const catalogue = createCatalogue(site);
  const generations = createOpenSearchGenerations(site, catalogue);
  const opening = createOpening(site, catalogue, wasEmpty, options.onWarning);
  let ownChanges = 0;
  let hasUnsettled = false;

  const read = <T>(work: () => Promise<T>): Promise<T> =>
    answering(engine, async () => {
      try {
        return await work();
      } catch (error) {
        const isMissing = error instanceof EngineFault && isIndexNotFound(error);
        throw isMissing ? await whyMissing(site, catalogue) : error;
      }
    });
  const search: AgentIndex['search'] = (query) => read(() => searchAgents(engine, names.reads, query));

  // whoever is patient is so when the generations are needed, and not twice
  if (options.patienceMs === undefined)
    await opening.attempt().catch((error) => options.onWarning?.(String(error)));
  return {
    search,
    find: (query) => read(() => findInEngine(engine, names.reads, query)),
    facet: (name, most) => read(() => countedByEngine(engine, names.reads, name, most)),
    count: (filter) => read(() => countHits(engine, names.reads, filter)),
    async settle(wanted) {
      const ours = await catalogue.readOurs();
      const indices = ours
        .filter(({ id, index }) => !site.shardless.has(index) && wanted?.includes(id) !== false)
        .map(({ index }) => index);
      await read(() => refresh(engine, indices));
      if (hasUnsettled) ownChanges += 1;
      hasUnsettled = false;
    },
    version: async () => `${Math.floor(clock.now() / VERSION_MS)}.${ownChanges}`,
    generations: {
      ...generations,
      async list() {
        await opening.attempt();
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
    checkWrites: async ({ newGeneration = false } = {}) =>
      checkWriteBlocks(engine, await catalogue.readOurs(), newGeneration),
    close: () => engine.close(),
  };
}

/** Searches of another layout go to another name, so that a live generation of an older version is not found by it. */
async function whyMissing({ names, engine }: Site, catalogue: Catalogue): Promise<RegistryError> {
  const live = (await catalogue.readOurs()).find(({ isLive }) => isLive);
  return live === undefined || live.layout === INDEX_LAYOUT
    ? indexMissing(names.live, engine.place)
    : otherLayout(live.id, live.layout, INDEX_LAYOUT);
}

/**
 * Makes the first generation, once the engine answers. Whether the records were empty is asked when the index is opened:
 * what is crawled until the engine answers is no reason for a rebuild.
 */
function createOpening(
  site: Site,
  catalogue: Catalogue,
  wasEmpty: boolean,
  onWarning: OpenSearchIndexOptions['onWarning'],
) {
  let isDone = false;
  return {
    async attempt(): Promise<void> {
      if (isDone) return;
      const entries = await catalogue.readAll();
      const live = entries.find((entry) => entry.isLive);
      if (live === undefined && wasEmpty) await createGeneration(site, entries, 'live', site.clock.now());
      if (live !== undefined && !live.isOurs) {
        onWarning?.(`the index ${live.index} belongs to other records`);
      }
      isDone = true;
    },
  };
}
