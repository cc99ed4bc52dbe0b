import { setImmediate as othersTurn } from 'node:timers/promises';
import { RegistryError } from '../errors.ts';
import type { AgentIndex, Generation } from '../ports/agent-index.ts';
import type { Records } from '../ports/records.ts';
import type { Attributes, Tracing } from '../ports/tracing.ts';
import { tracedBatch } from './traced-batch.ts';
import type { GoOn } from './work-alone.ts';
import { writeAll } from './write-all.ts';

const BATCH = 500;

/** How far the index is behind the change log. */
export interface FeedState {
  /** The generations that every change goes to. */
  readonly fed: readonly Generation[];
  /** Changes that the live generation lacks, by their numbers. */
  readonly lag: number;
  readonly behind: boolean;
}

/** Looks whether there is anything to feed; cheap enough for every second. */
export async function feedState(records: Records, index: AgentIndex): Promise<FeedState> {
  const fed = (await index.generations.list()).filter(isFed);
  const last = await records.agents.lastSeq();
  const live = fed.find((generation) => generation.state === 'live');
  return {
    fed,
    lag: live === undefined ? 0 : Math.max(0, last - live.appliedSeq),
    behind: fed.some((generation) => generation.appliedSeq < last),
  };
}

/** A rebuild says first where its copy starts in the log; before that the whole log would go into it. */
function isFed({ state, appliedSeq }: Generation): boolean {
  return state === 'live' || state === 'built' || (state === 'building' && appliedSeq > 0);
}

/**
 * Brings the live generation, and those that are being built or were, up to the end of the change log, each from where
 * it stands. The log is the only thing that feeds the index, so a process that died between storing and indexing loses
 * nothing. Resolves when searches find it, with the number of documents written.
 */
export async function feedIndex(
  records: Records,
  index: AgentIndex,
  goOn: GoOn = () => true,
  tracing?: Tracing,
): Promise<number> {
  const { fed } = await feedState(records, index);
  let written = 0;
  const faults: unknown[] = [];
  for (const generation of fed) {
    const feeding = feedOne(records, index, generation, goOn, (refused) => faults.push(refused), tracing);
    written += await feeding.catch((error) => {
      faults.push(error); // one that cannot be written to does not keep the others from being fed
      return 0;
    });
  }
  if (written > 0) await index.settle();
  if (faults.length > 0) throw faults[0];
  return written;
}

/** Applies the change log to one generation from where it stands, and makes it found. What the engine refuses is told by the feed. */
export async function catchUp(
  records: Records,
  index: AgentIndex,
  generation: Generation,
  goOn: GoOn = () => true,
  onRefused: (error: RegistryError) => void = () => {},
): Promise<void> {
  if ((await applyChanges(records, index, generation, goOn, onRefused)) > 0) await index.settle();
}

/** A generation that another process dropped meanwhile needs nothing any more. */
async function feedOne(
  records: Records,
  index: AgentIndex,
  generation: Generation,
  goOn: GoOn,
  onRefused: (error: RegistryError) => void,
  tracing?: Tracing,
): Promise<number> {
  try {
    return await applyChanges(records, index, generation, goOn, onRefused, tracing);
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'not_found') return 0;
    throw error;
  }
}

async function applyChanges(
  records: Records,
  index: AgentIndex,
  { id, appliedSeq }: Generation,
  goOn: GoOn,
  onRefused: (error: RegistryError) => void,
  tracing?: Tracing,
): Promise<number> {
  let written = 0;
  for (let seq = appliedSeq; goOn(); ) {
    const changes = await records.agents.changes(seq, BATCH);
    const last = changes.at(-1);
    if (last === undefined) return written;
    const documents = await records.agents.saved([...new Set(changes.map((change) => change.agent))]);
    const traces = changes.map((change) => change.trace);
    await tracedBatch(
      tracing,
      { name: 'index.write', traces, attributes: writing(id, documents.length) },
      () => writeAll(index, id, documents, onRefused),
    );
    await index.generations.applied(id, last.seq);
    seq = last.seq;
    written += documents.length;
    await othersTurn();
  }
  return written;
}

/** As the semantic conventions call them for a database. */
function writing(generation: number, documents: number): Attributes {
  return {
    'db.operation.name': 'write',
    'db.operation.batch.size': documents,
    'agent_registry.generation': generation,
  };
}
