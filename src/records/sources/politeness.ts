import { sql } from 'kysely';
import { type Db, greatest, listOf, type RecordsDatabase, tableOf } from '../database.ts';
import { LONGEST_LEASE_MS } from '../locks.ts';

/** How long a turn that work for a caller had is kept free for the visit of ours that wanted it, milliseconds. */
const WANTED_MS = 60_000;

/**
 * The turns of registrable domains: one process at a time visits a domain, and leaves a pause before the next visit. A
 * row says who has the turn until when, or, without a holder, from when it is free. A turn that is not released
 * expires. Work for callers gets no turn while a visit of the registry itself waits for one (`isWanted`).
 *
 * Workers make these calls all the time, so each is one statement for all of its domains.
 */
export function createPoliteness(database: RecordsDatabase) {
  return {
    /**
     * Takes the turns of those domains that no other holder has; a holder can take its own again. `yields`: for work on
     * behalf of a caller. A claim for a visit of the registry itself marks the turns as wanted that such work holds.
     */
    async claim(
      domains: readonly string[],
      holder: string,
      now: number,
      leaseMs: number,
      { yields = false }: { readonly yields?: boolean } = {},
    ): Promise<ReadonlySet<string>> {
      if (domains.length === 0) return new Set();
      return database.transaction(async (db) => {
        const wanted = [...new Set(domains)].sort(); // processes lock the rows in one order
        const taken = await takeTurns(db, wanted, { holder, now, until: now + leaseMs, yields });
        const missed = wanted.filter((domain) => !taken.has(domain));
        if (!yields && missed.length > 0) await markWanted(db, missed, now);
        return taken;
      });
    },
    /** Whether a visit of the registry itself waits for this turn. */
    isWanted: (domain: string, now: number) =>
      database.read(async (db) => {
        const wanted = await db
          .selectFrom('domain_turn')
          .select('registrable_domain')
          .where('registrable_domain', '=', domain)
          .where('wanted_until', '>', now)
          .where('wanted_until', '<=', now + WANTED_MS)
          .executeTakeFirst();
        return wanted !== undefined;
      }),
    /** Releases turns; no holder gets them before `freeAt` (epoch milliseconds). */
    async release(domains: readonly string[], holder: string, freeAt: number) {
      if (domains.length > 0) await database.transaction((db) => freeTurns(db, domains, holder, freeAt));
    },
  };
}

export type Politeness = ReturnType<typeof createPoliteness>;

interface Turn {
  readonly holder: string;
  readonly now: number;
  readonly until: number;
  readonly yields: boolean;
}

/**
 * Takes turns that have ended, and the holder's own; returns the domains. A holder's own turn is never made shorter: some
 * of its work needs it for longer.
 */
async function takeTurns(
  db: Db,
  domains: readonly string[],
  { holder, now, until, yields }: Turn,
): Promise<ReadonlySet<string>> {
  const far = now + LONGEST_LEASE_MS;
  const taken = await db
    .insertInto('domain_turn')
    .columns(['registrable_domain', 'holder', 'until', 'yields', 'wanted_until'])
    .expression(
      db
        .selectFrom(tableOf(db, domains))
        .select((row) => [
          row.ref('listed.value').as('registrable_domain'),
          row.cast<string>(row.val(holder), 'text').as('holder'),
          row.cast<number>(row.val(until), 'bigint').as('until'),
          row.lit(yields ? 1 : 0).as('yields'),
          row.lit(0).as('wanted_until'),
        ])
        .where(sql<boolean>`true`), // or SQLite reads ON CONFLICT as the join's (https://www.sqlite.org/lang_upsert.html)
    )
    .onConflict((known) =>
      known
        .column('registrable_domain')
        .doUpdateSet((row) => ({
          holder: row.ref('excluded.holder'),
          until: row
            .case()
            .when(
              row.and([
                row('domain_turn.holder', '=', row.ref('excluded.holder')),
                row('domain_turn.until', '<=', far),
              ]),
            )
            .then(greatest(db, row.ref('domain_turn.until'), row.ref('excluded.until')))
            .else(row.ref('excluded.until'))
            .end(),
          yields: row.ref('excluded.yields'),
          wanted_until: 0,
        }))
        .where((row) =>
          row.or([
            row('domain_turn.until', '<=', now),
            row('domain_turn.until', '>', far),
            row('domain_turn.holder', '=', row.ref('excluded.holder')),
          ]),
        )
        .where((row) =>
          row.or([
            row('excluded.yields', '=', 0),
            row('domain_turn.wanted_until', '<=', now),
            row('domain_turn.wanted_until', '>', now + WANTED_MS),
          ]),
        ),
    )
    .returning('registrable_domain')
    .execute();
  return new Set(taken.map((row) => row.registrable_domain));
}

/** Notes that a visit of the registry waits for turns that work for callers has. */
async function markWanted(db: Db, domains: readonly string[], now: number): Promise<void> {
  await db
    .updateTable('domain_turn')
    .set({ wanted_until: now + WANTED_MS })
    .where('registrable_domain', 'in', (row) =>
      row
        .selectFrom('domain_turn')
        .select('registrable_domain')
        .where('registrable_domain', 'in', listOf(db, domains))
        .where('yields', '=', 1)
        .where('until', '>', now)
        .orderBy('registrable_domain')
        .forUpdate(),
    )
    .execute();
}

/** Frees from `freeAt` on the turns of these domains that the holder has. */
export async function freeTurns(
  db: Db,
  domains: readonly string[],
  holder: string,
  freeAt: number,
): Promise<void> {
  await db
    .updateTable('domain_turn')
    .set({ holder: '', until: freeAt })
    .where('registrable_domain', 'in', (row) =>
      row
        .selectFrom('domain_turn')
        .select('registrable_domain')
        .where('registrable_domain', 'in', listOf(db, domains))
        .where('holder', '=', holder)
        .orderBy('registrable_domain')
        .forUpdate(),
    )
    .execute();
}
