import type { RunSchedule } from '../../../../ports/run-schedule.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';

import { RUN_OUT } from './run-leases.ts';

type Holder = { readonly holder: string };

/** Who tests agents now, and what becomes of the agents of one that has ended. */
export function createEndedLeases(store: SqlStore): Pick<RunSchedule, 'holders' | 'releaseOf'> {
  const selectHolders = prepare(store, currentHolders);
  const selectHeld = prepare(store, heldRuns);
  const freeRuns = prepare(store, freedRuns);
  const freeTurns = prepare(store, freedTurns);
  function* free(holder: string, now: number): SqlTask<number> {
    const held = yield* selectHeld.all({ holder });
    if (held.length === 0) return 0;
    yield* freeRuns.run({ agents: held.map(({ agent }) => agent) });
    yield* freeTurns.run({ domains: held.map(({ registrable_domain }) => registrable_domain), holder, now });
    return held.length;
  }
  return {
    async holders(now) {
      const rows = await store.read(() => selectHolders.all({ now }));
      return rows.flatMap(({ lease_holder }) => lease_holder ?? []);
    },
    releaseOf: (holder, now) => store.transaction(() => free(holder, now)),
  };
}

function currentHolders(param: Param<{ now: number }>) {
  return sql
    .selectFrom('run_schedule')
    .select('lease_holder')
    .distinct()
    .where('lease_holder', 'is not', null)
    .where('lease_until', '>', param('now'))
    .orderBy('lease_holder');
}

/** In one order, and held until they are free: several may see at once that a process has ended. */
function heldRuns(param: Param<Holder>) {
  return sql
    .selectFrom('run_schedule')
    .select(['agent', 'registrable_domain'])
    .where('lease_holder', '=', param('holder'))
    .orderBy('agent')
    .forUpdate();
}

function freedRuns(param: Param<{ readonly agents: readonly string[] }>) {
  return sql
    .updateTable('run_schedule')
    .set((row) => ({
      ...{ fence: row('fence', '+', 1), lease_until: RUN_OUT },
      ...{ lease_holder: null, leased_run: null },
    }))
    .where('agent', 'in', param.list('agents'));
}

function freedTurns(param: Param<Holder & { readonly domains: readonly string[]; readonly now: number }>) {
  return sql
    .updateTable('domain_turn')
    .set({ holder: '', until: param('now') })
    .where('registrable_domain', 'in', param.list('domains'))
    .where('holder', '=', param('holder'));
}
