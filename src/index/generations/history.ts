import { hash } from 'node:crypto';
import type { Change } from '../../domain/change.ts';
import { RegistryError } from '../../errors.ts';
import type { AgentIndex, Generation } from '../../ports/agent-index.ts';
import type { Records } from '../../ports/records.ts';

/**
 * Whether a generation holds changes that the records do not know: they were restored from a backup, or lost their last
 * moments. Their next changes get numbers that the generation has seen already, so it cannot be brought up to date. The
 * mark finds that out when the log has grown past the generation's number again.
 */
export async function isAhead(records: Records, generation: Generation): Promise<boolean> {
  const { appliedSeq, appliedMark, unreadable } = generation;
  if (unreadable !== undefined || appliedSeq === 0) return false;
  if (appliedSeq > (await records.agents.lastSeq())) return true;
  return appliedMark !== undefined && appliedMark !== (await markAt(records, appliedSeq));
}

/** Remembers that all changes up to this one are in a generation. */
export function rememberApplied({ generations }: AgentIndex, id: number, last: Change): Promise<void> {
  return generations.applied(id, last.seq, markOf(last));
}

/** Remembers that a generation needs nothing of the log as it is now. */
export async function rememberAllApplied(
  records: Records,
  { generations }: AgentIndex,
  id: number,
): Promise<void> {
  const last = await records.agents.lastSeq();
  await generations.applied(id, last, await markAt(records, last));
}

/** What to say of a generation that is ahead. */
export function indexAhead({ id, appliedSeq }: Generation): RegistryError {
  return new RegistryError(
    'index_ahead',
    `generation ${id} of the index contains changes up to ${appliedSeq} that the records do not have: the records were restored from a backup or lost their latest writes`,
    { hint: '"agent-registry index rebuild --yes" builds a new generation from the records' },
  );
}

/** What to say where none is live. */
export function noneLive(): RegistryError {
  return new RegistryError('index_missing', 'the index has no live generation of these records', {
    hint: '"agent-registry index rebuild --yes" builds one from the records',
  });
}

/** What to say of one that cannot be read. */
export function notReadable({ id, unreadable }: Generation): RegistryError {
  return new RegistryError(
    'index_unavailable',
    `generation ${id} of the index cannot be read: ${unreadable}`,
    {
      hint: 'restart the node that holds it, or build a new one with "agent-registry index rebuild --yes"',
      retryable: true,
    },
  );
}

/** Rejects with the reason why a generation cannot be switched to. */
export async function ensureSwitchable(records: Records, generation: Generation): Promise<void> {
  if (generation.unreadable !== undefined) throw notReadable(generation);
  if (await isAhead(records, generation)) throw indexAhead(generation);
}

/** Undefined when there is no such change: it was lost. */
async function markAt({ agents }: Records, seq: number): Promise<string | undefined> {
  if (seq === 0) return undefined;
  const [change] = await agents.changes(seq - 1, 1);
  return change?.seq === seq ? markOf(change) : undefined;
}

function markOf({ seq, agent, at, kind }: Change): string {
  const text = JSON.stringify([seq, agent, at, kind]);
  return hash('sha256', text).slice(0, 16);
}
