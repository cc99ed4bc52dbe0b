import { hash as digest } from 'node:crypto';
import type { AgentDocument } from '../../../domain/agent-document.ts';
import type { ChangeKind } from '../../../domain/change.ts';
import type { AgentStore, DirtyAgent, SavedDocument, StitchedAgent } from '../../../ports/agent-store.ts';
import type { SqliteDatabase } from '../database.ts';
import { type Place, prepare, sql } from '../prepared.ts';
import { changedFields } from './changed-fields.ts';
import { jsonOrNull, parsed } from './present.ts';

/** The dirty set, and the documents that stitching it makes. */
export function createStitchedDocuments(
  database: SqliteDatabase,
): Pick<AgentStore, 'takeDirty' | 'saveStitched'> {
  const selectDirty = prepare(database, dirtyAgents);
  const selectRipe = prepare(database, ripeAgents);
  const settle = prepare(database, settleAgent);
  const selectDocument = prepare(database, storedDocument);
  const insertChange = prepare(database, newChange);
  const upsertDocument = prepare(database, putDocument);

  const saveOne = ({ agent, revision, stitched }: StitchedAgent, at: number): SavedDocument | undefined => {
    const { document, restitchAt = null } = stitched;
    if (settle.run({ agent, revision, restitchAt }) === 0) return undefined;
    const value = document === undefined ? null : JSON.stringify(document);
    const hash = value === null ? null : digest('sha256', value);
    const stored = selectDocument.get({ agent });
    if ((stored?.hash ?? null) === hash) return undefined;
    const change = changedFields(parsed<AgentDocument>(stored?.value ?? null), document);
    if (change === undefined) return undefined;
    const { kind, before, after } = change;
    const row = {
      agent,
      kind,
      before: jsonOrNull(before ?? undefined),
      after: jsonOrNull(after ?? undefined),
      at,
    };
    const seq = insertChange.get(row)?.seq as number;
    upsertDocument.run({ agent, seq, hash, value });
    return { agent, seq, ...(document && { document }) };
  };
  return {
    async takeDirty(limit, now) {
      const dirty = database.guard(() => selectDirty.all({ limit }));
      const ripe =
        dirty.length < limit
          ? database.guard(() => selectRipe.all({ now, limit: limit - dirty.length }))
          : [];
      return [...dirty, ...ripe].map(({ agent, revision }): DirtyAgent => ({ agent, revision }));
    },
    saveStitched: async (stitched, now) =>
      stitched.length === 0
        ? []
        : database.transaction(() => stitched.flatMap((agent) => saveOne(agent, now) ?? [])),
  };
}

function dirtyAgents(place: Place<{ limit: number }>) {
  return sql
    .selectFrom('agent')
    .select(['agent', 'revision'])
    .where('dirty_since', 'is not', null)
    .orderBy('dirty_since')
    .limit(place('limit'));
}

/** Clean agents whose document changes by time alone. */
function ripeAgents(place: Place<{ now: number; limit: number }>) {
  return sql
    .selectFrom('agent')
    .select(['agent', 'revision'])
    .where('restitch_at', '<=', place('now'))
    .where('dirty_since', 'is', null)
    .orderBy('restitch_at')
    .limit(place('limit'));
}

/** A stitch of older facts than the last one saved is refused; the mark stays when the facts moved on meanwhile. */
function settleAgent(place: Place<{ agent: string; revision: number; restitchAt: number | null }>) {
  return sql
    .updateTable('agent')
    .set((row) => ({
      stitched_revision: place('revision'),
      restitch_at: place('restitchAt'),
      dirty_since: row
        .case()
        .when('revision', '=', place('revision'))
        .then(null)
        .else(row.ref('dirty_since'))
        .end(),
    }))
    .where('agent', '=', place('agent'))
    .where('stitched_revision', '<=', place('revision'));
}

function storedDocument(place: Place<{ agent: string }>) {
  return sql.selectFrom('document').select(['hash', 'value']).where('agent', '=', place('agent'));
}

function newChange(
  place: Place<{ agent: string; kind: ChangeKind; before: string | null; after: string | null; at: number }>,
) {
  return sql
    .insertInto('change_log')
    .values({
      agent: place('agent'),
      kind: place('kind'),
      before: place('before'),
      after: place('after'),
      at: place('at'),
    })
    .returning('seq');
}

function putDocument(
  place: Place<{ agent: string; seq: number; hash: string | null; value: string | null }>,
) {
  return sql
    .insertInto('document')
    .values({ agent: place('agent'), seq: place('seq'), hash: place('hash'), value: place('value') })
    .onConflict((known) =>
      known.column('agent').doUpdateSet((row) => ({
        seq: row.ref('excluded.seq'),
        hash: row.ref('excluded.hash'),
        value: row.ref('excluded.value'),
      })),
    );
}
