import { setTimeout as pause } from 'node:timers/promises';
import {
  type ClockMark,
  confirmedMark,
  isBehind,
  jumpOf,
  nextMark,
  settledAt,
} from '../../../../domain/clock-mark.ts';
import type { RecordsClock } from '../../../../ports/clock.ts';
import { tryLock } from '../../locks.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { prepare } from '../../statements.ts';
import { keptValue, replacedValue } from './kept-values.ts';
import { clearStrayTimes } from './stray-times.ts';

/** Between two looks at the time, milliseconds. */
const LOOK_MS = 60_000;
/** Of many processes that look, one writes what it saw within this time. */
const WRITTEN_MS = 30_000;
/** An answer that took longer says less of the time: the quickest of three tries counts. */
const QUICK_MS = 200;
const TRIES = 3;
/** To clear what a wrong clock left reads every source. */
const LIMITS = { longMs: 60 * 60_000 };
/** Whoever opens the records waits no longer for that; it goes on. */
const OPENING_MS = 5_000;
/** Where the mark is kept. */
const NAME = 'clock';

/** Until it is closed it looks at the time, and may write what it sees. */
interface OpenedClock extends RecordsClock {
  close(): void;
}

/** A moment by the records, with what the process's own clock, which nobody sets, showed then. */
interface Moment {
  readonly at: number;
  readonly steadyAt: number;
}

/**
 * The clock that all processes on these records share. `ask` asks the server that has them: its time goes on by a clock
 * that nobody sets until it is asked again a minute later, so neither a machine that is ahead nor one whose clock is set
 * makes a difference. Without `ask` the records are a file, and the clock is that of the machine. What was seen of the
 * time is kept in the records. Where they cannot be read, or the server is away, the last time that is known goes on.
 */
export async function openRecordsClock(store: SqlStore, ask?: () => Promise<number>): Promise<OpenedClock> {
  const marks = createMarks(store);
  let base: Moment | undefined;
  let mark: ClockMark | undefined;
  let looked: Moment | undefined;

  const now = () =>
    base === undefined ? Date.now() : Math.floor(base.at + performance.now() - base.steadyAt);
  /** Before anything was seen of the time nothing is settled. */
  const settled = () => {
    if (looked === undefined || mark === undefined) return 0;
    const watched = looked.at + performance.now() - looked.steadyAt;
    return settledAt(mark, now(), Math.floor(watched));
  };
  const look = async (mostMs?: number): Promise<void> => {
    if (ask !== undefined) base = await quickest(ask);
    const steadyAt = performance.now();
    const watched = looked && Math.floor(looked.at + steadyAt - looked.steadyAt);
    const before = await store.read(marks.read);
    mark = before === undefined ? confirmedMark(now()) : nextMark(before, now(), watched);
    looked = { at: mark.settledAt, steadyAt };
    if (store.readOnly || !isNews(before, mark)) return;
    const kept = marks.keep(now(), watched).then((known) => {
      mark = known;
    });
    await (mostMs === undefined ? kept : Promise.race([kept, pause(mostMs, undefined, { ref: false })]));
  };
  // whatever is wrong with the store is told by whoever uses it; the time goes on as it was known
  await look(OPENING_MS).catch(() => {});
  const timer = setInterval(() => void look().catch(() => {}), LOOK_MS);
  timer.unref();
  return {
    now,
    settled,
    state: () => ({
      skewMs: base === undefined ? 0 : Date.now() - now(),
      jumpMs: mark === undefined ? 0 : jumpOf(mark, now()),
    }),
    async confirm() {
      mark = await marks.confirm(now());
      looked = { at: mark.settledAt, steadyAt: performance.now() };
    },
    close: () => clearInterval(timer),
  };
}

async function quickest(ask: () => Promise<number>): Promise<Moment> {
  let best: (Moment & { readonly tookMs: number }) | undefined;
  for (let tries = 0; tries < TRIES && (best?.tookMs ?? Number.POSITIVE_INFINITY) > QUICK_MS; tries += 1) {
    const askedAt = performance.now();
    const at = await ask();
    const steadyAt = performance.now();
    const tookMs = steadyAt - askedAt;
    if (best === undefined || tookMs < best.tookMs) best = { at: at + tookMs / 2, steadyAt, tookMs };
  }
  return best as Moment;
}

/** What the records remember of the time: one value in the table of kept values. */
function createMarks(store: SqlStore) {
  const select = prepare(store, keptValue);
  const put = prepare(store, replacedValue);
  function* read(): SqlTask<ClockMark | undefined> {
    const row = yield* select.first({ name: NAME });
    return row && (JSON.parse(Buffer.from(row.value).toString()) as ClockMark);
  }
  function* write(mark: ClockMark): SqlTask<ClockMark> {
    yield* put.run({ name: NAME, value: Buffer.from(JSON.stringify(mark)) });
    return mark;
  }
  /** Keeps what is new, and clears what a clock that was ahead has left when it was put back; unless another process is at it. */
  function* keep(now: number, watched: number | undefined): SqlTask<ClockMark> {
    const isMine = yield* tryLock(store, 'clock');
    const before = yield* read();
    const mark = before === undefined ? confirmedMark(now) : nextMark(before, now, watched);
    if (!isMine) return mark;
    if (mark.putBack?.at === now) yield* clearStrayTimes(store, now, isBehind(mark.settledAt, now));
    return yield* write(mark);
  }
  return {
    read,
    keep: (now: number, watched: number | undefined) => store.transaction(() => keep(now, watched), LIMITS),
    /** What lies in the future is then of a clock that was ahead. */
    confirm: (now: number) =>
      store.transaction(function* () {
        yield* clearStrayTimes(store, now, false);
        return yield* write(confirmedMark(now));
      }, LIMITS),
  };
}

function isNews(before: ClockMark | undefined, next: ClockMark): boolean {
  return (
    before?.isAhead !== next.isAhead ||
    before.putBack?.at !== next.putBack?.at ||
    next.latestAt - before.latestAt >= WRITTEN_MS ||
    next.settledAt - before.settledAt >= WRITTEN_MS
  );
}
