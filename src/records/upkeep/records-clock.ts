import type { RecordsClock } from '../../ports/clock.ts';
import type { SqlStore } from '../sql-tasks.ts';
import { prepare } from '../statements.ts';
import { keptValue, replacedValue } from './kept-values.ts';

const HOUR = 3_600_000;
/** Between two looks at the time, milliseconds. */
const LOOK_MS = 60_000;
/** Of many processes that look, one writes the time within this. */
const WRITTEN_MS = HOUR;
/** A clock further ahead of the time that the records have seen has jumped. Less is a registry that was off. */
const MAX_GAP_MS = 35 * 24 * HOUR;
/** The name of the kept value. */
const NAME = 'clock';

/** Until it is closed it looks at the time, and may write it. */
interface OpenedClock extends RecordsClock {
  close(): void;
}

/** A moment by the records, and what the process's monotonic clock showed then. */
interface Moment {
  readonly at: number;
  readonly steadyAt: number;
}

/**
 * The clock that all processes on these records share. `ask` returns the time of the database server, which is asked every
 * minute and carried on by the monotonic clock, so that the clock of a machine decides no lease. Without `ask` the records are
 * a file, and the clock is that of the machine. Where the server is away, the last time that is known goes on.
 */
export async function openRecordsClock(store: SqlStore, ask?: () => Promise<number>): Promise<OpenedClock> {
  const select = prepare(store, keptValue);
  const put = prepare(store, replacedValue);
  let base: Moment | undefined;
  /** The latest time that the records have seen and believed; undefined before they could be read. */
  let seenAt: number | undefined;

  const now = () =>
    base === undefined ? Date.now() : Math.floor(base.at + performance.now() - base.steadyAt);
  const write = async (settledAt: number): Promise<void> => {
    const value = Buffer.from(JSON.stringify({ settledAt }));
    await store.transaction(() => put.run({ name: NAME, value }));
  };
  const look = async (): Promise<void> => {
    if (ask !== undefined) base = await momentOf(ask);
    const row = await store.read(() => select.first({ name: NAME }));
    const before = row && (JSON.parse(Buffer.from(row.value).toString()) as { readonly settledAt: number });
    const at = now();
    seenAt = settledTime(before?.settledAt ?? at, at);
    const isNews = before === undefined || seenAt - before.settledAt >= WRITTEN_MS;
    if (isNews && !store.readOnly) await write(seenAt);
  };
  // a store that cannot be used is reported by its users; the time goes on as it was known
  await look().catch(() => {});
  const timer = setInterval(() => void look().catch(() => {}), LOOK_MS);
  timer.unref();
  return {
    now,
    settled: () => (seenAt === undefined ? 0 : settledTime(seenAt, now())),
    skewMs: () => (base === undefined ? 0 : Date.now() - now()),
    async confirm() {
      seenAt = now();
      await write(seenAt);
    },
    close: () => clearInterval(timer),
  };
}

function settledTime(seenAt: number, now: number): number {
  return now - seenAt > MAX_GAP_MS ? seenAt : Math.max(seenAt, now);
}

async function momentOf(ask: () => Promise<number>): Promise<Moment> {
  const askedAt = performance.now();
  const at = await ask();
  const steadyAt = performance.now();
  return { at: at + (steadyAt - askedAt) / 2, steadyAt };
}
