import { hash as digest, hash } from 'node:crypto';
import type { SelectQueryBuilder } from 'kysely';
import { present } from '../../base/json.ts';
import { type AgentDocument, withoutVerdict } from '../../domain/agent-document.ts';
import type { Change, ChangeKind } from '../../domain/change.ts';
import type { LifecycleStage } from '../../domain/compliance.ts';
import type { AgentStore, DirtyAgent, SavedDocument, StitchedAgent } from '../../ports/agent-store.ts';
import type { Tables } from '../schema.ts';
import { type SqlStore, type SqlTask, together } from '../sql-tasks.ts';
import { jsonOrNull, type Param, parsed, prepare, run, sql } from '../statements.ts';
import { createSequencer } from './change-log.ts';

/**
 * The dirty set (agents whose facts changed, or whose document changes by time alone), and the documents that stitching
 * it makes, with the change log. An index that is not in the same file may keep what a loss of
 * power takes from the change log: for such an index the log is `durable`.
 */
export function createStitchedDocuments(
  store: SqlStore,
  isLogDurable: boolean,
): Pick<AgentStore, 'takeDirty' | 'putOff' | 'saveStitched' | 'numberChanges'> {
  const commit = isLogDurable ? store.durably : store.transaction;
  const selectDirty = prepare(store, dirtyAgents);
  const selectRipe = prepare(store, ripeAgents);
  const postpone = prepare(store, putOffAgent);
  const settle = prepare(store, settleAgent);
  const replace = createReplacer(store);
  const numberChanges = createSequencer(store, commit);

  function* saveOne(
    { agent, revision, stitched, trace }: StitchedAgent,
    at: number,
  ): SqlTask<SavedDocument | undefined> {
    const { document, restitchAt = null } = stitched;
    if ((yield* settle.run({ agent, revision, restitchAt })) === 0) return undefined;
    return yield* replace(agent, () => document, at, trace);
  }
  return {
    async takeDirty(limit, now) {
      const dirty = await store.read(() => selectDirty.all({ limit }));
      const left = limit - dirty.length;
      const ripe: DirtyAgent[] = left > 0 ? await store.read(() => selectRipe.all({ now, limit: left })) : [];
      return [
        ...dirty.map(
          ({ agent, revision, trace }): DirtyAgent => ({ agent, revision, ...present({ trace }) }),
        ),
        ...ripe,
      ];
    },
    async putOff({ agent, revision }, until) {
      await store.transaction(() => postpone.run({ agent, revision, until }));
    },
    async saveStitched(stitched, now) {
      if (stitched.length === 0) return [];
      const ordered = stitched.toSorted((a, b) => (a.agent < b.agent ? -1 : 1)); // two processes lock in one order
      const saved = await commit(() => together(ordered.map((agent) => saveOne(agent, now))));
      const changed = saved.filter((one) => one !== undefined);
      // what is saved is saved: what cannot be numbered now is with the next pass, which tells why not
      if (changed.length > 0) await numberChanges().catch(() => {});
      return changed;
    },
    numberChanges,
  };
}

/** Makes another document of the stored one, and appends to the change log what differs; undefined when nothing does. */
type Replace = (
  agent: string,
  make: (stored: AgentDocument | undefined) => AgentDocument | undefined,
  at: number,
  trace?: string,
) => SqlTask<SavedDocument | undefined>;

function createReplacer(store: SqlStore): Replace {
  const selectDocument = prepare(store, storedDocument);
  const insertChange = prepare(store, newChange);
  const upsertDocument = prepare(store, putDocument);
  return function* (agent, make, at, trace) {
    const stored = yield* selectDocument.first({ agent });
    const was = parsed<AgentDocument>(stored?.value ?? null);
    const document = make(was);
    const value = document === undefined ? null : JSON.stringify(document);
    const hash = value === null ? null : digest('sha256', value);
    if ((stored?.hash ?? null) === hash) return undefined;
    const change = changedFields(was, document);
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
    const version = (yield* insertChange.first(row))?.version as number;
    yield* upsertDocument.run({ agent, version, hash, value });
    return { agent, version, ...(document && { document }) };
  };
}

/**
 * Takes the results out of an agent's document in the transaction of its owner's opt-out: no reader has them after it, not
 * even while nobody stitches. A stitch of facts from before the opt-out, under way now, is refused.
 */
export function createWithdrawal(
  store: SqlStore,
): (agent: string, lifecycleStage: LifecycleStage, at: number) => SqlTask<void> {
  const replace = createReplacer(store);
  return function* (agent, lifecycleStage, at) {
    const settled = sql.updateTable('agent').set((row) => ({ stitched_revision: row.ref('revision') }));
    yield* run(store, settled.where('agent', '=', agent));
    yield* replace(agent, (stored) => stored && withoutVerdict(stored, lifecycleStage), at);
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

function newChange(param: Param<Omit<Tables['change_log'], 'version' | 'seq'>>) {
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
    .returning('version');
}

function putDocument(
  param: Param<{ agent: string; version: number; hash: string | null; value: string | null }>,
) {
  return sql
    .insertInto('document')
    .values({ agent: param('agent'), version: param('version'), hash: param('hash'), value: param('value') })
    .onConflict((known) =>
      known.column('agent').doUpdateSet((row) => ({
        version: row.ref('excluded.version'),
        hash: row.ref('excluded.hash'),
        value: row.ref('excluded.value'),
      })),
    );
}

/** Marks agents whose facts changed, so that they are stitched anew. */
export function* markDirty(
  store: SqlStore,
  agents: SelectQueryBuilder<Tables, 'agent' | 'registration', { agent: string }>,
  now: number,
): SqlTask<void> {
  const touched = sql.updateTable('agent').set((row) => ({
    revision: row('revision', '+', 1),
    dirty_since: row.fn.coalesce('dirty_since', row.val(now)),
  }));
  yield* run(store, touched.where('agent', 'in', agents));
}

/** The same for one agent. */
export function markOneDirty(store: SqlStore, agent: string, now: number): SqlTask<void> {
  return markDirty(store, sql.selectFrom('agent').select('agent').where('agent', '=', agent), now);
}

function dirtyAgents(param: Param<{ limit: number }>) {
  return sql
    .selectFrom('agent')
    .select(['agent', 'revision', 'trace'])
    .where('dirty_since', 'is not', null)
    .orderBy('dirty_since')
    .limit(param('limit'));
}

/** Clean agents whose document changes by time alone. */
function ripeAgents(param: Param<{ now: number; limit: number }>) {
  return sql
    .selectFrom('agent')
    .select(['agent', 'revision'])
    .where('restitch_at', '<=', param('now'))
    .where('dirty_since', 'is', null)
    .orderBy('restitch_at')
    .limit(param('limit'));
}

/** Not when its facts moved on meanwhile: with these it may go well. */
function putOffAgent(param: Param<{ agent: string; revision: number; until: number }>) {
  return sql
    .updateTable('agent')
    .set({ dirty_since: null, restitch_at: param('until') })
    .where('agent', '=', param('agent'))
    .where('revision', '=', param('revision'));
}

type Fields = Readonly<Record<string, unknown>>;

/** Values whose JSON text is longer are logged as the hash of that text. */
const MAX_LOGGED_CHARACTERS = 1_024;

/** Of these the members are logged one by one: a short one is kept beside a long one. */
const DEEP: ReadonlySet<string> = new Set(['base', 'compliance'] satisfies readonly (keyof AgentDocument)[]);

/**
 * What a change-log row says of a change: the top-level fields of the document that differ (`base` and `compliance` one level
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
  const [was, is] = difference({ ...before }, { ...after }, DEEP);
  return Object.keys(was).length + Object.keys(is).length === 0
    ? undefined
    : { kind, before: was, after: is };
}

function kindOf(before: AgentDocument | undefined, after: AgentDocument | undefined): ChangeKind | undefined {
  if (before === undefined) return after && 'listed';
  return after === undefined ? 'delisted' : 'changed';
}

function difference(before: Fields, after: Fields, deep: ReadonlySet<string>): readonly [Fields, Fields] {
  const was: Record<string, unknown> = {};
  const is: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [text, newText] = [JSON.stringify(before[name]), JSON.stringify(after[name])];
    if (text === newText) continue;
    if (deep.has(name)) {
      [was[name], is[name]] = difference(before[name] as Fields, after[name] as Fields, new Set());
      continue;
    }
    if (before[name] !== undefined) was[name] = shortened(before[name], text);
    if (after[name] !== undefined) is[name] = shortened(after[name], newText);
  }
  return [was, is];
}

function logged(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      DEEP.has(name) ? logged(value as Fields) : shortened(value),
    ]),
  );
}

function shortened(value: unknown, text: string | undefined = JSON.stringify(value)): unknown {
  if (text === undefined || text.length <= MAX_LOGGED_CHARACTERS) return value;
  return `sha256:${hash('sha256', text)}`;
}
