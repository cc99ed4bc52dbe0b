import { RegistryError } from '../errors.ts';

/** The errors of both engines for a generation that does not exist or cannot be used. */
export function noGeneration(id: number): RegistryError {
  return new RegistryError('not_found', `no generation ${id} in the index`, {
    hint: '"agent-registry index status" lists the generations',
  });
}

export function dropsLive(id: number): RegistryError {
  return new RegistryError('usage', `generation ${id} is live and cannot be dropped`, {
    hint: 'promote another generation first',
  });
}

export const REBUILD_HINT = '"agent-registry index rebuild --yes" rebuilds it from the records';

/** A generation of another layout would return the wrong agents, or reject writes. */
export function otherLayout(id: number, found: number, written: number): RegistryError {
  return new RegistryError(
    'index_missing',
    `generation ${id} has layout ${found}, but this version writes layout ${written}`,
    { hint: REBUILD_HINT },
  );
}

/** The engine answers, but the generation is closed or its data is lost. */
export function cannotBeRead(id: number, reason: string): RegistryError {
  return new RegistryError('index_unavailable', `generation ${id} of the index cannot be read: ${reason}`, {
    hint: 'restart the node that holds it, or build a new one with "agent-registry index rebuild --yes"',
    retryable: true,
  });
}
