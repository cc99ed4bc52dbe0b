import { hash } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { present } from '../../base/json.ts';
import {
  type AgentDocument,
  type SavedDocument,
  type Stitched,
  withoutVerdict,
} from '../../domain/agent-document.ts';
import { type Change, type ChangeKind, withoutResults } from '../../domain/change.ts';
import type { LifecycleStage } from '../../domain/compliance.ts';
import { type Db, insertInChunks, jsonOrNull, listOf, parsed, type RecordsDatabase } from '../database.ts';
import { lockAlone } from '../locks.ts';
import type { Tables } from '../tables.ts';

export interface DirtyAgent {
  readonly agent: string;
  /** Grows with every change of the agent's facts. */
  readonly revision: number;
  /** Of the visit that last changed its facts. */
  readonly trace?: string;
}

export interface StitchedAgent extends DirtyAgent {
  readonly stitched: Stitched;
}

/** Which changes are read, from the newest back. */
interface ChangePage {
  readonly agent?: string;
  /** A `seq`. */
  readonly before?: number;
  readonly limit: number;
}

/**
 * The dirty set (agents whose facts changed, or whose document changes by time alone), the documents that are stitched of
 * it, and the log of their changes. An index outside of the records' file may keep what a loss of power takes from the
 * change log, so for such an index the log must be durable.
 */
export function createDocumentStore(database: RecordsDatabase, isLogDurable: boolean) {
  return {
    /** Agents whose facts changed or whose restitch time has come; coalesced, oldest first. */
    takeDirty: (limit: number, now: number) => database.read((db) => readDirty(db, limit, now)),
    /**
     * Postpones an agent that cannot be stitched until then, or until its facts change, so that it does not block
     * others.
     */
    putOff: (agent: DirtyAgent, until: number) => database.transaction((db) => putOff(db, agent, until)),
    /**
     * Stores stitched documents and appends to the change log what differs, in one transaction. A dirty mark is cleared only
     * when nothing changed since it was taken. Returns only what changed.
     */
    async saveStitched(stitched: readonly StitchedAgent[], now: number) {
      if (stitched.length === 0) return [];
      const save = (db: Db) => saveStitched(db, stitched, now);
      return isLogDurable ? database.durably(save) : database.transaction(save);
    },
    /** All agents with a document, by URL: for a rebuild without network. */
    listed: (after: string | undefined, limit: number) => database.read((db) => readListed(db, after, limit)),
    countListed: () => database.read(countListed),
    /** The stored documents of these agents as they are now, for a catch-up; absent document: not listed. */
    saved: (agents: readonly string[]) => database.read((db) => readSaved(db, agents)),
    /** Change-log rows after `seq`, in order. */
    changes: (after: number, limit: number) => database.read((db) => readChanges(db, after, limit)),
    /** The same from the newest back, of one agent or of all; `before` is a `seq`. */
    lastChanges: (page: ChangePage) => database.read((db) => readLastChanges(db, page)),
    lastSeq: () => database.read(lastSeq),
    /** Agents that are opted out now, and whose settings changed at this moment or later; epoch milliseconds. */
    optedOutSince: (at: number) => database.read((db) => readOptedOutSince(db, at)),
  };
}

/** Marks agents as dirty, inside the caller's transaction: their facts changed. */
export async function markDirty(db: Db, agents: readonly string[], now: number): Promise<void> {
  await db
    .updateTable('agent')
    .set((row) => ({
      revision: row('revision', '+', 1),
      dirty_since: row.fn.coalesce('dirty_since', row.val(now)),
    }))
    .where('agent', 'in', listOf(db, agents))
    .execute();
}

/** The same for one agent. */
export function markOneDirty(db: Db, agent: string, now: number): Promise<void> {
  return markDirty(db, [agent], now);
}

/** Dirty agents, then clean ones whose document changes by time alone. */
async function readDirty(db: Db, limit: number, now: number): Promise<readonly DirtyAgent[]> {
  const dirty = await db
    .selectFrom('agent')
    .select(['agent', 'revision', 'trace'])
    .where('dirty_since', 'is not', null)
    .orderBy('dirty_since')
    .limit(limit)
    .execute();
  const taken = dirty.map(
    ({ agent, revision, trace }): DirtyAgent => ({ agent, revision, ...present({ trace }) }),
  );
  if (taken.length === limit) return taken;
  const ripe = await db
    .selectFrom('agent')
    .select(['agent', 'revision'])
    .where('restitch_at', '<=', now)
    .where('dirty_since', 'is', null)
    .orderBy('restitch_at')
    .limit(limit - taken.length)
    .execute();
  return [...taken, ...ripe];
}

/** An agent whose facts changed meanwhile stays dirty: with the new facts stitching may succeed. */
async function putOff(db: Db, { agent, revision }: DirtyAgent, until: number): Promise<void> {
  await db
    .updateTable('agent')
    .set({ dirty_since: null, restitch_at: until })
    .where('agent', '=', agent)
    .where('revision', '=', revision)
    .execute();
}

async function saveStitched(
  db: Db,
  stitched: readonly StitchedAgent[],
  now: number,
): Promise<readonly SavedDocument[]> {
  const settled: StitchedAgent[] = [];
  // in one order, or two processes could deadlock
  for (const one of stitched.toSorted((a, b) => (a.agent < b.agent ? -1 : 1)))
    if (await settle(db, one)) settled.push(one);
  const documents = settled.map(({ agent, stitched: { document }, trace }) => ({ agent, document, trace }));
  return replaceDocuments(db, documents, now);
}

/**
 * Clears the dirty mark, unless the facts changed again meanwhile. Returns false if a stitch of newer facts was saved
 * before: then this one must not be saved.
 */
async function settle(db: Db, { agent, revision, stitched }: StitchedAgent): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('agent')
    .set((row) => ({
      stitched_revision: revision,
      restitch_at: stitched.restitchAt ?? null,
      dirty_since: row.case().when('revision', '=', revision).then(null).else(row.ref('dirty_since')).end(),
      trace: row.case().when('revision', '=', revision).then(null).else(row.ref('trace')).end(),
    }))
    .where('agent', '=', agent)
    .where('stitched_revision', '<=', revision)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/**
 * Withdraws the test results from an agent's document, in the transaction of its owner's opt-out: no reader sees them
 * afterwards, even if nothing is stitched. A stitch in progress, of facts from before the opt-out, will be refused.
 */
export async function withdrawResults(
  db: Db,
  agent: string,
  lifecycleStage: LifecycleStage,
  now: number,
): Promise<void> {
  await db
    .updateTable('agent')
    .set((row) => ({ stitched_revision: row.ref('revision') }))
    .where('agent', '=', agent)
    .execute();
  const [stored] = await readSaved(db, [agent]);
  const document = stored?.document && withoutVerdict(stored.document, lifecycleStage);
  await replaceDocuments(db, [{ agent, document }], now);
}

interface NewDocument {
  readonly agent: string;
  /** Undefined: the agent is not listed any more. */
  readonly document: AgentDocument | undefined;
  readonly trace?: string | undefined;
}

/**
 * Stores documents, and appends to the change log what differs from the stored ones. Returns those that differ. A document
 * has the number of its last change as its version.
 *
 * Numbers have no gaps. They are given under a lock that is held until the commit, so a reader that has seen a number has
 * seen all below it. The newest row is never deleted, so no number is given twice.
 */
async function replaceDocuments(
  db: Db,
  documents: readonly NewDocument[],
  now: number,
): Promise<readonly SavedDocument[]> {
  const agents = documents.map(({ agent }) => agent);
  const rows = await db
    .selectFrom('document')
    .select(['agent', 'hash', 'value'])
    .where('agent', 'in', listOf(db, agents))
    .execute();
  const stored = new Map(rows.map((row) => [row.agent, row]));
  const changed = documents.flatMap(({ agent, document, trace }) => {
    const value = document === undefined ? null : JSON.stringify(document);
    const contentHash = value === null ? null : hash('sha256', value);
    const before = stored.get(agent);
    if ((before?.hash ?? null) === contentHash) return [];
    const change = changedFields(parsed<AgentDocument>(before?.value ?? null), document);
    return change === undefined ? [] : [{ agent, document, trace, value, hash: contentHash, change }];
  });
  if (changed.length === 0) return [];
  await lockAlone(db, 'changeLog');
  const last = await lastSeq(db);
  const saved = changed.map((one, at) => ({ ...one, version: last + 1 + at }));
  await insertInChunks(saved, (some) =>
    db
      .insertInto('change_log')
      .values(
        some.map(({ version, agent, trace = null, change }) => ({
          seq: version,
          agent,
          kind: change.kind,
          before: jsonOrNull(change.before),
          after: jsonOrNull(change.after),
          at: now,
          trace,
        })),
      )
      .execute(),
  );
  await insertInChunks(saved, (some) =>
    db
      .insertInto('document')
      .values(
        some.map(({ agent, version, hash: contentHash, value }) => ({
          agent,
          version,
          hash: contentHash,
          value,
        })),
      )
      .onConflict((known) =>
        known.column('agent').doUpdateSet((row) => ({
          version: row.ref('excluded.version'),
          hash: row.ref('excluded.hash'),
          value: row.ref('excluded.value'),
        })),
      )
      .execute(),
  );
  return saved.map(({ agent, version, document }) => ({ agent, version, ...(document && { document }) }));
}

/** All agents with a document, in the order of their URLs. */
async function readListed(db: Db, after = '', limit: number): Promise<readonly SavedDocument[]> {
  const rows = await db
    .selectFrom('document')
    .selectAll()
    .where('hash', 'is not', null)
    .where('agent', '>', after)
    .orderBy('agent')
    .limit(limit)
    .execute();
  return rows.map(savedDocument);
}

async function countListed(db: Db): Promise<number> {
  const { listed } = await db
    .selectFrom('document')
    .select((row) => row.fn.countAll<number>().as('listed'))
    .where('hash', 'is not', null)
    .executeTakeFirstOrThrow();
  return listed;
}

async function readSaved(db: Db, agents: readonly string[]): Promise<readonly SavedDocument[]> {
  const rows = await db.selectFrom('document').selectAll().where('agent', 'in', listOf(db, agents)).execute();
  return rows.map(savedDocument);
}

function savedDocument(row: Selectable<Tables['document']>): SavedDocument {
  const document = parsed<AgentDocument>(row.value);
  return { agent: row.agent, version: row.version, ...(document && { document }) };
}

/** The changes behind a number, in order. */
async function readChanges(db: Db, after: number, limit: number): Promise<readonly Change[]> {
  const rows = await changeRows(db).where('seq', '>', after).orderBy('seq').limit(limit).execute();
  return rows.map(change);
}

/** The changes before a number, newest first. */
async function readLastChanges(
  db: Db,
  { agent, before = Number.MAX_SAFE_INTEGER, limit }: ChangePage,
): Promise<readonly Change[]> {
  const page = changeRows(db).where('seq', '<', before).orderBy('seq', 'desc').limit(limit);
  const rows = await (agent === undefined ? page : page.where('change_log.agent', '=', agent)).execute();
  return rows.map(change);
}

/** With the current opt-out of each agent's owner, which hides results from every reader of the log. */
function changeRows(db: Db) {
  return db
    .selectFrom('change_log')
    .leftJoin('agent_settings as chosen', 'chosen.agent', 'change_log.agent')
    .selectAll('change_log')
    .select('chosen.opted_out');
}

function change(row: Selectable<Tables['change_log']> & { readonly opted_out: number | null }): Change {
  const logged: Change = {
    seq: row.seq,
    agent: row.agent,
    kind: row.kind,
    before: parsed<Record<string, unknown>>(row.before) ?? null,
    after: parsed<Record<string, unknown>>(row.after) ?? null,
    at: row.at,
    ...present({ trace: row.trace }),
  };
  return row.opted_out === 1 ? withoutResults(logged) : logged;
}

async function lastSeq(db: Db): Promise<number> {
  const { seq } = await db
    .selectFrom('change_log')
    .select((row) => row.fn.max('seq').as('seq'))
    .executeTakeFirstOrThrow();
  return seq ?? 0;
}

/** A literal: a bound value would not select the partial index. */
const OPTED_OUT = sql.lit(1);

async function readOptedOutSince(db: Db, at: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('agent_settings')
    .select('agent')
    .where('opted_out', '=', OPTED_OUT)
    .where('updated_at', '>=', at)
    .execute();
  return rows.map(({ agent }) => agent);
}

type Fields = Readonly<Record<string, unknown>>;

/** Values whose JSON text is longer are logged as the hash of that text. */
const MAX_LOGGED_CHARACTERS = 1_024;

/** Their fields are logged one by one: a short one is kept beside a long one. */
const DEEP: ReadonlySet<string> = new Set(['base', 'compliance'] satisfies readonly (keyof AgentDocument)[]);

/**
 * How the change log describes a change: the top-level fields of the document that differ (`base` and `compliance` one
 * level deeper), as they were and as they are. Undefined when nothing differs.
 */
function changedFields(
  before: AgentDocument | undefined,
  after: AgentDocument | undefined,
): Pick<Change, 'kind' | 'before' | 'after'> | undefined {
  const kind = kindOf(before, after);
  if (kind === undefined) return undefined;
  if (before === undefined || after === undefined)
    return {
      kind,
      before: before ? logged({ ...before }) : null,
      after: after ? logged({ ...after }) : null,
    };
  const [was, is] = difference({ ...before }, { ...after }, DEEP);
  const isSame = Object.keys(was).length + Object.keys(is).length === 0;
  return isSame ? undefined : { kind, before: was, after: is };
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
