import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { ASKED_FOR_PASSWORD } from '../start/postgres.ts';

/** Runs statements as the owner of the server. */
export async function asOwner(
  url: string,
  ...statements: readonly string[]
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: readonly Readonly<Record<string, unknown>>[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

/** A name for a role that nobody else has; roles belong to the whole server. */
export function roleName(kind: string): string {
  return `${kind}_${randomBytes(4).toString('hex')}`;
}

/** The same database for another user. */
export function urlAs(url: string, user: string, password = ''): string {
  const changed = new URL(url);
  [changed.username, changed.password] = [user, password];
  return changed.href;
}

/** From now on the server asks this role for its password; it takes anybody else's word. */
export async function askForPassword(url: string, role: string): Promise<void> {
  await asOwner(url, `GRANT ${ASKED_FOR_PASSWORD} TO ${role}`);
}

/** Ends the sessions of a role. Resolves when the server has none of them any more, which is a while after they were told. */
export async function endSessions(url: string, role: string): Promise<void> {
  await asOwner(
    url,
    `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE usename = '${role}'`,
  );
}
