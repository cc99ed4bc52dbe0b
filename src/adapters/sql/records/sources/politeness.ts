import { sql as text } from 'kysely';
import type { Politeness } from '../../../../ports/politeness.ts';
import { LONGEST_LEASE_MS } from '../../locks.ts';
import type { SqlStore } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';

interface Claims {
  readonly domains: readonly string[];
  readonly holder: string;
}

/**
 * The claims on registrable domains: a row says who has it until when, or, held by nobody, from when it is free. One
 * statement for all domains of a call, as workers make these calls all the time.
 */
export function createPoliteness(store: SqlStore): Politeness {
  const take = prepare(store, takenClaims);
  const free = prepare(store, freedClaims);
  return {
    async claim(domains, holder, now, leaseMs) {
      if (domains.length === 0) return new Set();
      const claims = {
        domains: inOneOrder(domains),
        holder,
        now,
        far: now + LONGEST_LEASE_MS,
        until: now + leaseMs,
      };
      const taken = await store.transaction(() => take.all(claims));
      return new Set(taken.map((row) => row.registrable_domain));
    },
    async release(domains, holder, freeAt) {
      if (domains.length === 0) return;
      await store.transaction(() => free.run({ domains: inOneOrder(domains), holder, freeAt }));
    },
  };
}

/** Two processes lock the rows in one order. */
function inOneOrder(domains: readonly string[]): readonly string[] {
  return [...new Set(domains)].sort();
}

/**
 * The row of a claim that ran out, or is one's own, is taken over; any other stays, and is not returned. One's own is
 * never made shorter: what needs it longer is still under way.
 */
function takenClaims(param: Param<Claims & { now: number; far: number; until: number }>) {
  return sql
    .insertInto('domain_turn')
    .columns(['registrable_domain', 'holder', 'until'])
    .expression(
      sql
        .selectFrom(param.listed('domains'))
        .select((row) => [
          row.ref('listed.value').as('registrable_domain'),
          row.cast<string>(row.val(param('holder')), 'text').as('holder'),
          row.cast<number>(row.val(param('until')), 'bigint').as('until'),
        ])
        .where(text<boolean>`true`), // SQLite would read ON CONFLICT as the join's (https://www.sqlite.org/lang_upsert.html)
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
                row('domain_turn.until', '<=', param('far')),
              ]),
            )
            .then(param.greater(row.ref('domain_turn.until'), row.ref('excluded.until')))
            .else(row.ref('excluded.until'))
            .end(),
        }))
        .where((row) =>
          row.or([
            row('domain_turn.until', '<=', param('now')),
            row('domain_turn.until', '>', param('far')),
            row('domain_turn.holder', '=', row.ref('excluded.holder')),
          ]),
        ),
    )
    .returning('registrable_domain');
}

/** Lets others have from `freeAt` what the holder has of these domains. */
export function freedClaims(param: Param<Claims & { freeAt: number }>) {
  return sql
    .updateTable('domain_turn')
    .set({ holder: '', until: param('freeAt') })
    .where('registrable_domain', 'in', param.list('domains'))
    .where('holder', '=', param('holder'));
}
