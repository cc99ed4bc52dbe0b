import { hash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { AgentDocument } from '../../../../domain/agent-document.ts';
import type { Change, ChangeKind } from '../../../../domain/change.ts';
import type { AgentStore, SavedDocument } from '../../../../ports/agent-store.ts';
import type { Tables } from '../../schema.ts';
import type { SqlStore } from '../../sql-tasks.ts';
import { type Param, parsed, prepare, sql } from '../../statements.ts';

type DocumentViews = Pick<
  AgentStore,
  'listed' | 'countListed' | 'changes' | 'lastChanges' | 'lastSeq' | 'saved'
>;

/** Reads of the stored documents and of the change log. */
export function createDocumentViews(store: SqlStore): DocumentViews {
  const selectListed = prepare(store, listedAfter);
  const countListed = prepare(store, listedCount);
  const selectChanges = prepare(store, changesAfter);
  const selectLastChanges = prepare(store, changesBefore);
  const selectChangesOf = prepare(store, (param: Param<Before & { agent: string }>) =>
    changesBefore(param).where('agent', '=', param('agent')),
  );
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
    async lastChanges({ agent, before = Number.MAX_SAFE_INTEGER, limit }) {
      const page = { before, limit };
      const rows = await store.read(() =>
        agent === undefined ? selectLastChanges.all(page) : selectChangesOf.all({ ...page, agent }),
      );
      return rows.map(change);
    },
    lastSeq: async () => (await store.read(() => selectLastSeq.first({})))?.seq ?? 0,
    saved: async (agents) => (await store.read(() => selectDocuments.all({ agents }))).map(savedDocument),
  };
}

function savedDocument(row: Selectable<Tables['document']>): SavedDocument {
  const document = parsed<AgentDocument>(row.value);
  return { agent: row.agent, version: row.version, ...(document && { document }) };
}

function change(row: Selectable<Tables['change_log']>): Change {
  return {
    seq: row.seq as number,
    version: row.version,
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

interface Before {
  readonly before: number;
  readonly limit: number;
}

function changesBefore(param: Param<Before>) {
  return sql
    .selectFrom('change_log')
    .selectAll()
    .where('seq', '<', param('before'))
    .orderBy('seq', 'desc')
    .limit(param('limit'));
}

export function lastSeq(_place: Param<object>) {
  return sql.selectFrom('change_log').select((row) => row.fn.max('seq').as('seq'));
}

function documentsOf(param: Param<{ agents: readonly string[] }>) {
  return sql.selectFrom('document').selectAll().where('agent', 'in', param.list('agents'));
}

type Fields = Readonly<Record<string, unknown>>;

/** Values whose JSON text is longer are logged as the hash of that text. */
const MAX_LOGGED_CHARACTERS = 1_024;

/**
 * What a change-log row says of a change: the top-level fields of the document that differ (`base` one level
 * deeper), as they were and as they are. Undefined when nothing differs.
 */
export function changedFields(
  before: AgentDocument | undefined,
  after: AgentDocument | undefined,
): Pick<Change, 'kind' | 'before' | 'after'> | undefined {
  const kind = kindOf(before, after);
  if (kind === undefined || before === undefined || after === undefined) {
    return (
      kind && {
        kind,
        before: before ? logged({ ...before }) : null,
        after: after ? logged({ ...after }) : null,
      }
    );
  }
  const [was, is] = difference({ ...before }, { ...after }, (name) => name === 'base');
  return Object.keys(was).length + Object.keys(is).length === 0
    ? undefined
    : { kind, before: was, after: is };
}

function kindOf(before: AgentDocument | undefined, after: AgentDocument | undefined): ChangeKind | undefined {
  if (before === undefined) return after && 'listed';
  return after === undefined ? 'delisted' : 'changed';
}

function difference(
  before: Fields,
  after: Fields,
  isDeep: (name: string) => boolean,
): readonly [Fields, Fields] {
  const was: Record<string, unknown> = {};
  const is: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (JSON.stringify(before[name]) === JSON.stringify(after[name])) continue;
    if (isDeep(name)) {
      [was[name], is[name]] = difference(before[name] as Fields, after[name] as Fields, () => false);
      continue;
    }
    if (before[name] !== undefined) was[name] = shortened(before[name]);
    if (after[name] !== undefined) is[name] = shortened(after[name]);
  }
  return [was, is];
}

function logged(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shortened(value)]));
}

function shortened(value: unknown): unknown {
  const text = JSON.stringify(value);
  if (text === undefined || text.length <= MAX_LOGGED_CHARACTERS) return value;
  return `sha256:${hash('sha256', text)}`;
}
