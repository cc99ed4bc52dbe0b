import { backOffMs } from '../base/back-off.ts';
import type { KeptHeaders } from '../domain/capture.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { NewVisit, SourceKind, SourceState } from '../domain/source.ts';
import { cacheLifetime, fnv1a, retryAfterMs } from '../domain/text.ts';
import type { FileBounds } from './read-document.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** So long a revocation counts that has vanished, and a file is refused that has gone back in time. */
export const HOLD_MS = 7 * DAY;
/** How long nothing is asked after a visit that went well: probes hourly, files every six hours, claims daily. */
const INTERVALS: Record<SourceKind, number> = { adagents: 6 * HOUR, brand: 6 * HOUR, ard: DAY, agent: HOUR };
/** Cache-Control is honoured within these. */
const LEAST_LIFETIME = HOUR;
const LONGEST = DAY;
/** A domain that never published is asked for daily for a week, then after 7, 14, 28 and 30 days: most known names are such. */
const DAILY_VISITS = 8;
const RARELY = 7 * DAY;
const RAREST = 30 * DAY;
/** Candidates of a list by rank that nobody has named yet: those up to a rank are asked for again so often. */
const RHYTHM_BY_RANK: readonly (readonly [upTo: number, everyMs: number])[] = [
  [100_000, RARELY],
  [1_000_000, 2 * RARELY],
];
/** A file that says nothing of how long it is good for is, for a tenth of its age (RFC 9111, section 4.2.2). */
const SHARE_OF_AGE = 0.1;
/** What says that nothing is there, or nobody who speaks to us. A broken file is something, and is waited for. */
const NOTHING: ReadonlySet<Outcome> = new Set(['absent', 'unreachable', 'refused']);
/** After a fault of ours there is no haste, and nothing to wait for either. */
const OWN_FAULT = 10 * MINUTE;
/** Up to this part of the delay is added by key, so that what was found together is not due together. */
const JITTER = 0.05;

/** Raised whenever the readers, or what is derived from a declaration, make something else of the same bytes. */
export const READER_VERSION = 8;

export interface VisitHistory {
  readonly kind: SourceKind;
  /** The source's key; decides its jitter and nothing else. */
  readonly key: string;
  readonly outcome: Outcome;
  /** Of the last answer, where there was one. */
  readonly headers?: KeptHeaders | undefined;
  /** Of the file that was read, or that is unchanged. */
  readonly lastModified?: string | undefined;
  /** Visits in a row, before this one, that brought nothing usable. */
  readonly failures: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** What an agent's Retry-After asked for, epoch milliseconds. */
  readonly retryAt?: number;
  /** Since when the file has been gone; the visit that can end its grace is not put off beyond it. */
  readonly absentSince?: number;
  /** Since when its pointer has led to another site; the same goes for the visit that can follow it. */
  readonly movedSince?: number;
  /** This visit looked for every file of its domain, and none of them was ever read. */
  readonly neverPublished?: boolean;
  /** A page for people was answered: who parks a name, or answers so to any path, publishes nothing. */
  readonly isPage?: boolean;
  /** What first named it. */
  readonly foundVia?: string;
}

/**
 * When to come back; the only place that knows. After a good visit the interval of the kind; for a file what
 * Cache-Control says within 1 h to 24 h, or else a tenth of its age within 6 h to 24 h. After anything else the interval,
 * doubled for each failure before, up to 24 h; never earlier than Retry-After (RFC 9110, section 10.2.3) asks, of which
 * at most 24 h count. Only a domain that never published is put off further.
 */
export function nextVisit(history: VisitHistory): { readonly at: number; readonly failures: number } {
  const isGood = history.outcome === 'indexed' || history.outcome === 'unchanged';
  const failures = isGood ? 0 : history.failures + 1;
  const isNothing = NOTHING.has(history.outcome) || history.isPage === true;
  const seldom = history.neverPublished === true && isNothing ? seldomMs(history) : 0;
  if (seldom > 0) return { at: history.now + jittered(seldom, history.key, RAREST), failures };
  const delay = isGood ? lifetime(history) : delayAfterFailure(history, failures);
  const spread = Math.min(jittered(delay, history.key, LONGEST), waitOf(history));
  return { at: Math.round(history.now + Math.max(spread, asked(history))), failures };
}

/**
 * When to come back to an agent whose domain has had its probes for this hour: early in the next one. It has done
 * nothing wrong, so nothing is counted against it.
 */
export function nextHour(key: string, now: number): number {
  return Math.floor(now / HOUR + 1) * HOUR + Math.round(HOUR * JITTER * fraction(key));
}

/** When to come back to an agent that our own network kept us from. Nothing is counted against it. */
export function afterOwnFault(key: string, now: number): number {
  return now + Math.round(OWN_FAULT * (1 + JITTER * fraction(key)));
}

export interface Absence {
  /** When the file was first seen to be gone, epoch milliseconds. */
  readonly absentSince: number;
  /** Visits since then that found it gone, the first included. */
  readonly absentVisits: number;
  readonly now: number;
}

/**
 * Whether a file that answers 404 or 410 ends what it had said: after 24 h and at least two visits. No other
 * failure ever does.
 */
export function absenceEnds({ absentSince, absentVisits, now }: Absence): boolean {
  return absentVisits >= 2 && now - absentSince >= DAY;
}

/** How long a domain is left alone that never published; 0: its days are not over. */
function seldomMs({ foundVia, failures }: VisitHistory): number {
  const rank = /^rank ([<>]=?\d+)$/.exec(foundVia ?? '')?.[1];
  if (rank !== undefined) return RHYTHM_BY_RANK.find(([upTo]) => rank === `<=${upTo}`)?.[1] ?? RAREST;
  const seldom = failures + 1 - DAILY_VISITS;
  return seldom > 0 ? backOffMs(seldom, RARELY, RAREST) : 0;
}

/**
 * A candidate of a list by rank (1 is the first): the best come first, so many a day, and what named it says how often it
 * will be asked for. Undefined when its turn would come later than any visit is put off.
 */
export function candidateVisit(
  { key, rank }: { readonly key: string; readonly rank: number },
  perDay: number,
  now: number,
): NewVisit | undefined {
  const wait = Math.floor(((rank - 1) / perDay) * DAY);
  if (wait >= RAREST) return undefined;
  const upTo = RHYTHM_BY_RANK.find(([most]) => rank <= most)?.[0];
  const foundVia = upTo === undefined ? `rank >${RHYTHM_BY_RANK.at(-1)?.[0]}` : `rank <=${upTo}`;
  return { kind: 'domain', key, foundVia, dueAt: now + wait };
}

function jittered(delay: number, key: string, longest: number): number {
  return Math.round(Math.min(delay * (1 + JITTER * fraction(key)), longest));
}

function lifetime({ kind, headers, lastModified, now }: VisitHistory): number {
  if (kind === 'agent') return INTERVALS[kind];
  const declared = cacheLifetime(headers ?? {});
  if (declared !== undefined) return Math.min(Math.max(declared, LEAST_LIFETIME), LONGEST);
  const age = lastModified === undefined ? 0 : now - Date.parse(lastModified);
  return Math.min(Math.max(age * SHARE_OF_AGE || 0, INTERVALS[kind]), LONGEST);
}

function delayAfterFailure({ kind, outcome, absentSince, now }: VisitHistory, failures: number): number {
  const delay = backOffMs(failures, INTERVALS[kind], LONGEST);
  const graceLeft = absentSince === undefined || outcome !== 'absent' ? 0 : absentSince + DAY - now;
  return graceLeft > 0 ? Math.min(delay, graceLeft) : delay;
}

/** What is left of the day for which a pointer to another site waits, an hour at least. */
function waitOf({ movedSince = -Infinity, now }: VisitHistory): number {
  const left = movedSince + DAY - now;
  return left > 0 ? Math.max(left, HOUR) : LONGEST;
}

function asked({ headers, retryAt, now }: VisitHistory): number {
  const wait = Math.max(retryAfterMs(headers?.['retry-after'], now) ?? 0, (retryAt ?? now) - now);
  return Math.min(Math.max(wait, 0), LONGEST);
}

/** A number in [0, 1) that is always the same for a key. */
function fraction(key: string): number {
  return fnv1a(key) / 2 ** 32;
}

type Times = 'failures' | 'nextVisitAt' | 'lastVisitAt' | 'lastSuccessAt' | 'firstSeenAt';
type LastReadSource = { readonly kind?: SourceKind } & Pick<SourceState, Times>;

/**
 * Whether a file or an agent was last read longer ago than two intervals: what was seen then still counts, and is called
 * stale. The interval is that of the last good visit, which Cache-Control may have made longer.
 */
export function isReadLongAgo(source: LastReadSource, now: number): boolean {
  const { failures, nextVisitAt, lastVisitAt } = source;
  const { kind = 'adagents', lastSuccessAt = source.firstSeenAt } = source;
  const asked = failures === 0 && lastVisitAt !== undefined ? nextVisitAt - lastVisitAt : 0;
  return now > lastSuccessAt + 2 * Math.max(INTERVALS[kind], Math.min(asked, LONGEST));
}

/**
 * How a file was read. It ends a declaration's content hash: under another reader or other bounds the same bytes may say
 * something else, so they are asked for in full and read anew.
 */
export function readingMark({ maxAgents, maxDomains, ...others }: FileBounds): string {
  const raised = Object.entries(others).map(([name, bound]) => `,${name}=${bound}`);
  return `@${READER_VERSION},${maxAgents},${maxDomains}${raised.join('')}`;
}
