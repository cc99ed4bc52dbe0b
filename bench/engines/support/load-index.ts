import type { SavedDocument } from '../../../src/domain/agent-document.ts';
import type { AgentIndex } from '../../../src/ports/agent-index.ts';
import { batches } from '../../support/batches.ts';

const BATCH = 2_000;
const AT_ONCE = 4;

/** Bulk-loads documents straight into a generation that is new, and makes it live: no crawl, no change log, no comparison. */
export async function loadIndex(
  { generations }: AgentIndex,
  documents: Iterable<SavedDocument>,
  lastSeq: number,
): Promise<void> {
  const id = await generations.begin(Date.now());
  const underWay = new Set<Promise<void>>();
  for (const batch of batches(documents, BATCH)) {
    const writing = generations.write(id, batch).finally(() => underWay.delete(writing));
    underWay.add(writing);
    if (underWay.size >= AT_ONCE) await Promise.race(underWay);
  }
  await Promise.all(underWay);
  await generations.applied(id, lastSeq);
  await generations.built(id);
  await generations.promote(id, Date.now());
}
