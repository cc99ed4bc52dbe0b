import { RegistryError } from '../../../../errors.ts';
import { sql } from '../../prepared.ts';
import { first } from '../../run-query.ts';
import type { SqlStore } from '../../sql-store.ts';
import type { Work } from '../../work.ts';

/** Throws `not_found` for a member that was never imported. */
export function* requireMember(store: SqlStore, slug: string): Work<void> {
  const known = sql.selectFrom('member').select('slug').where('slug', '=', slug);
  if ((yield* first(store, known)) === undefined) throw unknownMember(slug);
}

export function unknownMember(slug: string): RegistryError {
  return new RegistryError('not_found', `there is no member ${slug}`, {
    hint: 'import it first with registry members import FILE',
  });
}
