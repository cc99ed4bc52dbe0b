import { RegistryError } from '../../errors.ts';
import type { AgentIndex, Generation } from '../../ports/agent-index.ts';

/** Throws a RegistryError `not_found` when there is none of this number. */
export async function findGeneration({ generations }: AgentIndex, id: number): Promise<Generation> {
  const found = (await generations.list()).find((candidate) => candidate.id === id);
  if (found !== undefined) return found;
  throw new RegistryError('not_found', `no generation ${id} in the index`, {
    hint: 'see "agent-registry index status"',
  });
}

/** The newest one that is complete and was not switched to. Throws a RegistryError `not_found` when there is none. */
export async function builtGeneration({ generations }: AgentIndex): Promise<Generation> {
  const built = (await generations.list()).findLast((generation) => generation.state === 'built');
  if (built !== undefined) return built;
  throw new RegistryError('not_found', 'no new generation of the index to promote', {
    hint: '"agent-registry index rebuild --yes" builds one and switches to it',
  });
}

/** The generation to go back to. Throws a RegistryError `not_found` when there is none. */
export async function previousGeneration({ generations }: AgentIndex): Promise<Generation> {
  const previous = (await generations.list()).find((generation) => generation.state === 'previous');
  if (previous !== undefined) return previous;
  throw new RegistryError('not_found', 'no previous generation of the index to go back to', {
    hint: 'a previous generation exists after the first switch; see "agent-registry index status"',
  });
}

/** False for a generation that another version of the program made, with fields that this one does not write. */
export async function canBeWritten({ generations }: AgentIndex, id: number): Promise<boolean> {
  try {
    await generations.write(id, []);
    return true;
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'index_missing') return false;
    throw error;
  }
}

/** What an interrupted or refused rebuild left last, and the next one goes on with. */
export function unfinishedGeneration(list: readonly Generation[]): Generation | undefined {
  return list.findLast(
    ({ state, createdAt }) => (state === 'building' && createdAt > 0) || state === 'built',
  );
}

/** Neither live nor kept for a rollback. */
export function leftOvers(list: readonly Generation[]): readonly Generation[] {
  return list.filter(({ state }) => state !== 'live' && state !== 'previous');
}
