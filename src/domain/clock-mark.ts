const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** What the records remember of the time; epoch milliseconds. */
export interface ClockMark {
  /** How far time was seen to come: what cannot be undone goes by it. */
  readonly settledAt: number;
  /** The latest time that any process worked by. */
  readonly latestAt: number;
  /** The clock is ahead of what was seen to pass, and nobody has confirmed it. */
  readonly isAhead: boolean;
  /** When the clock was last put back, by itself, and by how much. */
  readonly putBack?: { readonly at: number; readonly byMs: number };
}

/** Less than this is no jump: clocks are adjusted, and processes are slow. */
const TOLERANCE_MS = MINUTE;
/** Beyond this a clock has jumped while a process watched it. Less is a machine that slept. */
const WATCHED_JUMP_MS = DAY;
/** Beyond this it has jumped while none did. Less is a registry that was off. */
const UNWATCHED_JUMP_MS = 35 * DAY;

/** The time as it is settled when nothing is known yet, or when an operator says so. */
export function confirmedMark(now: number): ClockMark {
  return { settledAt: now, latestAt: now, isAhead: false };
}

/**
 * What is known of the time after another look at the clock. `watched` is what was settled at the process's last look and
 * the time that has passed since by a clock that nobody sets; absent at its first look. A clock that is put back unsettles
 * nothing.
 */
export function nextMark(before: ClockMark, now: number, watched?: number): ClockMark {
  const settled = settledAt(before, now, watched);
  const isPutBack = wasPutBack(before, now);
  const putBack = isPutBack ? { at: now, byMs: before.latestAt - now } : before.putBack;
  return {
    settledAt: Math.max(settled, before.settledAt),
    latestAt: isPutBack ? now : Math.max(before.latestAt, now),
    isAhead: settled < now,
    ...(putBack && { putBack }),
  };
}

/** What is settled now: the time itself, unless it has jumped ahead, or lies behind what was seen to pass. */
export function settledAt(mark: ClockMark, now: number, watched?: number): number {
  const seen = Math.max(mark.settledAt, watched ?? 0);
  return isBehind(seen, now) || now - seen > longestGap(mark, now, watched) ? seen : now;
}

/** Whether the clock is behind a time that was settled: it was put back wrongly, or that time was wrong. */
export function isBehind(settled: number, now: number): boolean {
  return settled - now > TOLERANCE_MS;
}

function wasPutBack({ latestAt }: ClockMark, now: number): boolean {
  return isBehind(latestAt, now);
}

/** How far a clock may be ahead of what was seen to pass and be believed; after a jump it has to be put back first. */
function longestGap(mark: ClockMark, now: number, watched: number | undefined): number {
  if (mark.isAhead && !wasPutBack(mark, now)) return TOLERANCE_MS;
  return watched === undefined ? UNWATCHED_JUMP_MS : WATCHED_JUMP_MS;
}

/** How far the time has jumped ahead; negative while it is behind what is settled, and for a day after it was put back. */
export function jumpOf({ settledAt: settled, isAhead, putBack }: ClockMark, now: number): number {
  if (isAhead) return Math.max(now - settled, 0);
  if (isBehind(settled, now)) return now - settled;
  return putBack !== undefined && Math.abs(now - putBack.at) < DAY ? -putBack.byMs : 0;
}
