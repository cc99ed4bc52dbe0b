import { withLease } from '../src/index/generations/with-lease.ts';
import type { MovedBodies } from '../src/ports/body-store.ts';
import type { Clock } from '../src/ports/clock.ts';
import type { PruneCounts, Records } from '../src/ports/records.ts';

/** A mover that was killed keeps the next one waiting for so long. */
const LEASE_MS = 5 * 60_000;

interface Pruned {
  readonly counts: PruneCounts;
  /** Absent: bodies stay in the records, or another process is moving them. */
  readonly moved?: MovedBodies;
  /** Why bodies were not moved, or not all of them. The next time goes on. */
  readonly fault?: unknown;
}

/**
 * Deletes what is past its time, and moves bodies out of the records where a store for them is configured. A store that is
 * away costs nothing but time: bodies stay in the records until it is back.
 *
 * @param now by which time history is old, epoch milliseconds
 */
export async function pruneAndMove(records: Records, clock: Clock, now: number): Promise<Pruned> {
  const counts = await records.prune(now);
  const wanted = { leases: records.leases, clock, name: 'bodies', leaseMs: LEASE_MS };
  try {
    const work = await withLease(wanted, (stillOurs) => records.moveBodies(now, stillOurs));
    return { counts, ...('done' in work && work.done && { moved: work.done }) };
  } catch (fault) {
    return { counts, fault };
  }
}
