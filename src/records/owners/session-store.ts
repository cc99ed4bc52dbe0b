import type { KeptSession, SessionStore } from '../../ports/sessions.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, run, sql } from '../statements.ts';
import { auditDeed } from './audit.ts';

/** Browsers that members signed in; looked for by a primary key at each of their requests. */
export function createSessionStore(store: SqlStore): SessionStore {
  const select = prepare(store, (param: Param<{ hash: string; now: number }>) =>
    sql
      .selectFrom('session')
      .selectAll()
      .where('hash', '=', param('hash'))
      .where('ends_at', '>', param('now')),
  );

  function* open({ member, ...session }: KeptSession & { member: string }, most: number): SqlTask<void> {
    const { hash, keyId: key, openedAt: opened_at, endsAt: ends_at } = session;
    const row = sql.insertInto('session').values({ hash, key, opened_at, ends_at });
    const added = yield* run(
      store,
      row.onConflict((same) => same.column('hash').doNothing()),
    );
    if (added === 0) return; // done again, as the answer to the first commit was lost
    const of = sql.selectFrom('session').select('hash').where('key', '=', key);
    const newest = of.orderBy('opened_at', 'desc').orderBy('hash').limit(most);
    yield* run(store, sql.deleteFrom('session').where('key', '=', key).where('hash', 'not in', newest));
    const actor = { kind: 'key', keyId: key, member } as const;
    const details = { ends_at: new Date(ends_at).toISOString() };
    yield* auditDeed(store, { at: opened_at, actor, action: 'session.open', subject: key, details });
  }
  return {
    open: (session, most) => store.durably(() => open(session, most)),
    async find(hash, now) {
      const row = await store.read(() => select.first({ hash, now }));
      return row && { hash, keyId: row.key, openedAt: row.opened_at, endsAt: row.ends_at };
    },
    async close(hash) {
      await store.durably(() => run(store, sql.deleteFrom('session').where('hash', '=', hash)));
    },
  };
}
