import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** Creates an empty database on the server of `serverUrl` and returns its URL. The name is made up if not given. */
export async function createDatabase(serverUrl: string, name = randomName()): Promise<string> {
  await runStatement(serverUrl, `CREATE DATABASE ${pg.escapeIdentifier(name)}`);
  const url = new URL(serverUrl);
  url.pathname = `/${encodeURIComponent(name)}`;
  return url.href;
}

/** Drops the database that the URL names, whoever is connected to it. */
export async function dropDatabase(serverUrl: string, databaseUrl: string): Promise<void> {
  const name = decodeURIComponent(new URL(databaseUrl).pathname.slice(1));
  await runStatement(serverUrl, `DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`);
}

/** Runs one statement on a connection of its own. */
export async function runStatement(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function randomName(): string {
  return `test_${randomBytes(6).toString('hex')}`;
}
