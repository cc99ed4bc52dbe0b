import { isReadLongAgo } from '../../discovery/schedule.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { SourceKind, SourceState } from '../../domain/source.ts';

/**
 * `fresh`: what was last read is not old. `stale`: it is, and still counts. `absent`: there is no such file. `unread`: visited, and
 * nothing that was read counts. `unseen`: never visited.
 */
const VISIT_STATES = ['fresh', 'stale', 'absent', 'unread', 'unseen'] as const;
type VisitStateName = (typeof VISIT_STATES)[number];

/**
 * The one answer to "stale or absent?", of every operation and command: what is asked of, how it stands, last good, last
 * tried, why, next. Times are RFC 3339.
 */
export interface VisitState {
  readonly what: SourceKind;
  readonly state: VisitStateName;
  /** The last visit that brought something usable. */
  readonly last_good_at: string | null;
  readonly last_tried_at: string | null;
  readonly outcome: Outcome | null;
  readonly why: string | null;
  readonly next_at: string | null;
}

/** How what is known of a file or an agent stands; of one that nobody ever looked for, `source` is undefined. Pure. */
export function visitState(what: SourceKind, source: SourceState | undefined, now: number): VisitState {
  return {
    what,
    state: source === undefined ? 'unseen' : stateOf(source, now),
    last_good_at: timeOf(source?.lastSuccessAt),
    last_tried_at: timeOf(source?.lastVisitAt),
    outcome: source?.lastOutcome ?? null,
    // the code alone: the sentence beside it may tell of the network that we stand in
    why: source?.lastError?.code ?? null,
    next_at: timeOf(source?.nextVisitAt),
  };
}

function stateOf(source: SourceState, now: number): VisitStateName {
  if (source.lastVisitAt === undefined) return 'unseen';
  // what a visit did not learn, it does not change: a file that is known to be gone stays so, whoever spoilt the last one
  if (source.absentSince !== undefined) return 'absent';
  const counts = source.kind === 'agent' ? source.lastSuccessAt : source.contentHash;
  if (counts === undefined) return 'unread';
  return isReadLongAgo(source, now) ? 'stale' : 'fresh';
}

function timeOf(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
