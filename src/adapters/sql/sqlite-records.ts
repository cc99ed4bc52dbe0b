import type { Records } from '../../ports/records.ts';
import { openDatabase, type SqliteDatabase } from './database.ts';
import { migrate, SCHEMA_VERSION, schemaVersion } from './migrate.ts';
import { createAgentStore } from './records/agent-store.ts';
import { createGroupCommit } from './records/group-commit.ts';
import { createMemberStore } from './records/member-store.ts';
import { prune } from './records/prune.ts';
import { createRobotsStore } from './records/robots-store.ts';
import { createSecrets } from './records/secrets.ts';
import { createSourceStore } from './records/source-store.ts';
import { createVisitWriter } from './records/visit-writer.ts';

export interface SqliteRecordsOptions {
  /** The file; `:memory:` for a store that ends with the process. */
  readonly path: string;
  /** Opens an existing store that is never written. Default false. */
  readonly readOnly?: boolean;
  /** Makes the store when there is none. Default true; never when read-only. */
  readonly create?: boolean;
  /** How long to wait for another process's write, milliseconds. Default 5,000. */
  readonly busyTimeoutMs?: number;
}

/** The records, and the database that the embedded index shares with them. */
export interface SqliteRecords extends Records {
  readonly database: SqliteDatabase;
}

/** Visits committed within this time share a transaction. */
const GROUP_DELAY_MS = 25;
const GROUP_SIZE = 200;

/** What a check reads; writing would wait for every other writer, and make caches believe that something changed. */
const A_ROW = 'SELECT name FROM meta LIMIT 1';

/**
 * Opens the records in one SQLite file, brought to this program's schema. Rejects with a RegistryError with the
 * code store_missing, store_corrupt, store_newer or store_locked, each with a hint.
 */
export async function openSqliteRecords(options: SqliteRecordsOptions): Promise<SqliteRecords> {
  const database = openMigrated(options);
  const commits = createGroupCommit(createVisitWriter(database), {
    delayMs: GROUP_DELAY_MS,
    maxJobs: GROUP_SIZE,
  });
  const secret = createSecrets(database);
  const robots = createRobotsStore(database);
  return {
    database,
    sources: createSourceStore(database, commits),
    agents: createAgentStore(database),
    members: createMemberStore(database),
    robots,
    version: async () => database.version(),
    secret: async (name, bytes) => secret(name, bytes),
    check: async () => database.guard(() => void database.statement(A_ROW).get()),
    prune: (now) => prune(database, now),
    async close() {
      commits.flush();
      robots.close();
      database.close();
    },
  };
}

function openMigrated({ path, ...options }: SqliteRecordsOptions): SqliteDatabase {
  const database = openDatabase(path, options);
  try {
    if (!database.readOnly) migrate(database);
    if (schemaVersion(database) === SCHEMA_VERSION) return database;
  } catch (error) {
    database.close();
    throw error;
  }
  // an older store opened for reading: the schema is brought up once, with a connection that may write
  database.close();
  const writer = openMigrated({ path, create: false });
  writer.close();
  return openDatabase(path, options);
}
