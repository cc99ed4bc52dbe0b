import type { Generation, GenerationState } from '../../ports/agent-index.ts';
import type { Entry } from './catalogue.ts';
import { EngineFault, isIndexNotFound, isShardless } from './errors.ts';
import { type Facts, readFacts } from './facts.ts';
import { countAgents } from './search.ts';
import { answering, type Site } from './site.ts';

/** For another look at an index that was waited for in vain. */
const NO_PATIENCE = { withinMs: 5_000, retries: 0 };

/**
 * The generations as they are now, without those that are gone meanwhile. Each is read by itself: one whose shards are
 * lost is listed as unreadable and keeps nobody from the others. Rejects with `index_unavailable` when the engine itself
 * does not answer.
 */
export function readGenerations(site: Site, entries: readonly Entry[]): Promise<readonly Generation[]> {
  return answering(site.engine, async () => {
    const found = await Promise.all(entries.map((entry) => readOne(site, entry)));
    return found.filter((generation) => generation !== undefined);
  });
}

async function readOne(site: Site, entry: Entry): Promise<Generation | undefined> {
  const { engine, shardless } = site;
  const { index } = entry;
  const [looks, reads] = shardless.has(index) ? [NO_PATIENCE, NO_PATIENCE] : [engine.looks, engine.reads];
  try {
    const [facts, documents] = await Promise.all([
      readFacts(engine, entry, looks),
      countAgents(engine, index, {}, reads),
    ]);
    shardless.delete(index);
    return facts && generationOf(entry, facts, documents);
  } catch (error) {
    if (!(error instanceof EngineFault)) throw error;
    if (isIndexNotFound(error)) return undefined;
    if (!isShardless(error)) throw error;
    shardless.add(index);
    return unreadable(entry, error.message);
  }
}

function generationOf(entry: Entry, facts: Facts, documents: number): Generation {
  const { isComplete, ...known } = facts;
  return {
    ...standingOf(entry),
    state: stateOf(entry, isComplete ? 'built' : 'building'),
    documents,
    ...known,
  };
}

function unreadable(entry: Entry, reason: string): Generation {
  return {
    ...standingOf(entry),
    state: stateOf(entry, 'unreadable'),
    documents: 0,
    appliedSeq: 0,
    unreadable: reason,
  };
}

function standingOf({ id, createdAt, promotedAt }: Entry) {
  return { id, createdAt, ...(promotedAt !== undefined && { promotedAt }) };
}

function stateOf({ isLive, isPrevious }: Entry, otherwise: GenerationState): GenerationState {
  if (isLive) return 'live';
  return isPrevious ? 'previous' : otherwise;
}
