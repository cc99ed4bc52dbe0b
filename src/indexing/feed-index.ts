import { setImmediate as othersTurn } from 'node:timers/promises';
import type { AgentIndex, Generation } from '../ports/agent-index.ts';
import type { Records } from '../ports/records.ts';

const BATCH = 500;

/**
 * Brings the live generation, and one that is being built, up to the end of the change log. The log is the only thing
 * that feeds the index, so a process that died between storing and indexing loses nothing: the next feed goes on where
 * the generation stands. Returns how many documents were written.
 */
export async function feedIndex(records: Records, index: AgentIndex, signal?: AbortSignal): Promise<number> {
  const live = (await index.generations.list()).find((generation) => generation.state === 'live');
  return live === undefined
    ? 0
    : applyChanges(records, index, live, (documents) => index.put(documents), signal);
}

/** Applies the change log to one generation from where it stands; older writes never win over newer ones. */
export async function catchUp(records: Records, index: AgentIndex, generation: Generation): Promise<number> {
  return applyChanges(records, index, generation, (documents) =>
    index.generations.copy(generation.id, documents, generation.copiedUpTo),
  );
}

async function applyChanges(
  records: Records,
  index: AgentIndex,
  generation: Generation,
  write: AgentIndex['put'],
  signal?: AbortSignal,
): Promise<number> {
  let written = 0;
  for (let seq = generation.appliedSeq; !signal?.aborted; ) {
    const changes = await records.agents.changes(seq, BATCH);
    const last = changes.at(-1);
    if (last === undefined) return written;
    const documents = await records.agents.saved([...new Set(changes.map((change) => change.agent))]);
    await write(documents);
    await index.generations.applied(generation.id, last.seq);
    seq = last.seq;
    written += documents.length;
    await othersTurn();
  }
  return written;
}
