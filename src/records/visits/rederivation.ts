import type { DeclaredFacts } from '../../domain/declared-facts.ts';
import type { StoredDeclaration } from '../../domain/visit.ts';
import type { RecordsDatabase } from '../database.ts';
import { lockShared } from '../locks.ts';
import { addSources } from '../sources/known-sources.ts';
import { agentsAuthorised, markForEdgeLog } from './declaration-rows.ts';
import { writeFacts } from './declared-rows.ts';
import type { FactChanges } from './fact-changes.ts';
import { foundAgents, writeAgents } from './named-agents.ts';

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
    const changes: FactChanges = { agents: new Map(), marks: [] };
    const declarer = { domain: declaration.key, file: declaration.value.kind };
    await writeFacts(db, declarer, facts, { at: now, hadRows: true, changes, isRederived: true });
    await db
      .updateTable('declaration')
      .set({ agents: agentsAuthorised(facts) })
      .where('id', '=', declaration.id)
      .execute();
    await addSources(db, foundAgents(changes.agents), { at: now });
    await writeAgents(db, changes.agents, { at: now });
    await markForEdgeLog(db, changes.marks);
  });
}
