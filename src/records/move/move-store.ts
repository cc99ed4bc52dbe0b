import { RegistryError } from '../../errors.ts';
import type { StoreMove } from '../../ports/store-move.ts';
import { moveToPostgres } from './move-to-postgres.ts';

const SQLITE = /^sqlite:(.+)$/s;
const POSTGRES = /^postgres(ql)?:\/\//;

/** Moves records between two addresses as in REGISTRY_STORE. Throws `usage` for any but SQLite to PostgreSQL. */
export function moveStore(from: string, to: string): StoreMove {
  if (POSTGRES.test(from) && POSTGRES.test(to))
    throw wrong(
      '--from and --to are both PostgreSQL addresses',
      'use pg_dump and pg_restore to move a database',
    );
  if (POSTGRES.test(from))
    throw wrong('records can be moved from SQLite to PostgreSQL only', 'give --from sqlite:PATH');
  const path = SQLITE.exec(from)?.[1];
  if (path === undefined)
    throw wrong('--from is not the address of an SQLite store', 'write it as sqlite:PATH');
  if (SQLITE.test(to))
    throw wrong(
      '--from and --to are both SQLite files',
      'to copy a file, use sqlite3 FILE ".backup COPY"; --to must be a PostgreSQL address',
    );
  if (!POSTGRES.test(to) || !URL.canParse(to))
    throw wrong(
      '--to is not the address of a PostgreSQL database',
      'write it as postgres://user:password@host/database',
    );
  return moveToPostgres({ path, url: to });
}

/** The addresses stay out of the message: they may hold a password. */
function wrong(message: string, hint: string): RegistryError {
  return new RegistryError('usage', message, { hint });
}
