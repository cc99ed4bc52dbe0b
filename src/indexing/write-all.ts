import { RegistryError } from '../errors.ts';
import type { AgentIndex } from '../ports/agent-index.ts';
import type { SavedDocument } from '../ports/agent-store.ts';

/**
 * Writes documents; those that the engine refuses for ever are told and left out, so that one of them does not keep all
 * that come after it out of the index.
 */
export async function writeAll(
  { generations }: AgentIndex,
  id: number,
  documents: readonly SavedDocument[],
  onRefused: (error: RegistryError) => void,
): Promise<void> {
  try {
    await generations.write(id, documents);
  } catch (error) {
    if (!(error instanceof RegistryError && error.code === 'index_refused')) throw error;
    onRefused(error);
  }
}
