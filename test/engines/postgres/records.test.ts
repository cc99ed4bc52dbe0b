import { join } from 'node:path';
import pg from 'pg';
import { beforeAll } from 'vitest';
import type { Records } from '../../../src/ports/records.ts';
import { openPostgresRecords } from '../../../src/records/postgres/postgres-records.ts';
import { describeRecords } from '../../contract/records.ts';
import { freshDatabase } from '../support/engines.ts';

/** All rows go, those that refer to others before the others, and the sequences begin again. */
const EMPTY = `DO $$ DECLARE made record; BEGIN
  FOR made IN SELECT oid::regclass AS name FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname NOT LIKE 'kysely%' ORDER BY oid DESC
  LOOP EXECUTE 'DELETE FROM ' || made.name; END LOOP;
  PERFORM setval(oid, 1, false) FROM pg_class WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace;
  INSERT INTO meta SELECT * FROM first.meta;
END $$`;

// One database for all tests: to make one takes fifty times as long as to empty one. One connection that empties it, and one process
// that a test begins with: a new connection has to read the description of every table that it touches.
let url: string;
let owner: pg.Client;
let first: Records;
beforeAll(async () => {
  url = await freshDatabase();
  first = await openPostgresRecords({ url, connections: 4 });
  owner = new pg.Client({ connectionString: url });
  await owner.connect();
  await owner.query('CREATE SCHEMA first');
  await owner.query('CREATE TABLE first.meta AS TABLE meta');
  return async () => {
    await owner.end();
    await first.close();
  };
});

describeRecords('PostgreSQL', async () => {
  await owner.query(EMPTY);
  // the process remembers where the due times of the last test began, until its clock is put back
  for (const kind of ['domain', 'agent'] as const) await first.sources.due(kind, 1, 0);
  let isOpen = false;
  return {
    async open(bodies) {
      if (isOpen || bodies !== undefined) return openPostgresRecords({ url, connections: 4, bodies });
      isOpen = true;
      return { ...first, close: async () => {} };
    },
    crashWriter: [join(import.meta.dirname, 'crash-writer.ts'), url],
    stop: async () => {},
  };
});
