import { hash } from 'node:crypto';
import type { Change } from '../../domain/change.ts';
import { RegistryError } from '../../errors.ts';
import type { AgentIndex, Generation } from '../../ports/agent-index.ts';
import type { Records } from '../../ports/records.ts';

/**
 * Whether a generation has changes that the records lack, because they were restored from a backup or lost their latest writes.
 * New changes then get numbers that the generation already has, so it cannot be brought up to date. The mark detects this also
 * when the log has grown past the number of the generation again.
 */
export async function isAhead(records: Records, generation: Generation): Promise<boolean> {
  const { appliedSeq, appliedMark } = generation;
  if (appliedSeq === 0) return false;
  if (appliedSeq > (await records.agents.lastSeq())) return true;
  return appliedMark !== undefined && appliedMark !== (await markAt(records, appliedSeq));
}

/** Records that a generation has all changes up to this one. */
export function rememberApplied({ generations }: AgentIndex, id: number, last: Change): Promise<void> {
  return generations.applied(id, last.seq, markOf(last));
}

/** Records that a generation has all changes of the log. */
export async function rememberAllApplied(
  records: Records,
  { generations }: AgentIndex,
  id: number,
): Promise<void> {
  const last = await records.agents.lastSeq();
  await generations.applied(id, last, await markAt(records, last));
}

/** The error for a generation that is ahead of the records. */
export function indexAhead({ id, appliedSeq }: Generation): RegistryError {
  return new RegistryError(
    'index_ahead',
    `generation ${id} of the index contains changes up to ${appliedSeq} that the records do not have: the records were restored from a backup or lost their latest writes`,
    { hint: '"agent-registry index rebuild --yes" builds a new generation from the records' },
  );
}

/** The error when no generation is live. */
export function noneLive(): RegistryError {
  return new RegistryError('index_missing', 'the index has no live generation of these records', {
    hint: '"agent-registry index rebuild --yes" builds one from the records',
  });
}

/** Rejects if a generation must not become live. */
export async function ensureSwitchable(records: Records, generation: Generation): Promise<void> {
  if (generation.fault !== undefined) throw generation.fault;
  if (await isAhead(records, generation)) throw indexAhead(generation);
}

/** Undefined if the change was lost. */
async function markAt({ agents }: Records, seq: number): Promise<string | undefined> {
  if (seq === 0) return undefined;
  const [change] = await agents.changes(seq - 1, 1);
  return change?.seq === seq ? markOf(change) : undefined;
}

function markOf({ seq, agent, at, kind }: Change): string {
  const text = JSON.stringify([seq, agent, at, kind]);
  return hash('sha256', text).slice(0, 16);
}
