import type { SourceStore } from '../../../../ports/source-store.ts';
import type { SqlStore } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';
import { BatchEffects } from '../visits/batch-effects.ts';
import { selectDeclarations, storedDeclaration } from '../visits/declaration-rows.ts';
import { createFactsWriter } from '../visits/declared-rows.ts';
import { createEffectsWriter } from '../visits/write-effects.ts';

type Rederivations = Pick<SourceStore, 'dueRederivations' | 'commitRederivation' | 'putOffRederivation'>;

/** Declarations that say something else as time passes (`effective_until`), read anew with no request. */
export function createRederivations(store: SqlStore): Rederivations {
  const selectDue = prepare(store, dueDeclarations);
  const schedule = prepare(store, rederiveNext);
  const writeFacts = createFactsWriter(store);
  const writeEffects = createEffectsWriter(store);
  return {
    async dueRederivations(now, limit) {
      const due = await store.read(() => selectDue.all({ now, limit }));
      return due.map(storedDeclaration);
    },
    async putOffRederivation({ id }, until) {
      await store.transaction(() => schedule.run({ id, rederiveAt: until }));
    },
    commitRederivation: (declaration, facts, now) =>
      store.transaction(function* () {
        // a newer version has its own facts
        const scheduled = yield* schedule.run({ id: declaration.id, rederiveAt: facts.rederiveAt ?? null });
        if (scheduled === 0) return;
        const batch = new BatchEffects();
        const effects = batch.of({ index: 0, at: now });
        const declarer = { domain: declaration.key, file: declaration.value.kind };
        yield* writeFacts(declarer, facts, { at: now, hadRows: true, effects, isRederived: true });
        yield* writeEffects(batch);
      }),
  };
}

function dueDeclarations(param: Param<{ now: number; limit: number }>) {
  return selectDeclarations()
    .whereRef('source.declaration', '=', 'declaration.id')
    .where('source.rederive_at', '<=', param('now'))
    .orderBy('source.rederive_at')
    .limit(param('limit'));
}

function rederiveNext(param: Param<{ id: number; rederiveAt: number | null }>) {
  return sql
    .updateTable('source')
    .set({ rederive_at: param('rederiveAt') })
    .where('declaration', '=', param('id'))
    .where('id', '=', (row) => row.selectFrom('declaration').select('source').where('id', '=', param('id')));
}
