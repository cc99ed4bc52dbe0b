import type { RecordsClock } from '../../ports/clock.ts';
import type { RecordsDatabase } from '../database.ts';
import { putJson, readJson } from './kept-values.ts';

/* The clock that all processes on the same records share, so that the clock of one machine decides no lease. */

const HOUR_MS = 3_600_000;
/** How often the time is checked. */
const CHECK_MS = 60_000;
/** Of many processes that check the time, one writes it in this interval. */
const WRITE_MS = HOUR_MS;
/** A clock that is further ahead of the stored time has jumped. A smaller gap means that the registry was off. */
const MAX_GAP_MS = 35 * 24 * HOUR_MS;
/** The name of the kept value. */
const NAME = 'clock';

/** Checks the time, and may write it, until it is closed. */
interface OpenedClock extends RecordsClock {
  close(): void;
}

/**
 * `ask` returns the time of the database server; in between, the monotonic clock of the process continues it. Without `ask`
 * the records are a file, and the clock is that of the machine. While the server is unavailable, the last known time
 * continues.
 */
export async function openRecordsClock(
  database: RecordsDatabase,
  ask?: () => Promise<number>,
): Promise<OpenedClock> {
  /** The time of the server, minus what `performance.now()` showed then. */
  let serverOffset: number | undefined;
  /** The latest plausible time that the records have seen; undefined until they could be read. */
  let seenAt: number | undefined;

  const now = () => (serverOffset === undefined ? Date.now() : Math.floor(serverOffset + performance.now()));
  const write = (settledAt: number) => database.transaction((db) => putJson(db, NAME, { settledAt }));
  async function check(): Promise<void> {
    if (ask !== undefined) serverOffset = await offsetOf(ask);
    const stored = await database.read((db) => readJson<{ readonly settledAt: number }>(db, NAME));
    const at = now();
    seenAt = settledTime(stored?.settledAt ?? at, at);
    const isOld = stored === undefined || seenAt - stored.settledAt >= WRITE_MS;
    if (isOld && !database.readOnly) await write(seenAt);
  }
  // an error of the database is reported by its other users
  await check().catch(() => {});
  const timer = setInterval(() => void check().catch(() => {}), CHECK_MS);
  timer.unref();
  return {
    now,
    settled: () => (seenAt === undefined ? 0 : settledTime(seenAt, now())),
    skewMs: () => (serverOffset === undefined ? 0 : Date.now() - now()),
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

/** The answer is assumed to be from the middle of the request. */
async function offsetOf(ask: () => Promise<number>): Promise<number> {
  const askedAt = performance.now();
  const at = await ask();
  return at - (askedAt + performance.now()) / 2;
}
