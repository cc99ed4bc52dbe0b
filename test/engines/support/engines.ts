/**
 * The real engines for a test file: import what you need, and what was made here is gone after the file.
 */
import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { createDatabase, dropDatabase } from '../start/databases.ts';
import type {} from './global-setup.ts';

const databases: string[] = [];
const indexPrefixes: string[] = [];

/** Removes what the file has made on the engines. */
export async function removeWhatWasMade(): Promise<void> {
  const [urls, prefixes] = [databases.splice(0), indexPrefixes.splice(0)];
  // a server of ours goes away with all of them; dropping one waits for the disk each time
  if (inject('isPostgresKept')) for (const url of urls) await dropDatabase(inject('postgresUrl'), url);
  for (const prefix of prefixes) await removeIndices(prefix);
}

/** Creates an empty PostgreSQL database and returns its URL; it is gone after the file. */
export async function freshDatabase(): Promise<string> {
  const url = await createDatabase(inject('postgresUrl'));
  databases.push(url);
  return url;
}

/** The OpenSearch of all test files, `http://127.0.0.1:PORT`: use only names that begin with your prefix. */
export function openSearchUrl(): string {
  return inject('openSearchUrl');
}

/** A prefix for names of indices, aliases and templates, used by nobody else; they are deleted after the file. */
export function freshIndexPrefix(): string {
  const prefix = `t${randomBytes(6).toString('hex')}-`;
  indexPrefixes.push(prefix);
  return prefix;
}

async function removeIndices(prefix: string): Promise<void> {
  for (const path of [`${prefix}*`, `_index_template/${prefix}*`]) {
    const { ok, status } = await fetch(`${openSearchUrl()}/${path}`, { method: 'DELETE' });
    if (!ok && status !== 404) throw new Error(`${path} of a test is still there: HTTP ${status}`);
  }
}
