import type { Generation, Generations } from '../../ports/agent-index.ts';
import { dropsLive, noGeneration, otherLayout } from '../generation-errors.ts';
import { INDEX_LAYOUT } from '../query/index-fields.ts';
import type { BulkItem } from './bulk-lines.ts';
import { answering, type Catalogue, type Entry, type Site } from './catalogue.ts';
import { EngineFault, indexUnavailable, replacesForeign } from './errors.ts';
import { createGeneration, makeReady, refresh } from './generation-index.ts';
import { appliedFact, completeFact, copiedFact, readGenerations } from './generation-state.ts';
import { searchAgents } from './search.ts';
import { changeNames, dropSteps, type NameStep, promotionSteps } from './switch.ts';

/** How often a change is planned anew because another process changed something meanwhile. */
const ATTEMPTS = 5;

/**
 * An index for each generation. Which one is live or previous, whose it is and when it was promoted is in the cluster's
 * state, changed by one request at a time; how far it has come is in the index itself. So whatever a step is killed
 * between, there is nothing that could contradict it.
 */
export function createOpenSearchGenerations(site: Site, catalogue: Catalogue): Generations {
  const remember = (id: number, fact: BulkItem) =>
    catalogue.with(id, (handle) => site.writer.remember(handle, [fact]));
  const change = async (
    id: number,
    plan: (entries: readonly Entry[], entry: Entry) => readonly NameStep[],
    isDrop = false,
  ) => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const entries = await catalogue.readAll();
      const entry = entries.find((candidate) => candidate.isOurs && candidate.id === id);
      // gone meanwhile: by an attempt whose answer was lost, or by another process
      if (entry === undefined && attempt > 0 && isDrop) return;
      if (entry === undefined) throw noGeneration(id);
      const steps = plan(entries, entry);
      if (steps.length === 0 || (await changeNames(site.engine, steps))) return;
    }
    throw changing(site);
  };
  return {
    list: async () => readGenerations(site, await catalogue.readOurs()),
    begin: (now) => begin(site, catalogue, now),
    write: (id, documents) =>
      catalogue.with(id, (handle, { layout }) => {
        if (layout !== INDEX_LAYOUT) throw otherLayout(id, layout, INDEX_LAYOUT);
        return site.writer.write(handle, documents);
      }),
    copied: (id, upTo) => remember(id, copiedFact(upTo)),
    applied: (id, seq, mark) => remember(id, appliedFact(seq, mark)),
    built: (id) =>
      catalogue.with(id, async (handle, { index }) => {
        await makeReady(site.engine, index, site.ready);
        await site.writer.remember(handle, [completeFact()]);
      }),
    searchIn: (id, query) => catalogue.with(id, (handle) => searchAgents(site.engine, handle, query)),
    foreign: async () => foreignLive(await catalogue.readAll())?.id,
    async promote(id, now, { replaceForeign = false } = {}) {
      await catalogue.with(id, (_, { index }) => makeReady(site.engine, index, site.ready));
      await change(id, (entries, entry) => {
        const foreign = replaceForeign ? undefined : foreignLive(entries);
        if (foreign !== undefined) throw replacesForeign(foreign);
        return entry.isLive ? [] : promotionSteps(site.names, entries, entry, now);
      });
    },
    drop: (id) =>
      change(
        id,
        (entries, entry) => {
          if (entry.isLive) throw dropsLive(id);
          return dropSteps(site.names, entry, liveOf(entries));
        },
        true,
      ),
  };
}

async function begin(site: Site, catalogue: Catalogue, now: number): Promise<Generation> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const entries = await catalogue.readAll();
    const entry = await findBuilding(site, entries);
    if (entry === undefined) await createGeneration(site, entries, 'building', now);
    else if (entry.layout !== INDEX_LAYOUT)
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
  const building = (await readGenerations(site, ours)).find(({ state }) => state === 'building');
  return ours.find(({ id }) => id === building?.id);
}

/** The number of documents that an interrupted copy left is exact only after a refresh. */
async function resume(site: Site, entry: Entry): Promise<Generation | undefined> {
  await answering(site.engine, () => refresh(site.engine, [entry.index]));
  return (await readGenerations(site, [entry]))[0];
}

function foreignLive(entries: readonly Entry[]): Entry | undefined {
  return entries.find(({ isLive, isOurs }) => isLive && !isOurs);
}

function liveOf(entries: readonly Entry[]): Entry | undefined {
  return entries.find(({ isLive }) => isLive);
}

function changing({ engine }: Site) {
  return indexUnavailable(engine.place, new EngineFault('other processes keep changing its generations'));
}
