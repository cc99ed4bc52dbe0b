import type { SourceStore } from '../../../ports/source-store.ts';
import type { SqliteDatabase } from '../database.ts';
import { type Place, prepare, sql } from '../prepared.ts';
import { BatchEffects } from './batch-effects.ts';
import { selectDeclarations, storedDeclaration } from './declaration-rows.ts';
import { createFactsWriter } from './declared-rows.ts';
import { createEffectsWriter } from './write-effects.ts';

type Rederivations = Pick<SourceStore, 'dueRederivations' | 'commitRederivation'>;

/** Declarations that say something else as time passes (`effective_until`), read anew with no request. */
export function createRederivations(database: SqliteDatabase): Rederivations {
  const selectDue = prepare(database, dueDeclarations);
  const schedule = prepare(database, rederiveNext);
  const writeFacts = createFactsWriter(database);
  const writeEffects = createEffectsWriter(database);
  return {
    dueRederivations: async (now, limit) =>
      database.guard(() => selectDue.all({ now, limit }).map(storedDeclaration)),
    commitRederivation: async (declaration, facts, now) =>
      database.transaction(() => {
        // a newer version has its own facts
        if (schedule.run({ id: declaration.id, rederiveAt: facts.rederiveAt ?? null }) === 0) return;
        const effects = new BatchEffects();
        const declarer = { domain: declaration.key, file: declaration.value.kind };
        writeFacts(declarer, facts, { at: now, hadRows: true, effects, isRederived: true });
        writeEffects(effects);
      }),
  };
}

function dueDeclarations(place: Place<{ now: number; limit: number }>) {
  return selectDeclarations()
    .whereRef('source.declaration', '=', 'declaration.id')
    .where('source.rederive_at', '<=', place('now'))
    .orderBy('source.rederive_at')
    .limit(place('limit'));
}

function rederiveNext(place: Place<{ id: number; rederiveAt: number | null }>) {
  return sql
    .updateTable('source')
    .set({ rederive_at: place('rederiveAt') })
    .where('declaration', '=', place('id'))
    .where('id', '=', (row) => row.selectFrom('declaration').select('source').where('id', '=', place('id')));
}
