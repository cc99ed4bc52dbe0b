import type { SqliteDatabase } from './database.ts';
import { openDatabase } from './database.ts';
import type { DatabaseOptions } from './open-handle.ts';

interface ListOptions {
  /** Only keys after this one. */
  readonly after?: string;
  /** Default: all. */
  readonly limit?: number;
}

export interface Kept<T> {
  readonly key: string;
  readonly document: T;
}

export interface DueDocument<T> extends Kept<T> {
  readonly owner: string;
  readonly dueAt: number;
}

export interface LogEntry<T> {
  readonly sequence: number;
  readonly entry: T;
}

/** Tables of documents and logs; triggers refuse every statement that changes or removes an entry of a log. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS agent_documents (
    agent TEXT NOT NULL,
    collection TEXT NOT NULL,
    owner TEXT NOT NULL,
    key TEXT NOT NULL,
    body TEXT NOT NULL,
    due_at INTEGER,
    PRIMARY KEY (agent, collection, owner, key)
  ) WITHOUT ROWID, STRICT;
  CREATE INDEX IF NOT EXISTS agent_documents_due ON agent_documents (agent, collection, due_at)
    WHERE due_at IS NOT NULL;
  CREATE TABLE IF NOT EXISTS agent_logs (
    agent TEXT NOT NULL,
    stream TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (agent, stream, sequence)
  ) WITHOUT ROWID, STRICT;
  CREATE TRIGGER IF NOT EXISTS agent_logs_unchanged BEFORE UPDATE ON agent_logs
    BEGIN SELECT RAISE(ABORT, 'an entry of a log is never changed'); END;
  -- INSERT OR REPLACE removes the row that is in its way without the delete trigger, unless recursive_triggers is on
  CREATE TRIGGER IF NOT EXISTS agent_logs_once BEFORE INSERT ON agent_logs
    WHEN EXISTS (SELECT 1 FROM agent_logs
      WHERE agent = NEW.agent AND stream = NEW.stream AND sequence = NEW.sequence)
    BEGIN SELECT RAISE(ABORT, 'an entry of a log is never replaced'); END;
  CREATE TRIGGER IF NOT EXISTS agent_logs_kept BEFORE DELETE ON agent_logs
    BEGIN SELECT RAISE(ABORT, 'an entry of a log is never removed'); END;`;

const GET = 'SELECT body FROM agent_documents WHERE agent = ? AND collection = ? AND owner = ? AND key = ?';
const PUT = `INSERT INTO agent_documents (agent, collection, owner, key, body, due_at) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET body = excluded.body, due_at = excluded.due_at`;
const DELETE = 'DELETE FROM agent_documents WHERE agent = ? AND collection = ? AND owner = ? AND key = ?';
// `LIMIT +?`, because since 3.46 SQLite plans a statement again for each value of a bare `LIMIT ?`
const LIST = `SELECT key, body FROM agent_documents WHERE agent = ? AND collection = ? AND owner = ? AND key > ?
  ORDER BY key LIMIT +?`;
const COUNT = 'SELECT count(*) AS n FROM agent_documents WHERE agent = ? AND collection = ? AND owner = ?';
const DUE = `SELECT owner, key, body, due_at FROM agent_documents
  WHERE agent = ? AND collection = ? AND due_at <= ? AND due_at >= ? ORDER BY due_at, owner, key LIMIT +?`;
const NEXT_DUE = `SELECT min(due_at) AS at FROM agent_documents
  WHERE agent = ? AND collection = ? AND due_at IS NOT NULL`;
const AGENTS = 'SELECT DISTINCT agent FROM agent_documents ORDER BY agent';
const APPEND = 'INSERT INTO agent_logs (agent, stream, sequence, body) VALUES (?, ?, ?, ?)';
const READ = `SELECT sequence, body FROM agent_logs WHERE agent = ? AND stream = ? AND sequence > ?
  ORDER BY sequence LIMIT +?`;
const LAST = `SELECT sequence, body FROM agent_logs WHERE agent = ? AND stream = ? ORDER BY sequence DESC LIMIT 1`;
/** Earlier than any moment. */
const EVER = Number.MIN_SAFE_INTEGER;
/** SQLite's word for no limit. */
const ALL = -1;

interface Row {
  readonly key: string;
  readonly body: string;
}

interface DueRow extends Row {
  readonly owner: string;
  readonly due_at: number;
}

interface LogRow {
  readonly sequence: number;
  readonly body: string;
}

/**
 * Opens the states of reference agents in a SQLite file, which is created when it is not there (`:memory:` for states
 * that end with the process). What a transaction changed is on the disk when it returns. Several processes may share
 * the file. Throws a RegistryError `store_…`.
 */
export function openAgentStates(
  path: string,
  options: Pick<DatabaseOptions, 'create' | 'busyTimeoutMs'> = {},
) {
  const database = openDatabase(path, options);
  database.exec(TABLES);
  return {
    /** The state of the agent with this URL. */
    of: (agentUrl: string) => agentState(database, agentUrl),
    /** The URLs of the agents that have kept documents. */
    agents: (): readonly string[] =>
      database.guard(() =>
        (database.statement(AGENTS).all() as { agent: string }[]).map(({ agent }) => agent),
      ),
    close: () => database.close(),
  };
}

export type AgentStates = ReturnType<typeof openAgentStates>;

/**
 * The state of one reference agent: JSON documents, changed in transactions. Synchronous, so that nothing comes between the
 * statements of one.
 */
function agentState(database: SqliteDatabase, agent: string) {
  return {
    /**
     * Runs `work` in one write transaction, which is on the disk when this returns and is rolled back if `work` throws.
     * A nested call joins the open transaction. `work` must be synchronous.
     */
    transaction: <T>(work: () => T): T => database.durably(work),
    /**
     * Documents under a name. Those of one owner (the caller of the agent) are never seen under another; without an
     * owner they are the agent's own.
     */
    collection: <T>(name: string, owner = ''): Collection<T> =>
      collectionOf<T>(database, [agent, name, owner]),
    /** Documents of all owners whose time has come, the longest waiting first; only those due at `from` or later. */
    due: <T>(name: string, now: number, limit: number, from = EVER): readonly DueDocument<T>[] =>
      database.guard(() =>
        (
          database
            .statement(DUE)
            .all(agent, name, Math.floor(now), Math.ceil(from), limit) as unknown as DueRow[]
        ).map((row) => ({
          owner: row.owner,
          dueAt: row.due_at,
          ...kept<T>(row),
        })),
      ),
    /** When the next document of a collection is due, epoch milliseconds. */
    nextDue: (name: string): number | undefined =>
      database.guard(
        () => (database.statement(NEXT_DUE).get(agent, name) as { at: number | null }).at ?? undefined,
      ),
    /** A log to which entries are added, and in which none is ever changed: the engine refuses it. */
    log: <T>(stream: string): AppendOnlyLog<T> => logOf<T>(database, agent, stream),
  };
}

export type AgentState = ReturnType<typeof agentState>;

function collectionOf<T>(
  database: SqliteDatabase,
  place: readonly [agent: string, collection: string, owner: string],
) {
  const run = <R>(work: () => R): R => database.guard(work);
  const change = <R>(work: () => R): R => database.durably(work);
  return {
    get: (key: string): T | undefined =>
      run(() => {
        const row = database.statement(GET).get(...place, key) as Pick<Row, 'body'> | undefined;
        return row === undefined ? undefined : (JSON.parse(row.body) as T);
      }),
    /** `dueAt` (epoch milliseconds) is when `due` is to find the document; without it, never. */
    put: (key: string, document: T, dueAt?: number) => {
      const due = dueAt === undefined ? null : Math.ceil(dueAt);
      change(() => database.statement(PUT).run(...place, key, JSON.stringify(document), due));
    },
    /** True when there was one. */
    delete: (key: string): boolean =>
      change(() => database.statement(DELETE).run(...place, key).changes === 1),
    /** In the order of their keys. */
    list: ({ after = '', limit = ALL }: ListOptions = {}): readonly Kept<T>[] =>
      run(() =>
        (database.statement(LIST).all(...place, after, limit) as unknown as Row[]).map((row) => kept<T>(row)),
      ),
    count: (): number => run(() => (database.statement(COUNT).get(...place) as { n: number }).n),
  };
}

export type Collection<T> = ReturnType<typeof collectionOf<T>>;

function logOf<T>(database: SqliteDatabase, agent: string, stream: string) {
  return {
    /** `sequence` counts from 1 without a gap; adding one that is there throws. */
    append: (sequence: number, entry: T) => {
      database.durably(() => database.statement(APPEND).run(agent, stream, sequence, JSON.stringify(entry)));
    },
    last: (): LogEntry<T> | undefined =>
      database.guard(() => {
        const row = database.statement(LAST).get(agent, stream) as unknown as LogRow | undefined;
        return row === undefined ? undefined : logEntry<T>(row);
      }),
    /** In the order of their numbers, after `after`. */
    read: ({
      after = 0,
      limit = ALL,
    }: {
      readonly after?: number;
      readonly limit?: number;
    } = {}): readonly LogEntry<T>[] =>
      database.guard(() =>
        (database.statement(READ).all(agent, stream, after, limit) as unknown as LogRow[]).map((row) =>
          logEntry<T>(row),
        ),
      ),
  };
}

export type AppendOnlyLog<T> = ReturnType<typeof logOf<T>>;

function kept<T>({ key, body }: Row) {
  return { key, document: JSON.parse(body) as T };
}

function logEntry<T>({ sequence, body }: LogRow) {
  return { sequence, entry: JSON.parse(body) as T };
}
