import type { AgentIndex, Generation } from '../ports/agent-index.ts';
import type { Records } from '../ports/records.ts';

const PAGE = 1_000;

export interface CopyContext {
  readonly records: Records;
  readonly index: AgentIndex;
  readonly signal: AbortSignal;
  readonly onProgress: (copied: number, total: number) => void;
}

/** Copies every listed document into a generation, from where an earlier copy stopped. */
export async function copyRecords(
  generation: Generation,
  { records, index, signal, onProgress }: CopyContext,
): Promise<void> {
  const total = await records.agents.countListed();
  let copied = generation.documents;
  for (let after = generation.copiedUpTo; !signal.aborted; ) {
    const page = await records.agents.listed(after, PAGE);
    after = page.at(-1)?.agent;
    if (after === undefined) return;
    await index.generations.copy(generation.id, page, after);
    copied += page.length;
    onProgress(copied, total);
  }
}
