import { RegistryError } from '../../errors.ts';
import type { AgentIndex, Generation } from '../../ports/agent-index.ts';
import { noGeneration } from '../generation-errors.ts';

/** Throws a RegistryError `not_found` if the generation does not exist. */
export async function findGeneration({ generations }: AgentIndex, id: number): Promise<Generation> {
  const found = (await generations.list()).find((candidate) => candidate.id === id);
  if (found !== undefined) return found;
  throw noGeneration(id);
}

/** The newest complete generation that was never live. Throws a RegistryError `not_found` if there is none. */
export async function builtGeneration({ generations }: AgentIndex): Promise<Generation> {
  const built = (await generations.list()).findLast((generation) => generation.state === 'built');
  if (built !== undefined) return built;
  throw new RegistryError('not_found', 'no new generation of the index to promote', {
    hint: '"agent-registry index rebuild --yes" builds one and switches to it',
  });
}

/** The generation for a rollback. Throws a RegistryError `not_found` if there is none. */
export async function previousGeneration({ generations }: AgentIndex): Promise<Generation> {
  const previous = (await generations.list()).find((generation) => generation.state === 'previous');
  if (previous !== undefined) return previous;
  throw new RegistryError('not_found', 'no previous generation of the index to go back to', {
    hint: 'a previous generation exists after the first switch; see "agent-registry index status"',
  });
}

/** The generations that are neither live nor kept for a rollback. */
export function leftOvers(list: readonly Generation[]): readonly Generation[] {
  return list.filter(({ state }) => state !== 'live' && state !== 'previous');
}
