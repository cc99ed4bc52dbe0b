import { randomUUID } from 'node:crypto';
import { type Db, listOf, type RecordsDatabase } from '../database.ts';
import { isLeased, isLeaseOver } from '../locks.ts';

/* Leases on work that one process at a time does. A fence only ever grows. */

/** The right to do one piece of work alone until `until`; the fence of a late holder is outdated. */
export interface NamedLease {
  readonly name: string;
  readonly fence: number;
  /** Epoch milliseconds. */
  readonly until: number;
}

/** The holder of a lease, for a process that must wait. */
export interface HeldBy {
  readonly holder: string;
  readonly until: number;
}

/**
 * Leases on work that only one process at a time may do.
 *
 * Each attempt to take a lease has a token. If the answer to its commit was lost, the next attempt of this process
 * takes over the lease by that token instead of waiting for itself.
 */
export function createNamedLeases(database: RecordsDatabase) {
  /** Tokens of attempts that failed but may have been committed, by the name of the lease. */
  const uncertain = new Map<string, readonly string[]>();
  return {
    /** Takes the lease if it is free or has expired; otherwise returns its holder. */
    async take(name: string, holder: string, now: number, leaseMs: number) {
      const token = randomUUID();
      const ours = [token, ...(uncertain.get(name) ?? [])];
      try {
        const wanted = { name, holder, token, until: now + leaseMs };
        const taken = await database.transaction((db) => takeLease(db, wanted, ours, now));
        uncertain.delete(name);
        return taken;
      } catch (error) {
        uncertain.set(name, ours);
        throw error;
      }
    },
    /** The current holder of the lease; undefined if it is free. Takes nothing. */
    async heldBy(name: string, now: number) {
      const held = await database.read((db) => readLease(db, name));
      return held !== undefined && isLeased(held.until, now) ? held : undefined;
    },
    /** Extends the lease; undefined if it was lost meanwhile. */
    renew: (lease: NamedLease, now: number, leaseMs: number) =>
      database.transaction((db) => renewLease(db, lease, now, now + leaseMs)),
    /** Releases the lease; does nothing if it was lost. */
    release: (lease: NamedLease) => database.transaction((db) => releaseLease(db, lease)),
  };
}

export type NamedLeases = ReturnType<typeof createNamedLeases>;

async function takeLease(
  db: Db,
  wanted: { readonly name: string; readonly holder: string; readonly token: string; readonly until: number },
  ours: readonly string[],
  now: number,
): Promise<NamedLease | HeldBy> {
  const { name, holder, token, until } = wanted;
  const taken = await db
    .insertInto('named_lease')
    .values({ name, holder, token, fence: 1, until })
    .onConflict((known) =>
      known
        .column('name')
        .doUpdateSet((row) => ({ holder, token, until, fence: row('named_lease.fence', '+', 1) }))
        .where((row) =>
          row.or([
            isLeaseOver(row.ref('named_lease.until'), now),
            row('named_lease.token', 'in', listOf(db, ours)),
          ]),
        ),
    )
    .returning('fence')
    .executeTakeFirst();
  if (taken !== undefined) return { name, fence: taken.fence, until };
  const held = await readLease(db, name);
  return { holder: held?.holder ?? '', until: held?.until ?? now };
}

function readLease(db: Db, name: string): Promise<HeldBy | undefined> {
  return db.selectFrom('named_lease').select(['holder', 'until']).where('name', '=', name).executeTakeFirst();
}

async function renewLease(
  db: Db,
  { name, fence }: NamedLease,
  now: number,
  until: number,
): Promise<NamedLease | undefined> {
  const { numUpdatedRows } = await db
    .updateTable('named_lease')
    .set({ until })
    .where('name', '=', name)
    .where('fence', '=', fence)
    .where('until', '>', now)
    .executeTakeFirst();
  return numUpdatedRows > 0n ? { name, fence, until } : undefined;
}

async function releaseLease(db: Db, { name, fence }: NamedLease): Promise<void> {
  await db
    .updateTable('named_lease')
    .set({ until: 0 })
    .where('name', '=', name)
    .where('fence', '=', fence)
    .execute();
}
