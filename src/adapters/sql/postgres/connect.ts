import { hash } from 'node:crypto';
import { Pool, type PoolClient, type QueryConfig, type QueryResult, types } from 'pg';
import type { Call } from '../work.ts';
import { settingsOfConnection, setUp } from './connection-settings.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with the parameters of a libpq address (sslmode, sslrootcert, …). */
  readonly url: string;
  /** Connections of this process at most. Default 10. */
  readonly connections?: number;
  /**
   * For one statement, milliseconds; a server that does not answer by then is taken as gone. It ends the statement
   * itself a little earlier. Default 10,000.
   */
  readonly timeoutMs?: number;
  /**
   * For how long a transaction of this process may do nothing, milliseconds: of one that is frozen, or gone with its
   * machine, the server takes the locks back. Default 30,000.
   */
  readonly idleMs?: number;
  /**
   * For how long work is tried again while a server that has answered before is away, milliseconds. Default 0: the
   * first failure is told.
   */
  readonly patienceMs?: number;
  /** The server refuses every write of these connections. Default false. */
  readonly readOnly?: boolean;
}

const INT8 = 20;
const NUMERIC = 1_700;

/** Counts and times are safe integers by far; as texts they would be joined where they are to be added. */
function parserOf(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  return oid === INT8 || oid === NUMERIC ? Number : types.getTypeParser(oid, format as 'text');
}

const DEFAULT_TIMEOUT_MS = 10_000;

/** The connections of this process. Statements on one connection are sent without waiting for the answers before. */
export function createPool(options: PostgresOptions): Pool {
  const { url, connections = 10, timeoutMs = DEFAULT_TIMEOUT_MS, readOnly = false, idleMs } = options;
  const settings = settingsOfConnection({ timeoutMs, ...(idleMs !== undefined && { idleMs }) }, readOnly);
  const pool = new Pool({
    connectionString: url,
    max: connections,
    pipeline: true,
    query_timeout: timeoutMs,
    connectionTimeoutMillis: Math.min(timeoutMs, 10_000),
    keepAlive: true,
    application_name: 'agent-registry',
    onConnect: (client) => setUp(client, settings),
    types: { getTypeParser: parserOf as typeof types.getTypeParser },
  });
  pool.on('error', () => {}); // an idle connection broke: the pool drops it, and the next statement makes a new one
  // one that is in use may break outside of any statement too: the next statement on it says so, and nothing else must
  pool.on('connect', (client) => void client.on('error', () => {}));
  return pool;
}

const names = new Map<string, string>();

/** The name under which a connection keeps a statement prepared; the same text has the same name. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const made = hash('sha256', text).slice(0, 32);
  names.set(text, made);
  return made;
}

/** Runs one statement of a piece of work; `timeoutMs` when it may take another time than all statements may. */
export async function execute(client: Pool | PoolClient, call: Call, timeoutMs?: number): Promise<unknown> {
  const config: QueryConfig & { query_timeout?: number } = {
    name: nameOf(call.text),
    text: call.text,
    values: call.values as unknown[],
    ...(timeoutMs !== undefined && { query_timeout: timeoutMs }),
  };
  const result: QueryResult = await client.query(config);
  if (call.wants === 'count') return result.rowCount ?? 0;
  return call.wants === 'rows' ? result.rows : result.rows[0];
}
