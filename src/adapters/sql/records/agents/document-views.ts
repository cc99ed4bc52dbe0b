import type { Selectable } from 'kysely';
import type { AgentDocument } from '../../../../domain/agent-document.ts';
import type { Change } from '../../../../domain/change.ts';
import type { AgentStore, SavedDocument } from '../../../../ports/agent-store.ts';
import type { Tables } from '../../schema.ts';
import type { SqlStore } from '../../sql-tasks.ts';
import { type Param, parsed, prepare, sql } from '../../statements.ts';

type DocumentViews = Pick<AgentStore, 'listed' | 'countListed' | 'changes' | 'lastSeq' | 'saved'>;

/** Reads of the stored documents and of the change log. */
export function createDocumentViews(store: SqlStore): DocumentViews {
  const selectListed = prepare(store, listedAfter);
  const countListed = prepare(store, listedCount);
  const selectChanges = prepare(store, changesAfter);
  const selectLastSeq = prepare(store, lastSeq);
  const selectDocuments = prepare(store, documentsOf);
  return {
    async listed(after, limit) {
      const rows = await store.read(() => selectListed.all({ after: after ?? '', limit }));
      return rows.map(savedDocument);
    },
    countListed: async () => (await store.read(() => countListed.first({})))?.listed ?? 0,
    changes: async (after, limit) =>
      (await store.read(() => selectChanges.all({ after, limit }))).map(change),
    lastSeq: async () => (await store.read(() => selectLastSeq.first({})))?.seq ?? 0,
    saved: async (agents) => (await store.read(() => selectDocuments.all({ agents }))).map(savedDocument),
  };
}

function savedDocument(row: Selectable<Tables['document']>): SavedDocument {
  const document = parsed<AgentDocument>(row.value);
  return { agent: row.agent, seq: row.seq, ...(document && { document }) };
}

function change(row: Selectable<Tables['change_log']>): Change {
  return {
    seq: row.seq,
    agent: row.agent,
    kind: row.kind,
    before: parsed<Record<string, unknown>>(row.before) ?? null,
    after: parsed<Record<string, unknown>>(row.after) ?? null,
    at: row.at,
    ...(row.trace !== null && { trace: row.trace }),
  };
}

function listedAfter(param: Param<{ after: string; limit: number }>) {
  return sql
    .selectFrom('document')
    .selectAll()
    .where('hash', 'is not', null)
    .where('agent', '>', param('after'))
    .orderBy('agent')
    .limit(param('limit'));
}

function listedCount(_place: Param<object>) {
  return sql
    .selectFrom('document')
    .select((row) => row.fn.countAll<number>().as('listed'))
    .where('hash', 'is not', null);
}

function changesAfter(param: Param<{ after: number; limit: number }>) {
  return sql
    .selectFrom('change_log')
    .selectAll()
    .where('seq', '>', param('after'))
    .orderBy('seq')
    .limit(param('limit'));
}

function lastSeq(_place: Param<object>) {
  return sql.selectFrom('change_log').select('seq').orderBy('seq', 'desc').limit(1);
}

function documentsOf(param: Param<{ agents: readonly string[] }>) {
  return sql.selectFrom('document').selectAll().where('agent', 'in', param.list('agents'));
}
