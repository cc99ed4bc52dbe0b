import { setImmediate } from 'node:timers/promises';
import type { Selectable } from 'kysely';
import { present } from '../../base/json.ts';
import { canonicalHash } from '../../base/json-bytes.ts';
import type { Actor } from '../../domain/actor.ts';
import { RegistryError } from '../../errors.ts';
import { type Db, type RecordsDatabase, storable } from '../database.ts';
import { lockAlone } from '../locks.ts';
import type { Tables } from '../tables.ts';
import { lockAgent } from './checks.ts';

/*
 * The audit log: who did what to what. Its records form a hash chain, so that a record that was changed, added or removed
 * outside of this program is found.
 */

/** An access of an owner, by its API key, to the history of its agent or to one finished run. */
export interface OwnerAccess {
  /** Canonical URL. */
  readonly agent: string;
  readonly keyId: string;
  readonly member: string;
  /** Absent: the history. */
  readonly runId?: string;
}

/** Who did what to what, and what it changed. */
export interface AuditEntry {
  readonly id: number;
  readonly at: number;
  /** `operator`, `registry`, the id of an API key, or `signature:` and the id of the key that signed the message. */
  readonly actor: string;
  /** `agent.settings`, for example. */
  readonly action: string;
  /** An agent, an API key or a member. */
  readonly subject: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * The newest record of the audit log at some moment. A head that is kept elsewhere shows whether the log was shortened
 * or changed.
 */
export interface LogHead {
  /** The id of the record; 0 for an empty log. */
  readonly record: number;
  /** SHA-256 of the record in its canonical form, lower case hex. */
  readonly hash: string;
}

/** A head that the log itself keeps. */
export interface KeptHead extends LogHead {
  /** A checkpoint: the record and those before it may be gone. */
  readonly kind: 'head' | 'checkpoint';
  /** Epoch milliseconds. */
  readonly at: number;
  /** Absent: it was not signed. */
  readonly token?: string;
}

/** The result of verifying the whole log. */
export type AuditVerdict =
  | {
      readonly whole: true;
      readonly records: number;
      /** The first record that is still there, and the checkpoint for the records before it. */
      readonly first?: number;
      readonly checkpoint?: KeptHead;
      readonly head: LogHead;
    }
  | {
      readonly whole: false;
      /** The first record that is broken or missing. */
      readonly record: number;
      /** One sentence, lower case, without a full stop. */
      readonly reason: string;
    };

type AuditRow = Selectable<Tables['audit']>;
type Broken = Extract<AuditVerdict, { whole: false }>;

/** A record with its number and the hash of the one before it. */
export type ChainedRecord = Pick<AuditRow, 'at' | 'actor' | 'action' | 'subject' | 'details'> & {
  readonly id: number;
  readonly prev: string;
};

export const OPERATOR = { kind: 'operator' } as const satisfies Actor;

/** The predecessor of the first record. */
const BEGINNING: LogHead = { record: 0, hash: '0'.repeat(64) };

/** Records read at once. */
const AUDIT_PAGE = 1_000;

const HOUR_MS = 3_600_000;
const ACCESS = 'runs.read';
/** Entries of an agent's log that are searched for the same access: more than an owner makes in an hour. */
const NEWEST_ENTRIES = 1_000;

/** `registry`: a decision of this program, such as a badge. */
type AuditActor = Actor | { readonly kind: 'registry' };

interface AuditedAction {
  readonly at: number;
  readonly actor: AuditActor;
  readonly action: string;
  readonly subject: string;
  readonly details?: object;
}

/**
 * Adds a record of an action to the log, in the transaction of the change, chained to the record before it. The details
 * include the member for whom the actor acts. The lock of the log must be the last one that a transaction waits for.
 */
export async function audit(db: Db, { at, actor, action, subject, details }: AuditedAction): Promise<void> {
  await lockAlone(db, 'audit');
  const before = await chainHead(db);
  // the hash must be that of the text as a database returns it
  const text = (value: string) => storable(value.toWellFormed()) as string;
  const record = {
    at,
    actor: text(nameOf(actor)),
    action,
    subject: text(subject),
    details: text(detailsText(actor, details)),
    id: before.record + 1,
    prev: before.hash,
  };
  await db
    .insertInto('audit')
    .values({ ...record, hash: recordHash(record) })
    .execute();
}

function detailsText(actor: AuditActor, details: object = {}): string {
  const member = memberOfActor(actor);
  return JSON.stringify({ ...(member !== undefined && { member }), ...details });
}

/**
 * The details of an action that was recorded with exactly this time, if any: the transaction is being repeated, because
 * the answer to its commit was lost.
 */
export async function recordedDetails(
  db: Db,
  { at, actor, action, subject }: AuditedAction,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const row = await db
    .selectFrom('audit')
    .select('details')
    .where('subject', '=', subject)
    .where('action', '=', action)
    .where('actor', '=', nameOf(actor))
    .where('at', '=', at)
    .executeTakeFirst();
  return row && JSON.parse(row.details);
}

/** The hash of a record: SHA-256 of its canonical JSON (RFC 8785), with `details` as the text that is stored. */
export function recordHash({ id, at, actor, action, subject, details, prev }: ChainedRecord): string {
  return canonicalHash({ id, at, actor, action, subject, details, prev }, 'hex');
}

/** The member for whom an actor acts, if any. */
export function memberOfActor(actor: AuditActor): string | undefined {
  return 'member' in actor ? actor.member : undefined;
}

function nameOf(actor: AuditActor): string {
  if (actor.kind === 'key') return actor.keyId;
  return actor.kind === 'signature' ? `signature:${actor.keyId}` : actor.kind;
}

interface AuditPage {
  readonly subject?: string;
  /** The id of an entry. */
  readonly before?: number;
  readonly limit: number;
}

/** The log as owners and operators read it. */
export function createAuditLog(database: RecordsDatabase) {
  return {
    /** The audit log, newest first, of one subject or of all; `before` is the id of an entry. */
    auditLog: (page: AuditPage) => database.read((db) => readLog(db, page)),
    /**
     * Records that an owner has read the runs of its agent (`runs.read`), unless any process recorded the same access
     * of the same key less than an hour ago. No change depends on it, so a loss of power may lose the last entries.
     */
    noteAccess: (access: OwnerAccess, now: number) =>
      database.transaction((db) => noteAccess(db, access, now)),
  };
}

/** Newest first, without the badge events of agents that are opted out. */
async function readLog(db: Db, { subject, before, limit }: AuditPage): Promise<readonly AuditEntry[]> {
  let page = db
    .selectFrom('audit')
    .select(['id', 'at', 'actor', 'action', 'subject', 'details'])
    .where((row) =>
      row.or([
        row('action', 'not like', 'badge.%'),
        row.not(
          row.exists(
            row
              .selectFrom('agent_settings')
              .select('agent_settings.agent')
              .whereRef('agent_settings.agent', '=', 'audit.subject')
              .where('agent_settings.opted_out', '=', 1),
          ),
        ),
      ]),
    )
    .orderBy('id', 'desc')
    .limit(limit);
  if (subject !== undefined) page = page.where('subject', '=', subject);
  if (before !== undefined) page = page.where('id', '<', before);
  const rows = await page.execute();
  return rows.map((row) => ({ ...row, details: JSON.parse(row.details) }));
}

/**
 * Records that an owner has read the runs of its agent (`runs.read`), unless any process recorded the same access of
 * the same key less than an hour ago. No change depends on it, so a loss of power may lose the last entries.
 */
async function noteAccess(db: Db, { agent, keyId, member, runId }: OwnerAccess, now: number): Promise<void> {
  await lockAgent(db, agent); // or two processes record the same access
  const actor = { kind: 'key', keyId, member } as const;
  const details = present({ run_id: runId });
  const newest = db
    .selectFrom('audit')
    .selectAll()
    .where('subject', '=', agent)
    .orderBy('id', 'desc')
    .limit(NEWEST_ENTRIES);
  const same = await db
    .selectFrom(newest.as('newest'))
    .select('id')
    .where('action', '=', ACCESS)
    .where('actor', '=', keyId)
    .where('details', '=', detailsText(actor, details))
    .where('at', '>', now - HOUR_MS)
    .where('at', '<=', now) // a later one was written before the clock was set back
    .limit(1)
    .executeTakeFirst();
  if (same === undefined) await audit(db, { at: now, actor, action: ACCESS, subject: agent, details });
}

/**
 * The audit log as a hash chain: its heads, its verification, and pruning of old records. Records are added in the
 * transaction of the change that they describe.
 */
export function createAuditChain(database: RecordsDatabase) {
  return {
    head: () => database.read(chainHead),
    /** Oldest first. */
    keptHeads: () => database.read(keptHeads),
    /** Keeps a head beside the log; a record is kept once for each kind. */
    keepHead: (head: KeptHead) => database.durably((db) => keepHead(db, head)),
    /** Reads the whole log, and checks that it contains its stored heads and the heads passed as `outside`. */
    verify: (outside: readonly LogHead[] = []) => verify(database, outside),
    /** The newest record of those that are all older than this moment, without the newest of the log; undefined: none. */
    olderThan: (moment: number) => database.read((db) => olderThan(db, moment)),
    /**
     * Deletes the records up to a checkpoint, stores the checkpoint, and adds a record of the deletion (`audit.prune`).
     * Rejects with `input_invalid` if the log does not contain the record of the checkpoint. Returns the number of
     * deleted records.
     */
    prune: (checkpoint: KeptHead, now: number) => database.durably((db) => prune(db, checkpoint, now)),
  };
}

export type AuditTrail = ReturnType<typeof createAuditChain>;

async function chainHead(db: Db): Promise<LogHead> {
  const newest = await db
    .selectFrom('audit')
    .select(['id', 'hash'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (newest === undefined) return BEGINNING;
  // without a hash only after someone has changed the log, which `verify` reports
  return { record: newest.id, hash: newest.hash ?? BEGINNING.hash };
}

async function keptHeads(db: Db): Promise<readonly KeptHead[]> {
  const rows = await db.selectFrom('audit_head').selectAll().orderBy('record').orderBy('kind').execute();
  return rows.map(({ kind, record, hash, at, token }) => ({ kind, record, hash, at, ...present({ token }) }));
}

async function keepHead(db: Db, { kind, record, hash, at, token }: KeptHead): Promise<void> {
  await db
    .insertInto('audit_head')
    .values({ kind, record, hash, at, token: token ?? null })
    .onConflict((same) => same.columns(['kind', 'record']).doNothing())
    .execute();
}

async function olderThan(db: Db, moment: number): Promise<LogHead | undefined> {
  const head = await chainHead(db);
  const next = await db
    .selectFrom('audit')
    .select('id')
    .where('at', '>=', moment)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  const last = await db
    .selectFrom('audit')
    .select(['id', 'hash'])
    .where('id', '<', next?.id ?? head.record)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.hash == null ? undefined : { record: last.id, hash: last.hash };
}

async function prune(db: Db, checkpoint: KeptHead, now: number): Promise<number> {
  const { record, hash } = checkpoint;
  const action = { at: now, actor: OPERATOR, action: 'audit.prune', subject: 'audit' };
  await lockAlone(db, 'audit');
  const before = await recordedDetails(db, action);
  if (before?.through === record) return Number(before.records);
  const stored = await db.selectFrom('audit').select('hash').where('id', '=', record).executeTakeFirst();
  const head = await chainHead(db);
  if (stored?.hash !== hash || record >= head.record)
    throw new RegistryError(
      'input_invalid',
      `record ${record} of the audit log differs from its checkpoint`,
      { hint: 'find the difference with agent-registry audit verify' },
    );
  await keepHead(db, checkpoint);
  const { numDeletedRows } = await db.deleteFrom('audit').where('id', '<=', record).executeTakeFirst();
  const records = Number(numDeletedRows);
  await audit(db, { ...action, details: { through: record, records } });
  return records;
}

/** Reads the log once, page by page, and compares it with the stored heads and with those from outside. */
async function verify(database: RecordsDatabase, outside: readonly LogHead[]): Promise<AuditVerdict> {
  const kept = await database.read(keptHeads);
  const claimed = Map.groupBy([...kept, ...outside], ({ record }) => record);
  const isDenied = ({ record, hash }: LogHead) => claimed.get(record)?.some((other) => other.hash !== hash);
  let head = BEGINNING;
  let checkpoint: KeptHead | undefined;
  let first: number | undefined;
  let records = 0;
  for (let after = 0; ; ) {
    const page = await database.read((db) => recordsAfter(db, after));
    for (const row of page) {
      if (first === undefined) {
        first = row.id;
        checkpoint = kept.find(({ kind, record }) => kind === 'checkpoint' && record === row.id - 1);
        head = checkpoint ?? BEGINNING;
        if (isDenied(head))
          return broken(head.record, 'its checkpoint differs from the record in a signed head');
      }
      const { id, hash, prev } = row;
      if (hash === null || prev === null) return broken(id, 'it has no hash');
      const fault = faultOf({ ...row, hash, prev }, head);
      if (fault !== undefined) return fault;
      head = { record: id, hash };
      records += 1;
      if (isDenied(head)) return broken(id, 'it differs from the record in a signed head');
    }
    if (page.length < AUDIT_PAGE) break;
    after = head.record;
    await setImmediate();
  }
  const beyond = [...claimed.keys()].find((record) => record > head.record);
  if (beyond !== undefined)
    return broken(head.record + 1, `it is missing: a signed head refers to record ${beyond}`);
  return { whole: true, records, head, ...present({ first, checkpoint }) };
}

function recordsAfter(db: Db, id: number): Promise<AuditRow[]> {
  return db.selectFrom('audit').selectAll().where('id', '>', id).orderBy('id').limit(AUDIT_PAGE).execute();
}

function faultOf(row: ChainedRecord & { readonly hash: string }, before: LogHead): Broken | undefined {
  const { id, hash, prev } = row;
  if (recordHash(row) !== hash) return broken(id, 'it was changed after it was written');
  if (before.record > 0 && id !== before.record + 1) return broken(before.record + 1, 'it is missing');
  if (prev === before.hash && id === before.record + 1) return undefined;
  return before.record === 0
    ? broken(id - 1, 'it is missing, and no checkpoint covers it')
    : broken(before.record, `it is not the predecessor of record ${id}`);
}

function broken(record: number, reason: string): Broken {
  return { whole: false, record, reason };
}
