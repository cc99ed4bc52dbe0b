import type { NamedLease, NamedLeases } from '../../../ports/named-leases.ts';
import { type Place, prepare, sql } from '../prepared.ts';
import type { SqlStore } from '../sql-store.ts';

interface Wanted {
  readonly name: string;
  readonly holder: string;
  readonly now: number;
  readonly until: number;
}

/** Leases on work that one process at a time does; a fence only ever grows. */
export function createNamedLeases(store: SqlStore): NamedLeases {
  const takeFree = prepare(store, takenLease);
  const select = prepare(store, leaseByName);
  const prolong = prepare(store, prolongedLease);
  const free = prepare(store, freedLease);
  return {
    take: (name, holder, now, leaseMs) =>
      store.transaction(function* () {
        const until = now + leaseMs;
        const taken = yield* takeFree.get({ name, holder, now, until });
        if (taken !== undefined) return { name, fence: taken.fence, until };
        const held = yield* select.get({ name });
        return { holder: held?.holder ?? '', until: held?.until ?? now };
      }),
    async heldBy(name, now) {
      const held = await store.read(() => select.get({ name }));
      return held !== undefined && held.until > now ? held : undefined;
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

function takenLease(place: Place<Wanted>) {
  return sql
    .insertInto('named_lease')
    .values({ name: place('name'), holder: place('holder'), fence: 1, until: place('until') })
    .onConflict((known) =>
      known
        .column('name')
        .doUpdateSet((row) => ({
          holder: row.ref('excluded.holder'),
          until: row.ref('excluded.until'),
          fence: row('named_lease.fence', '+', 1),
        }))
        .where('named_lease.until', '<=', place('now')),
    )
    .returning('fence');
}

function leaseByName(place: Place<{ name: string }>) {
  return sql.selectFrom('named_lease').select(['holder', 'until']).where('name', '=', place('name'));
}

function prolongedLease(place: Place<{ name: string; fence: number; now: number; until: number }>) {
  return sql
    .updateTable('named_lease')
    .set({ until: place('until') })
    .where('name', '=', place('name'))
    .where('fence', '=', place('fence'))
    .where('until', '>', place('now'));
}

function freedLease(place: Place<{ name: string; fence: number }>) {
  return sql
    .updateTable('named_lease')
    .set({ until: 0 })
    .where('name', '=', place('name'))
    .where('fence', '=', place('fence'));
}
