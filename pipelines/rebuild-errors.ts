import { RegistryError } from '../src/errors.ts';
import type { Comparison } from '../src/index/generations/compare-generations.ts';
import type { HeldBy } from '../src/records/upkeep/named-leases.ts';
import { holderText } from '../src/this-process.ts';

/** Another process is changing the generations. */
export function occupied({ holder, until }: HeldBy): RegistryError {
  const who = holderText(holder);
  return new RegistryError(
    'lease_held',
    `${who} is rebuilding or switching the index; its lease expires at ${new Date(until).toISOString()}`,
    {
      hint: 'wait until it finishes ("agent-registry index status" shows progress); after a crash the lease expires by itself',
    },
  );
}

/** The rebuild was stopped before the switch. */
export function interrupted(): RegistryError {
  return new RegistryError(
    'interrupted',
    'stopped before the switch: readers still use the previous generation',
    {
      hint: 'run the same command again; it begins a new copy, or continues with a complete one',
    },
  );
}

/** The live generation belongs to another registry. */
export function foreignLive(id: number): RegistryError {
  return new RegistryError(
    'usage',
    `the live generation ${id} belongs to other records: a switch would take their registry offline`,
    {
      hint:
        'give each registry its own REGISTRY_INDEX_PREFIX; ' +
        'to replace the other index on purpose, add --replace-foreign',
    },
  );
}

/** The new generation is much smaller, without `acceptShrink`. */
export function shrink(id: number, { live, candidate }: Comparison): RegistryError {
  return new RegistryError(
    'input_invalid',
    `generation ${id} has ${candidate} agents, the live generation has ${live}: more than 10 % fewer`,
    {
      hint:
        'nothing was switched. Find the cause; then "agent-registry index promote --accept-shrink --yes" switches to it, ' +
        '"agent-registry index prune --yes" drops it',
    },
  );
}
