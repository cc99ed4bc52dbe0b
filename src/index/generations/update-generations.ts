import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { SavedDocument } from '../../domain/agent-document.ts';
import type { Change } from '../../domain/change.ts';
import { RegistryError } from '../../errors.ts';
import type { AgentIndex, Generation } from '../../ports/agent-index.ts';
import type { Records } from '../../ports/records.ts';
import type { Attributes, Tracing } from '../../ports/tracing.ts';
import { tracedBatch, writeAll } from './batches.ts';
import { indexAhead, isAhead, noneLive, rememberApplied } from './history.ts';
import type { ShouldContinue } from './with-lease.ts';

const BATCH = 500;

/** How far the index is behind the change log. */
export interface IndexLag {
  /** The generations that are kept up to date. */
  readonly current: readonly Generation[];
  /** Number of changes that the live generation lacks; all of them if it is missing or cannot be read. */
  readonly lag: number;
  readonly behind: boolean;
  /** Why the live generation cannot be brought up to date, if so. */
  readonly fault?: RegistryError;
}

/** Compares the generations with the change log. Cheap enough to be called every second. */
export async function indexLag(records: Records, index: AgentIndex): Promise<IndexLag> {
  const generations = await index.generations.list();
  const last = await records.agents.lastSeq();
  const current: Generation[] = [];
  for (const generation of generations.filter(isKept))
    if (!(await isAhead(records, generation))) current.push(generation);
  const live = generations.find((generation) => generation.state === 'live');
  const fault = faultOf(live, current);
  return {
    current,
    lag: Math.max(0, last - (live?.appliedSeq ?? 0)),
    behind: current.some((generation) => generation.appliedSeq < last),
    ...(fault && { fault }),
  };
}

function faultOf(live: Generation | undefined, current: readonly Generation[]): RegistryError | undefined {
  if (live === undefined) return noneLive();
  if (live.fault !== undefined) return live.fault;
  return current.includes(live) ? undefined : indexAhead(live);
}

/** A rebuild brings the generation that it builds up to date by itself. */
function isKept({ state, fault }: Generation): boolean {
  return fault === undefined && (state === 'live' || state === 'built');
}

/**
 * Applies the change log to the live generation and to those that are complete, each from its own position.
 * Only the log changes the index, so a process that dies between storing and indexing loses nothing. Resolves when searches find
 * the changes, with the number of documents written. Rejects after all generations were tried, with the first error:
 * `index_missing`, `index_ahead`, `index_unavailable` or `index_refused`.
 */
export async function updateGenerations(
  records: Records,
  index: AgentIndex,
  shouldContinue: ShouldContinue = () => true,
  tracing?: Tracing,
): Promise<number> {
  const { current, fault } = await indexLag(records, index);
  let written = 0;
  const faults: unknown[] = fault === undefined ? [] : [fault];
  for (const generation of current) {
    const updating = updateOne(
      records,
      index,
      generation,
      shouldContinue,
      (refused) => faults.push(refused),
      tracing,
    );
    const settling = updating.then(async (count) => {
      if (count > 0) await index.settle(generation.id);
      return count;
    });
    written += await settling.catch((error) => {
      faults.push(error); // a generation that cannot be written does not block the others
      return 0;
    });
  }
  if (faults.length > 0) throw faults[0];
  return written;
}

/** Applies the rest of the change log to one generation and makes it searchable. `onRefused` is called for refused documents. */
export async function catchUp(
  records: Records,
  index: AgentIndex,
  generation: Generation,
  shouldContinue: ShouldContinue = () => true,
  onRefused: (error: RegistryError) => void = () => {},
): Promise<void> {
  if ((await applyChanges(records, index, generation, shouldContinue, onRefused)) > 0)
    await index.settle(generation.id);
}

/** A generation that another process dropped meanwhile is not an error. */
async function updateOne(
  records: Records,
  index: AgentIndex,
  generation: Generation,
  shouldContinue: ShouldContinue,
  onRefused: (error: RegistryError) => void,
  tracing?: Tracing,
): Promise<number> {
  try {
    return await applyChanges(records, index, generation, shouldContinue, onRefused, tracing);
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'not_found') return 0;
    throw error;
  }
}

async function applyChanges(
  records: Records,
  index: AgentIndex,
  { id, appliedSeq }: Generation,
  shouldContinue: ShouldContinue,
  onRefused: (error: RegistryError) => void,
  tracing?: Tracing,
): Promise<number> {
  let written = 0;
  for (let seq = appliedSeq; shouldContinue(); ) {
    const changes = await records.agents.changes(seq, BATCH);
    const last = changes.at(-1);
    if (last === undefined) return written;
    const documents = await documentsOf(records, changes);
    const traces = changes.map((change) => change.trace);
    await tracedBatch(
      tracing,
      { name: 'index.write', traces, attributes: writing(id, documents.length) },
      () => writeAll(index, id, documents, onRefused),
    );
    await rememberApplied(index, id, last);
    seq = last.seq;
    written += documents.length;
    await yieldToEventLoop();
  }
  return written;
}

/**
 * The current documents of the agents in these changes. An agent that was deleted meanwhile (prune) is dropped, because the
 * generation may still have it.
 */
async function documentsOf(
  { agents }: Records,
  changes: readonly Change[],
): Promise<readonly SavedDocument[]> {
  const lastOf = new Map(changes.map(({ agent, seq }) => [agent, seq]));
  const saved = await agents.saved([...lastOf.keys()]);
  for (const { agent } of saved) lastOf.delete(agent);
  return [...saved, ...[...lastOf].map(([agent, version]) => ({ agent, version }))];
}

/** Named by the semantic conventions for databases. */
function writing(generation: number, documents: number): Attributes {
  return {
    'db.operation.name': 'write',
    'db.operation.batch.size': documents,
    'agent_registry.generation': generation,
  };
}
