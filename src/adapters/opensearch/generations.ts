import type { Generation, GenerationState, Generations } from '../../ports/agent-index.ts';
import type { BulkItem } from './bulk-lines.ts';
import type { Entry } from './catalogue.ts';
import { createGeneration } from './create-generation.ts';
import {
  dropsLive,
  EngineFault,
  indexUnavailable,
  isIndexNotFound,
  noGeneration,
  otherLayout,
} from './errors.ts';
import { appliedFact, completeFact, copiedFact, type Facts, readFacts } from './facts.ts';
import { makeReady, refresh } from './make-ready.ts';
import { LAYOUT } from './mapping.ts';
import { countAgents, searchAgents } from './search.ts';
import { answering, type Catalogue, type Site } from './site.ts';
import { changeNames, dropSteps, type NameStep, promotionSteps } from './switch.ts';

/** How often a change is planned anew because another process changed something meanwhile. */
const ATTEMPTS = 5;

/**
 * An index for each generation. Which one is live or previous, whose it is and when it was promoted is in the cluster's
 * state, changed by one request at a time; how far it has come is in the index itself. So whatever a step is killed
 * between, there is nothing that could contradict it.
 */
export function createGenerations(site: Site, catalogue: Catalogue): Generations {
  const remember = (id: number, fact: BulkItem) =>
    catalogue.with(id, (handle) => site.writer.remember(handle, [fact]));
  const change = async (
    id: number,
    plan: (entries: readonly Entry[], entry: Entry) => readonly NameStep[],
  ) => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const entries = await catalogue.readAll();
      const entry = entries.find((candidate) => candidate.isOurs && candidate.id === id);
      if (entry === undefined) throw noGeneration(id);
      const steps = plan(entries, entry);
      if (steps.length === 0 || (await changeNames(site.engine, steps))) return;
    }
    throw changing(site);
  };
  return {
    list: async () => generationsOf(site, await catalogue.readOurs()),
    begin: (now) => begin(site, catalogue, now),
    write: (id, documents) =>
      catalogue.with(id, (handle, { layout }) => {
        if (layout !== LAYOUT) throw otherLayout(id, layout, LAYOUT);
        return site.writer.write(handle, documents);
      }),
    copied: (id, upTo) => remember(id, copiedFact(upTo)),
    applied: (id, seq) => remember(id, appliedFact(seq)),
    built: (id) =>
      catalogue.with(id, async (handle, { index }) => {
        await makeReady(site.engine, index, site.ready);
        await site.writer.remember(handle, [completeFact()]);
      }),
    searchIn: (id, query) => catalogue.with(id, (handle) => searchAgents(site.engine, handle, query)),
    async promote(id, now) {
      await catalogue.with(id, (_, { index }) => makeReady(site.engine, index, site.ready));
      await change(id, (entries, entry) =>
        entry.isLive ? [] : promotionSteps(site.names, entries, entry, now),
      );
    },
    drop: (id) =>
      change(id, (entries, entry) => {
        if (entry.isLive) throw dropsLive(id);
        return dropSteps(site.names, entry, liveOf(entries));
      }),
  };
}

async function begin(site: Site, catalogue: Catalogue, now: number): Promise<Generation> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const entries = await catalogue.readAll();
    const entry = await findBuilding(site, entries);
    if (entry === undefined) await createGeneration(site, entries, 'building', now);
    else if (entry.layout !== LAYOUT)
      await changeNames(site.engine, dropSteps(site.names, entry, liveOf(entries)));
    else {
      const resumed = await resume(site, entry);
      if (resumed !== undefined) return resumed;
    }
  }
  throw changing(site);
}

async function findBuilding(site: Site, entries: readonly Entry[]): Promise<Entry | undefined> {
  const ours = entries.filter(({ isOurs }) => isOurs);
  const building = (await generationsOf(site, ours)).find(({ state }) => state === 'building');
  return ours.find(({ id }) => id === building?.id);
}

/** The number of documents that an interrupted copy left is exact only after a refresh. */
async function resume(site: Site, entry: Entry): Promise<Generation | undefined> {
  await answering(site.engine, () => refresh(site.engine, [entry.index]));
  return (await generationsOf(site, [entry]))[0];
}

/** Without those that are gone meanwhile. */
async function generationsOf(site: Site, entries: readonly Entry[]): Promise<readonly Generation[]> {
  const [facts, counts] = await answering(site.engine, () =>
    Promise.all([
      readFacts(site.engine, entries),
      Promise.all(entries.map(({ index }) => countIn(site, index))),
    ]),
  );
  return entries.flatMap((entry, at) => {
    const [known, documents] = [facts[at], counts[at]];
    return known === undefined || documents === undefined ? [] : [generationOf(entry, known, documents)];
  });
}

async function countIn({ engine }: Site, index: string): Promise<number | undefined> {
  try {
    return await countAgents(engine, index, {});
  } catch (error) {
    if (error instanceof EngineFault && isIndexNotFound(error)) return undefined;
    throw error;
  }
}

function generationOf(entry: Entry, facts: Facts, documents: number): Generation {
  const { id, createdAt, promotedAt } = entry;
  return {
    id,
    state: stateOf(entry, facts),
    createdAt,
    ...(promotedAt !== undefined && { promotedAt }),
    documents,
    appliedSeq: facts.appliedSeq,
    ...(facts.copiedUpTo !== undefined && { copiedUpTo: facts.copiedUpTo }),
  };
}

function stateOf({ isLive, isPrevious }: Entry, { isComplete }: Facts): GenerationState {
  if (isLive) return 'live';
  if (isPrevious) return 'previous';
  return isComplete ? 'built' : 'building';
}

function liveOf(entries: readonly Entry[]): Entry | undefined {
  return entries.find(({ isLive }) => isLive);
}

function changing({ engine }: Site) {
  return indexUnavailable(
    engine.place,
    new EngineFault('other processes change its generations all the time'),
  );
}
