import type { Generation, GenerationState } from '../../ports/agent-index.ts';
import { type BulkItem, factId, factItem } from './bulk-lines.ts';
import { answering, type Entry, type Site } from './catalogue.ts';
import type { Engine, Patience } from './client.ts';
import { EngineFault, isIndexNotFound, isShardless } from './errors.ts';
import { countHits } from './search.ts';

/**
 * What a generation remembers of itself: documents in its own index, so that they are lost with it and never outlive
 * it. Read by id, which sees a write at once, refreshed or not.
 */
interface Facts {
  readonly appliedSeq: number;
  readonly appliedMark?: string;
  readonly copiedUpTo?: string;
  readonly isComplete: boolean;
}

const APPLIED = 'applied';
const COPIED = 'copied';
const COMPLETE = 'complete';
const UNAVAILABLE = 503;

/** For another look at an index that was waited for in vain. */
const NO_PATIENCE = { withinMs: 5_000, retries: 0 };

/**
 * The generations as they are now, without those that are gone meanwhile. Each is read by itself: one whose shards or
 * whose name are lost is listed as unreadable and keeps nobody from the others. Rejects with `index_unavailable` when the engine itself
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
  // by hand: no step of ours leaves it so, and nothing can be written to it or go on with it
  if (entry.handle === undefined) return unreadable(entry, 'its write alias was removed');
  const [factReads, reads] = shardless.has(index)
    ? [NO_PATIENCE, NO_PATIENCE]
    : [engine.generationReads, engine.reads];
  try {
    const [facts, documents] = await Promise.all([
      readFacts(engine, entry, factReads),
      countHits(engine, index, {}, reads),
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

/** The number is the version of the document, so the engine itself sees to it that it never goes back. */
export function appliedFact(seq: number, mark?: string): BulkItem {
  return factItem(APPLIED, { seq, ...(mark !== undefined && { mark }) }, seq);
}

export function copiedFact(upTo: string): BulkItem {
  return factItem(COPIED, { up_to: upTo });
}

export function completeFact(): BulkItem {
  return factItem(COMPLETE, {});
}

interface StoredFact {
  readonly seq?: number;
  readonly mark?: string;
  readonly up_to?: string;
}

interface FoundDocument {
  readonly found?: boolean;
  readonly _source?: { readonly fact: StoredFact };
  readonly error?: { readonly type: string; readonly reason: string };
}

/** The facts of a generation; undefined when its index is gone meanwhile. Rejects with an EngineFault. */
async function readFacts(engine: Engine, { index }: Entry, patience: Patience): Promise<Facts | undefined> {
  const docs = [APPLIED, COPIED, COMPLETE].map((name) => ({ _index: index, _id: factId(name) }));
  let facts: Facts | undefined;
  await engine.send<{ readonly docs: readonly FoundDocument[] }>(
    { method: 'POST', path: '/_mget', body: { docs } },
    patience,
    (answer) => {
      facts = factsOf(answer.docs);
    },
  );
  return facts;
}

function factsOf(documents: readonly FoundDocument[]): Facts | undefined {
  const error = documents.find((document) => document.error !== undefined)?.error;
  if (error?.type === 'index_not_found_exception') return undefined;
  if (error !== undefined) throw new EngineFault(error.reason, UNAVAILABLE, error.type);
  if (documents.length < 3) throw new EngineFault('the response is incomplete');
  const [applied, copied, complete] = documents.map((document) => document._source?.fact);
  return {
    appliedSeq: applied?.seq ?? 0,
    ...(applied?.mark !== undefined && { appliedMark: applied.mark }),
    ...(copied?.up_to !== undefined && { copiedUpTo: copied.up_to }),
    isComplete: complete !== undefined,
  };
}
