import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { openPostgresRecords } from '../../../src/adapters/sql/postgres/postgres-records.ts';
import { describeRecords } from '../../contract/records.ts';
import { freshDatabase } from '../support/engines.ts';
import { asOwner } from '../support/roles.ts';

/** All rows go, those that refer to others before the others, and the sequences begin again. */
const EMPTY = `DO $$ DECLARE made record; BEGIN
  FOR made IN SELECT oid::regclass AS name FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'registry_schema' ORDER BY oid DESC
  LOOP EXECUTE 'DELETE FROM ' || made.name; END LOOP;
  PERFORM setval(oid, 1, false) FROM pg_class WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace;
  INSERT INTO meta SELECT * FROM first.meta;
END $$`;

// One database for all tests: to make one takes fifty times as long as to empty one.
let url: string;
beforeAll(async () => {
  url = await freshDatabase();
  await (await openPostgresRecords({ url })).close();
  await asOwner(url, 'CREATE SCHEMA first', 'CREATE TABLE first.meta AS TABLE meta');
});

describeRecords('PostgreSQL', async () => {
  await asOwner(url, EMPTY);
  return {
    open: (bodies) => openPostgresRecords({ url, connections: 4, bodies }),
    crashWriter: [join(import.meta.dirname, 'crash-writer.ts'), url],
    stop: async () => {},
  };
});
