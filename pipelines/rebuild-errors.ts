import { RegistryError } from '../src/errors.ts';
import type { Comparison } from '../src/indexing/compare-generations.ts';
import type { HeldBy } from '../src/ports/named-leases.ts';
import { holderText } from '../src/this-process.ts';

/** Somebody else changes the generations at the moment. */
export function occupied({ holder, until }: HeldBy): RegistryError {
  const who = holderText(holder);
  return new RegistryError(
    'lease_held',
    `${who} is rebuilding or switching the index; its lease holds until ${new Date(until).toISOString()}`,
    {
      hint: 'wait until it is done ("agent-registry index status"); after a crash its lease runs out by itself',
    },
  );
}

/** Before the switch was made. */
export function interrupted(): RegistryError {
  return new RegistryError('interrupted', 'stopped before the switch: readers see what they saw before', {
    hint: 'run the same command again to go on where it stopped',
  });
}

/** Somebody else's registry finds what it searches under these names. */
export function foreignLive(id: number): RegistryError {
  return new RegistryError(
    'usage',
    `generation ${id}, which is live, is of other records: a switch would take their registry offline`,
    {
      hint:
        'give each registry a REGISTRY_INDEX_PREFIX of its own; ' +
        '--replace-foreign takes the names over, if these records are to be searched instead of the others',
    },
  );
}

/** The new generation is much smaller, and nobody agreed to that. */
export function shrink(id: number, { live, candidate }: Comparison): RegistryError {
  return new RegistryError(
    'input_invalid',
    `generation ${id} holds ${candidate} agents, the live one ${live}: that is more than a tenth less`,
    {
      hint:
        'it stays as it is: find out why; then "agent-registry index promote --accept-shrink --yes" switches to it, ' +
        '"agent-registry index prune --yes" drops it',
    },
  );
}
