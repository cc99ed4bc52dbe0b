import type { Insertable } from 'kysely';
import type { Actor, AuditEntry, OwnerStore } from '../../../../ports/owners.ts';
import type { Tables } from '../../schema.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { all, run, sql } from '../../statements.ts';

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

/** Reads the log, newest first. */
export function createAuditLog(store: SqlStore): Pick<OwnerStore, 'auditLog'> {
  return {
    async auditLog({ subject, before, limit }) {
      const newest = sql.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(limit);
      const about = subject === undefined ? newest : newest.where('subject', '=', subject);
      const page = before === undefined ? about : about.where('id', '<', before);
      const rows = await store.read(() => all(store, page));
      return rows.map((row): AuditEntry => ({ ...row, details: JSON.parse(row.details) }));
    },
  };
}

/** Adds a row to the log. Rows are never changed or deleted. */
export function* writeAuditEntry(store: SqlStore, entry: Insertable<Tables['audit']>): SqlTask<void> {
  yield* run(store, sql.insertInto('audit').values(entry));
}

/** The member that an actor stands for, if any. */
export function memberOfActor(actor: Actor): string | undefined {
  return actor.kind === 'signature' ? undefined : actor.member;
}

function nameOf(actor: Actor): string {
  if (actor.kind === 'operator') return 'operator';
  return actor.kind === 'key' ? actor.keyId : `signature:${actor.keyId}`;
}
