import type { DeclaredFacts } from '../../domain/declared-facts.ts';
import type { StoredDeclaration } from '../../domain/visit.ts';
import type { RecordsDatabase } from '../database.ts';
import { lockShared } from '../locks.ts';
import { agentsAuthorised } from './declaration-rows.ts';
import { writeFacts } from './declared-rows.ts';
import { type VisitChanges, writeChanges } from './visit-changes.ts';

/** Writes what a live declaration yields at a later time, without a visit. A version that was replaced meanwhile is left alone. */
export async function commitRederivation(
  database: RecordsDatabase,
  declaration: StoredDeclaration,
  facts: DeclaredFacts,
  now: number,
): Promise<void> {
  await database.transaction(async (db) => {
    await lockShared(db, 'contents');
    const { numUpdatedRows } = await db
      .updateTable('source')
      .set({ rederive_at: facts.rederiveAt ?? null })
      .where('kind', '=', declaration.kind)
      .where('key', '=', declaration.key)
      .where('declaration', '=', declaration.id)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return;
    const changes: VisitChanges = { at: now, agents: new Map(), found: [], marks: [] };
    const declarer = { domain: declaration.key, file: declaration.value.kind };
    await writeFacts(db, declarer, facts, { at: now, hadRows: true, changes, isRederived: true });
    await db
      .updateTable('declaration')
      .set({ agents: agentsAuthorised(facts) })
      .where('id', '=', declaration.id)
      .execute();
    await writeChanges(db, [changes]);
  });
}
