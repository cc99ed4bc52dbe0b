import type { Selectable } from 'kysely';
import { canonicalHash } from '../../base/json-bytes.ts';
import type { Actor } from '../../ports/actor.ts';
import type { LogHead } from '../../ports/audit.ts';
import type { AuditEntry, OwnerStore } from '../../ports/owners.ts';
import { lockAlone } from '../locks.ts';
import type { Tables } from '../schema.ts';
import { call, type SqlStore, type SqlTask } from '../sql-tasks.ts';
import { all, first, run, sql, storable } from '../statements.ts';

export const OPERATOR = { kind: 'operator' } as const satisfies Actor;

interface Deed {
  readonly at: number;
  readonly actor: Actor;
  readonly action: string;
  readonly subject: string;
  readonly details?: object;
}

/** Notes who did what to what, in the transaction of the deed; the member that the actor stands for is in the details. */
export function auditDeed(store: SqlStore, { actor, details = {}, ...deed }: Deed): SqlTask<void> {
  const member = memberOfActor(actor);
  return writeAuditEntry(store, {
    ...deed,
    actor: nameOf(actor),
    details: JSON.stringify({ ...(member !== undefined && { member }), ...details }),
  });
}

/** What a record says, without its place in the chain. */
type NewRecord = Pick<Selectable<Tables['audit']>, 'at' | 'actor' | 'action' | 'subject' | 'details'>;

/** A record of the log, with the hash of the one before it. */
export type ChainedRecord = NewRecord & { readonly id: number; readonly prev: string };

/** What the first record of all comes after. */
export const BEGINNING: LogHead = { record: 0, hash: '0'.repeat(64) };

/** The hash of a record: SHA-256 of its canonical JSON (RFC 8785), with `details` as the text that is stored. */
export function recordHash({ id, at, actor, action, subject, details, prev }: ChainedRecord): string {
  return canonicalHash({ id, at, actor, action, subject, details, prev }, 'hex');
}

/** Reads the log, newest first. What became of the badges of an agent that is opted out now is left out. */
export function createAuditLog(store: SqlStore): Pick<OwnerStore, 'auditLog'> {
  return {
    async auditLog({ subject, before, limit }) {
      const columns = ['id', 'at', 'actor', 'action', 'subject', 'details'] as const;
      const newest = shownRecords().select(columns).orderBy('id', 'desc').limit(limit);
      const about = subject === undefined ? newest : newest.where('subject', '=', subject);
      const page = before === undefined ? about : about.where('id', '<', before);
      const rows = await store.read(() => all(store, page));
      return rows.map((row): AuditEntry => ({ ...row, details: JSON.parse(row.details) }));
    },
  };
}

function shownRecords() {
  return sql
    .selectFrom('audit')
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
    );
}

/**
 * Adds a record to the log, chained to the one before it. Rows are never changed. Nothing that others may wait for is
 * locked after it in the same transaction.
 */
export function* writeAuditEntry(store: SqlStore, entry: NewRecord): SqlTask<void> {
  yield* call((db) => lockAlone(db, 'audit'));
  const before = yield* chainHead(store);
  // as every engine stores and gives it back, or the hash would not be that of what is stored
  const text = (value: string) => storable(value.toWellFormed()) as string;
  const [actor, subject, details] = [entry.actor, entry.subject, entry.details].map(text) as [
    string,
    string,
    string,
  ];
  const record = { ...entry, actor, subject, details, id: before.record + 1, prev: before.hash };
  yield* run(store, sql.insertInto('audit').values({ ...record, hash: recordHash(record) }));
}

const newestRecord = () =>
  sql.selectFrom('audit').select(['id as record', 'hash']).orderBy('id', 'desc').limit(1);

/** The newest record with its hash. Records from before the chain have none yet: theirs are computed, in their order. */
export function* chainHead(store: SqlStore): SqlTask<LogHead> {
  const newest = yield* first(store, newestRecord());
  if (newest === undefined) return BEGINNING;
  if (newest.hash !== null) return { record: newest.record, hash: newest.hash };
  let head = BEGINNING;
  for (;;) {
    const page = yield* all(store, recordsAfter(head.record));
    for (const row of page) head = { record: row.id, hash: recordHash({ ...row, prev: head.hash }) };
    if (page.length < AUDIT_PAGE) return head;
  }
}

/** Records read at once. */
export const AUDIT_PAGE = 1_000;

/** The records after one, oldest first. */
export function recordsAfter(id: number) {
  return sql.selectFrom('audit').selectAll().where('id', '>', id).orderBy('id').limit(AUDIT_PAGE);
}

/** The member that an actor stands for, if any. */
export function memberOfActor(actor: Actor): string | undefined {
  return actor.kind === 'signature' ? undefined : actor.member;
}

function nameOf(actor: Actor): string {
  if (actor.kind === 'operator') return 'operator';
  return actor.kind === 'key' ? actor.keyId : `signature:${actor.keyId}`;
}
