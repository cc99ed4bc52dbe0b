import type { OwnerStore } from '../../../../ports/owners.ts';
import type { SqlStore } from '../../sql-tasks.ts';
import { all, run, sql } from '../../statements.ts';

/** All stored credentials, page by page, and putting one under another seal. */
export function createCredentialSeals(store: SqlStore): Pick<OwnerStore, 'credentials' | 'resealCredential'> {
  return {
    async credentials({ after, limit }) {
      const stored = sql.selectFrom('test_credential').selectAll().orderBy('agent').limit(limit);
      const page = after === undefined ? stored : stored.where('agent', '>', after);
      const rows = await store.read(() => all(store, page));
      return rows.map(({ agent, member, sealed, set_at: setAt }) => ({ agent, member, sealed, setAt }));
    },
    resealCredential: ({ agent, from, to }) =>
      store.durably(function* () {
        const same = sql.updateTable('test_credential').set({ sealed: to }).where('agent', '=', agent);
        const changed = yield* run(store, same.where('sealed', '=', from));
        return changed > 0;
      }),
  };
}
