import { RegistryError } from '../src/errors.ts';
import { type Comparison, compareGenerations } from '../src/indexing/compare-generations.ts';
import { copyRecords } from '../src/indexing/copy-records.ts';
import { catchUp } from '../src/indexing/feed-index.ts';
import type { AgentIndex, Generation } from '../src/ports/agent-index.ts';
import type { Clock } from '../src/ports/clock.ts';
import type { Records } from '../src/ports/records.ts';

export interface RebuildContext {
  readonly records: Records;
  readonly index: AgentIndex;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Documents copied so far, of how many. */
  readonly onProgress: (copied: number, total: number) => void;
}

/** Builds a new generation beside the live one from the records, with no network; can be killed and run again. */
export async function rebuild(context: RebuildContext): Promise<Generation> {
  const { records, index, clock } = context;
  const generation = await index.generations.begin(clock.now());
  // the copy holds every change up to here, so that catching up need not go through the whole log
  if (generation.copiedUpTo === undefined)
    await index.generations.applied(generation.id, await records.agents.lastSeq());
  await copyRecords(generation, context);
  await catchUp(records, index, await find(index, generation.id));
  return find(index, generation.id);
}

/**
 * Compares a generation with the live one and switches to it; refuses a shrink of more than a tenth. A copy that was
 * interrupted is finished first.
 */
export async function promote(
  context: RebuildContext,
  id: number,
  acceptShrink: boolean,
): Promise<Comparison> {
  const { records, index, clock, signal } = context;
  const candidate = await find(index, id);
  if (candidate.state === 'building') await copyRecords(candidate, context);
  if (signal.aborted)
    throw new RegistryError('interrupted', 'stopped before the switch, nothing was changed');
  await catchUp(records, index, await find(index, id));
  const comparison = await compareGenerations(index, id);
  if (comparison.shrinks && !acceptShrink) throw shrink(comparison);
  await index.generations.promote(id, clock.now());
  await catchUp(records, index, await find(index, id));
  return comparison;
}

/** Goes back to the generation before: brought up to date first, then switched to. */
export async function rollback(context: RebuildContext, acceptShrink: boolean): Promise<Generation> {
  const previous = await previousGeneration(context.index);
  await promote(context, previous.id, acceptShrink);
  return find(context.index, previous.id);
}

/** The generation to go back to. Throws a RegistryError `not_found` when there is none. */
export async function previousGeneration(index: AgentIndex): Promise<Generation> {
  const previous = (await index.generations.list()).find((generation) => generation.state === 'previous');
  if (previous !== undefined) return previous;
  throw new RegistryError('not_found', 'there is no previous generation of the index to go back to', {
    hint: 'a generation is kept from the first promotion on; see "registry index status"',
  });
}

async function find(index: AgentIndex, id: number): Promise<Generation> {
  const generation = (await index.generations.list()).find((candidate) => candidate.id === id);
  if (generation !== undefined) return generation;
  throw new RegistryError('not_found', `there is no generation ${id} of the index`, {
    hint: 'see "registry index status"',
  });
}

function shrink({ live, candidate }: Comparison): RegistryError {
  return new RegistryError(
    'input_invalid',
    `the new generation holds ${candidate} agents, the live one ${live}: that is more than a tenth less`,
    {
      hint: 'look with "registry index status" why; if it is right, say --accept-shrink',
    },
  );
}
