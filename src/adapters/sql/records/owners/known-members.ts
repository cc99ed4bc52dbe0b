import { RegistryError } from '../../../../errors.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { first, sql } from '../../statements.ts';

/** Throws `not_found` for a member that was never imported. */
export function* requireMember(store: SqlStore, slug: string): SqlTask<void> {
  const known = sql.selectFrom('member').select('slug').where('slug', '=', slug);
  if ((yield* first(store, known)) === undefined) throw unknownMember(slug);
}

export function unknownMember(slug: string): RegistryError {
  return new RegistryError('not_found', `there is no member ${slug}`, {
    hint: 'import it first with registry members import FILE',
  });
}
