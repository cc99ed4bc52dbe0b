import { sql as text } from 'kysely';
import { type Politeness, WANTED_MS } from '../../ports/politeness.ts';
import { LONGEST_LEASE_MS } from '../locks.ts';
import type { SqlStore } from '../sql-tasks.ts';
import { first, type Param, prepare, run, sql } from '../statements.ts';

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
    async claim(domains, holder, now, leaseMs, { yields = false } = {}) {
      if (domains.length === 0) return new Set();
      const claims = {
        domains: inOneOrder(domains),
        holder,
        now,
        far: now + LONGEST_LEASE_MS,
        wantedFar: now + WANTED_MS,
        until: now + leaseMs,
        yields: yields ? 1 : 0,
      } as const;
      return store.transaction(function* () {
        const taken = new Set((yield* take.all(claims)).map((row) => row.registrable_domain));
        const missed = claims.domains.filter((domain) => !taken.has(domain));
        if (!yields && missed.length > 0) yield* run(store, wantedTurns(missed, now));
        return taken;
      });
    },
    async isWanted(domain, now) {
      const wanted = sql
        .selectFrom('domain_turn')
        .select('registrable_domain')
        .where('registrable_domain', '=', domain)
        .where('wanted_until', '>', now)
        .where('wanted_until', '<=', now + WANTED_MS);
      return (await store.read(() => first(store, wanted))) !== undefined;
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
function takenClaims(
  param: Param<Claims & { now: number; far: number; wantedFar: number; until: number; yields: 0 | 1 }>,
) {
  return sql
    .insertInto('domain_turn')
    .columns(['registrable_domain', 'holder', 'until', 'yields', 'wanted_until'])
    .expression(
      sql
        .selectFrom(param.listed('domains'))
        .select((row) => [
          row.ref('listed.value').as('registrable_domain'),
          row.cast<string>(row.val(param('holder')), 'text').as('holder'),
          row.cast<number>(row.val(param('until')), 'bigint').as('until'),
          row.cast<number>(row.val(param('yields')), 'bigint').as('yields'),
          row.lit(0).as('wanted_until'),
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
          yields: row.ref('excluded.yields'),
          wanted_until: row.lit(0),
        }))
        .where((row) =>
          row.or([
            row('domain_turn.until', '<=', param('now')),
            row('domain_turn.until', '>', param('far')),
            row('domain_turn.holder', '=', row.ref('excluded.holder')),
          ]),
        )
        .where((row) =>
          row.or([
            row('excluded.yields', '=', 0),
            row('domain_turn.wanted_until', '<=', param('now')),
            row('domain_turn.wanted_until', '>', param('wantedFar')),
          ]),
        ),
    )
    .returning('registrable_domain');
}

/** A visit of ours waits for these turns, where work for a caller has them. */
function wantedTurns(domains: readonly string[], now: number) {
  return sql
    .updateTable('domain_turn')
    .set({ wanted_until: now + WANTED_MS })
    .where('registrable_domain', 'in', domains)
    .where('yields', '=', 1)
    .where('until', '>', now);
}

/** Lets others have from `freeAt` what the holder has of these domains. */
export function freedClaims(param: Param<Claims & { freeAt: number }>) {
  return sql
    .updateTable('domain_turn')
    .set({ holder: '', until: param('freeAt') })
    .where('registrable_domain', 'in', param.list('domains'))
    .where('holder', '=', param('holder'));
}
