import { FETCH_CODES } from '../../discovery/check/fetch-codes.ts';
import { FINDING_CODES } from '../../discovery/finding-codes.ts';
import { isReadLongAgo } from '../../discovery/schedule.ts';
import { ERROR_TEXTS, type ErrorClass } from '../../domain/observation.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { SourceKind, SourceState } from '../../domain/source.ts';

/**
 * `fresh`: read recently. `stale`: last read more than two visit intervals ago, and still in use. `absent`: no such file.
 * `unread`: visited, but never read successfully. `unseen`: never visited.
 */
const VISIT_STATES = ['fresh', 'stale', 'absent', 'unread', 'unseen'] as const;
type VisitStateName = (typeof VISIT_STATES)[number];

/**
 * The state of a file or an agent, the same in every operation and command: last success, last try, error code, next visit.
 * Times are RFC 3339.
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

/** The state of a file or an agent; `source` is undefined for one that was never visited. Pure. */
export function visitState(what: SourceKind, source: SourceState | undefined, now: number): VisitState {
  return {
    what,
    state: source === undefined ? 'unseen' : stateOf(source, now),
    last_good_at: timeOf(source?.lastSuccessAt),
    last_tried_at: timeOf(source?.lastVisitAt),
    outcome: source?.lastOutcome ?? null,
    // the code alone: its detail may describe our own network
    why: source?.lastError?.code ?? null,
    next_at: timeOf(source?.nextVisitAt),
  };
}

/** A visit with its error code as sentences, and the time from which another one can be requested, if that is later than now. */
export function shownVisit<T extends VisitState>(visit: T, cooldownMs: number, now: number) {
  const { what, why, outcome, last_tried_at: tried, next_at: next } = visit;
  const known = why === null ? undefined : whyText(what, why);
  const from =
    outcome === 'throttled' && next !== null ? Date.parse(next) : Date.parse(tried ?? '') + cooldownMs;
  return {
    ...visit,
    ...(known && { reason: known.message, ...(known.hint !== undefined && { hint: known.hint }) }),
    ...(next !== null && Date.parse(next) <= now && { is_due: true }),
    ...(from > now && { check_from: new Date(from).toISOString() }),
  };
}

/** What the error code of a visit means, and what to do; undefined for a code without a sentence. */
export function whyText(
  what: SourceKind,
  code: string,
): { readonly message: string; readonly hint?: string } | undefined {
  if (Object.hasOwn(OF_THE_REGISTRY, code)) return OF_THE_REGISTRY[code];
  if (what === 'agent')
    return Object.hasOwn(ERROR_TEXTS, code) ? { message: ERROR_TEXTS[code as ErrorClass] } : undefined;
  const known = { ...FINDING_CODES, ...FETCH_CODES };
  const named = [code, code.replace(/^(http_\d)\d\d$/, '$1xx')].find((one) => Object.hasOwn(known, one));
  return named === undefined ? undefined : known[named as keyof typeof known];
}

/** Codes that say nothing about the site or the agent. */
const OF_THE_REGISTRY: Readonly<Record<string, { readonly message: string; readonly hint?: string }>> = {
  own_network: { message: "the registry's own network failed, so this does not count against the site" },
  probe_budget: { message: 'the probes of this domain for this hour are used up, so this one waits' },
};

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
