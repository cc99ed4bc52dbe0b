import { hash as digest } from 'node:crypto';
import type { AgentDocument } from '../../../../domain/agent-document.ts';
import type { Change, ChangeKind } from '../../../../domain/change.ts';
import type { AgentStore, SavedDocument, StitchedAgent } from '../../../../ports/agent-store.ts';
import { lockAlone } from '../../locks.ts';
import { type SqlStore, type SqlTask, together } from '../../sql-tasks.ts';
import { jsonOrNull, type Param, parsed, prepare, sql } from '../../statements.ts';

/**
 * The documents that stitching makes, and the change log. An index that is not in the same file may keep what a loss of
 * power takes from the change log: for such an index the log is `durable`.
 */
export function createStitchedDocuments(
  store: SqlStore,
  isLogDurable: boolean,
): Pick<AgentStore, 'saveStitched'> {
  const commit = isLogDurable ? store.durably : store.transaction;
  const settle = prepare(store, settleAgent);
  const selectDocument = prepare(store, storedDocument);
  const insertChange = prepare(store, newChange);
  const upsertDocument = prepare(store, putDocument);

  function* saveOne(
    { agent, revision, stitched, trace }: StitchedAgent,
    at: number,
  ): SqlTask<SavedDocument | undefined> {
    const { document, restitchAt = null } = stitched;
    if ((yield* settle.run({ agent, revision, restitchAt })) === 0) return undefined;
    const value = document === undefined ? null : JSON.stringify(document);
    const hash = value === null ? null : digest('sha256', value);
    const stored = yield* selectDocument.first({ agent });
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
      trace: trace ?? null,
    };
    const seq = (yield* insertChange.first(row))?.seq as number;
    yield* upsertDocument.run({ agent, seq, hash, value });
    return { agent, seq, ...(document && { document }) };
  }
  return {
    async saveStitched(stitched, now) {
      if (stitched.length === 0) return [];
      const ordered = stitched.toSorted((a, b) => (a.agent < b.agent ? -1 : 1)); // two processes lock in one order
      return commit(function* () {
        yield* lockAlone(store, 'changeLog');
        const saved = yield* together(ordered.map((agent) => saveOne(agent, now)));
        return saved.filter((changed) => changed !== undefined);
      });
    },
  };
}

/** A stitch of older facts than the last one saved is refused; the mark stays when the facts moved on meanwhile. */
function settleAgent(param: Param<{ agent: string; revision: number; restitchAt: number | null }>) {
  return sql
    .updateTable('agent')
    .set((row) => ({
      stitched_revision: param('revision'),
      restitch_at: param('restitchAt'),
      dirty_since: row
        .case()
        .when('revision', '=', param('revision'))
        .then(null)
        .else(row.ref('dirty_since'))
        .end(),
      trace: row.case().when('revision', '=', param('revision')).then(null).else(row.ref('trace')).end(),
    }))
    .where('agent', '=', param('agent'))
    .where('stitched_revision', '<=', param('revision'));
}

function storedDocument(param: Param<{ agent: string }>) {
  return sql.selectFrom('document').select(['hash', 'value']).where('agent', '=', param('agent'));
}

function newChange(
  param: Param<{
    agent: string;
    kind: ChangeKind;
    before: string | null;
    after: string | null;
    at: number;
    trace: string | null;
  }>,
) {
  return sql
    .insertInto('change_log')
    .values({
      agent: param('agent'),
      kind: param('kind'),
      before: param('before'),
      after: param('after'),
      at: param('at'),
      trace: param('trace'),
    })
    .returning('seq');
}

function putDocument(
  param: Param<{ agent: string; seq: number; hash: string | null; value: string | null }>,
) {
  return sql
    .insertInto('document')
    .values({ agent: param('agent'), seq: param('seq'), hash: param('hash'), value: param('value') })
    .onConflict((known) =>
      known.column('agent').doUpdateSet((row) => ({
        seq: row.ref('excluded.seq'),
        hash: row.ref('excluded.hash'),
        value: row.ref('excluded.value'),
      })),
    );
}

type Fields = Readonly<Record<string, unknown>>;

/** Values whose JSON text is longer are logged as the hash of that text. */
const MAX_LOGGED_CHARACTERS = 1_024;

/**
 * What a change-log row says of a change: the top-level fields of the document that differ (`base` one level
 * deeper), as they were and as they are. Undefined when nothing differs.
 */
function changedFields(
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
  return `sha256:${digest('sha256', text)}`;
}
