import {
  type AgentState,
  type AppendOnlyLog,
  type AuditEntry,
  canonicalHash,
  type LogEntry,
} from '@agent-registry/surface/agent-kit';

/*
 * The audit log of a plan: entries that are only added, each with the hash of the one before. The last one is kept
 * beside the log as well, so that a log whose end was cut off does not look whole; and it stands in every approval,
 * so that others than this agent hold it too.
 */

/** An entry in the log, with its place in the chain. */
export type ChainedEntry = AuditEntry & {
  readonly sequence: number;
  readonly hash: string;
  readonly previous_hash: string;
};

/** The last entry. */
export interface AuditHead {
  readonly sequence: number;
  readonly hash: string;
}

/** Where a plan's log is: whose plan it is, and its id. */
export interface PlanKey {
  readonly owner: string;
  readonly planId: string;
}

export type NewEntry = Pick<
  AuditEntry,
  'actor' | 'action' | 'details' | 'reason' | 'conditions' | 'check_id'
>;

export interface AuditChain {
  readonly entries: readonly ChainedEntry[];
  readonly intact: boolean;
  /** Sequence of the first entry that does not fit, or that is missing. */
  readonly firstBroken?: number;
  readonly head?: AuditHead;
}

const HEADS = 'audit_heads';

/** What the first entry says of the one before it. */
const BEGINNING = '';

/** Adds an entry, in the transaction of what it tells; `now` is epoch milliseconds. */
export function appendAudit(state: AgentState, plan: PlanKey, entry: NewEntry, now: number): AuditHead {
  const log = state.log<ChainedEntry>(streamOf(plan));
  const heads = state.collection<AuditHead>(HEADS);
  const [head, last] = [heads.get(streamOf(plan)), log.last()];
  // From what was written last, and not from what is there last: a cut or a forged end stays visible.
  const sequence = Math.max(head?.sequence ?? 0, last?.sequence ?? 0) + 1;
  const unhashed = {
    timestamp: new Date(now).toISOString(),
    ...entry,
    plan_id: plan.planId,
    sequence,
    previous_hash: head?.hash ?? BEGINNING,
  };
  const hash = canonicalHash(unhashed, 'hex');
  log.append(sequence, { ...unhashed, hash });
  heads.put(streamOf(plan), { sequence, hash });
  return { sequence, hash };
}

/** Reads a log and follows its chain: every entry by its own hash and that of the one before, and the end. */
export function readAudit(state: AgentState, plan: PlanKey): AuditChain {
  const kept = readableEntries(state.log<ChainedEntry>(streamOf(plan)));
  const head = state.collection<AuditHead>(HEADS).get(streamOf(plan));
  const entries = kept.map(({ entry }) => entry);
  const wrong = kept.findIndex(
    ({ sequence, entry }, index) => !fits(entry, sequence, index, entries[index - 1]?.hash ?? BEGINNING),
  );
  const firstBroken = wrong === -1 ? endBroken(entries, head) : wrong + 1;
  return {
    entries,
    intact: firstBroken === undefined,
    ...(firstBroken !== undefined && { firstBroken }),
    ...(head !== undefined && { head }),
  };
}

/** All entries; those before the first that is none any more, when somebody wrote something else over it. */
function readableEntries(log: AppendOnlyLog<ChainedEntry>): readonly LogEntry<ChainedEntry>[] {
  try {
    const kept = log.read();
    if (kept.every(({ entry }) => isEntry(entry))) return kept;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const readable: LogEntry<ChainedEntry>[] = [];
  for (let next = entryAfter(log, 0); next !== undefined; next = entryAfter(log, next.sequence))
    readable.push(next);
  return readable;
}

function entryAfter(log: AppendOnlyLog<ChainedEntry>, after: number): LogEntry<ChainedEntry> | undefined {
  try {
    const [next] = log.read({ after, limit: 1 });
    return next !== undefined && isEntry(next.entry) ? next : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** What an answer cannot do without (core/audit_entry.json). */
function isEntry(entry: ChainedEntry | null): boolean {
  return [entry?.timestamp, entry?.actor, entry?.action].every((text) => typeof text === 'string');
}

function fits(entry: ChainedEntry, row: number, index: number, previous: string): boolean {
  const { hash, ...unhashed } = entry;
  return (
    row === index + 1 &&
    entry.sequence === row &&
    entry.previous_hash === previous &&
    hash === canonicalHash(unhashed, 'hex')
  );
}

/** The end that was written beside the log has to be the end of the log. */
function endBroken(entries: readonly ChainedEntry[], head: AuditHead | undefined): number | undefined {
  const last = entries.at(-1);
  if (last?.sequence === head?.sequence && last?.hash === head?.hash) return undefined;
  return Math.min(entries.length, head?.sequence ?? 0) + 1;
}

function streamOf({ owner, planId }: PlanKey): string {
  return `plan ${owner} ${planId}`;
}
