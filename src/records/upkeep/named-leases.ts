import { randomUUID } from 'node:crypto';
import type { HeldBy, NamedLease, NamedLeases } from '../../ports/named-leases.ts';
import { LONGEST_LEASE_MS } from '../locks.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';

interface Wanted {
  readonly name: string;
  readonly holder: string;
  readonly token: string;
  /** Of takings that are ours as far as we know. */
  readonly ours: readonly string[];
  readonly now: number;
  readonly far: number;
  readonly until: number;
}

/**
 * Leases on work that one process at a time does; a fence only ever grows. Each taking has a token: when the answer to
 * its commit was lost and it is done again, or is given up and tried anew later, nobody waits for himself.
 */
export function createNamedLeases(store: SqlStore): NamedLeases {
  const takeFree = prepare(store, takenLease);
  const select = prepare(store, leaseByName);
  const prolong = prepare(store, prolongedLease);
  const free = prepare(store, freedLease);
  const doubtful = new Map<string, readonly string[]>(); // takings that failed and may be kept all the same, by name
  function* takeOrSee(wanted: Wanted): SqlTask<NamedLease | HeldBy> {
    const { name, now, until } = wanted;
    const taken = yield* takeFree.first(wanted);
    if (taken !== undefined) return { name, fence: taken.fence, until };
    const held = yield* select.first({ name });
    return { holder: held?.holder ?? '', until: held?.until ?? now };
  }
  return {
    async take(name, holder, now, leaseMs) {
      const token = randomUUID();
      const ours = [token, ...(doubtful.get(name) ?? [])];
      const wanted = { name, holder, token, ours, now, far: now + LONGEST_LEASE_MS, until: now + leaseMs };
      try {
        const taken = await store.transaction(() => takeOrSee(wanted));
        doubtful.delete(name);
        return taken;
      } catch (error) {
        doubtful.set(name, ours);
        throw error;
      }
    },
    async heldBy(name, now) {
      const held = await store.read(() => select.first({ name }));
      return held !== undefined && held.until > now && held.until <= now + LONGEST_LEASE_MS
        ? held
        : undefined;
    },
    async renew(lease, now, leaseMs) {
      const until = now + leaseMs;
      const { name, fence } = lease;
      const kept = await store.transaction(() => prolong.run({ name, fence, now, until }));
      return kept === 0 ? undefined : ({ name, fence, until } satisfies NamedLease);
    },
    async release({ name, fence }) {
      await store.transaction(() => free.run({ name, fence }));
    },
  };
}

function takenLease(param: Param<Wanted>) {
  return sql
    .insertInto('named_lease')
    .values({
      name: param('name'),
      holder: param('holder'),
      token: param('token'),
      fence: 1,
      until: param('until'),
    })
    .onConflict((known) =>
      known
        .column('name')
        .doUpdateSet((row) => ({
          holder: row.ref('excluded.holder'),
          token: row.ref('excluded.token'),
          until: row.ref('excluded.until'),
          fence: row('named_lease.fence', '+', 1),
        }))
        .where((row) =>
          row.or([
            row('named_lease.until', '<=', param('now')),
            row('named_lease.until', '>', param('far')),
            row('named_lease.token', 'in', param.list('ours')),
          ]),
        ),
    )
    .returning('fence');
}

function leaseByName(param: Param<{ name: string }>) {
  return sql.selectFrom('named_lease').select(['holder', 'until']).where('name', '=', param('name'));
}

function prolongedLease(param: Param<{ name: string; fence: number; now: number; until: number }>) {
  return sql
    .updateTable('named_lease')
    .set({ until: param('until') })
    .where('name', '=', param('name'))
    .where('fence', '=', param('fence'))
    .where('until', '>', param('now'));
}

function freedLease(param: Param<{ name: string; fence: number }>) {
  return sql
    .updateTable('named_lease')
    .set({ until: 0 })
    .where('name', '=', param('name'))
    .where('fence', '=', param('fence'));
}
