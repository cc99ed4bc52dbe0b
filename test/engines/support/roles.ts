import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import pg from 'pg';

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

/** From now on the server asks this role for its password; it takes anybody else's word. The server is on this machine. */
export async function askForPassword(url: string, role: string): Promise<void> {
  const [row] = await asOwner(url, 'SHOW hba_file');
  const file = String(row?.hba_file);
  writeFileSync(file, `host all "${role}" 127.0.0.1/32 scram-sha-256\n${readFileSync(file, 'utf8')}`);
  await asOwner(url, 'SELECT pg_reload_conf()');
}
