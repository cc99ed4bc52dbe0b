import { isReadLongAgo } from '../../discovery/schedule.ts';
import type { SourceState } from '../../domain/source.ts';

/**
 * `fresh`: what was last read is not old. `stale`: it is, and still counts. `absent`: there is no such file. `unread`: visited, and
 * nothing usable was ever read. `unseen`: never visited.
 */
const VISIT_STATES = ['fresh', 'stale', 'absent', 'unread', 'unseen'] as const;
type VisitStateName = (typeof VISIT_STATES)[number];

/** The one answer to "stale or absent?": last good, last tried, why, next. Times are RFC 3339. */
export interface VisitState extends ReturnType<typeof currencyOf> {
  readonly what: SourceState['kind'];
  readonly state: VisitStateName;
}

/** How what is known of a file or an agent stands. Pure. */
export function visitState(source: SourceState, now: number): VisitState {
  return { what: source.kind, state: stateOf(source, now), ...currencyOf(source) };
}

/** The same without a word for it, which needs no clock; null where nothing is known. */
export function currencyOf(source: SourceState | undefined) {
  return {
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
  if (source.lastOutcome === 'absent') return 'absent';
  if (source.lastSuccessAt === undefined) return 'unread';
  return isReadLongAgo(source, now) ? 'stale' : 'fresh';
}

function timeOf(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
