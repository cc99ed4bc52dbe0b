import { type ClientBase, types } from 'pg';
import type { LiveAddress } from '../../adapters/live-address.ts';
import { ConnectionPool } from './connection-pool.ts';
import { clientAt } from './live-client.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with the parameters of a libpq address (sslmode, sslrootcert, …). */
  readonly url: string;
  /** Returns the current address; read again after an authentication failure. */
  readonly readUrl?: () => string | undefined;
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
   * For how long a task is tried again while a server that has answered before is away, milliseconds. Default 0: the
   * first failure is reported.
   */
  readonly patienceMs?: number;
  /** The server refuses every write of these connections. Default false. */
  readonly readOnly?: boolean;
}

const DEFAULT_TIMEOUT_MS = 10_000;
/** A process that is frozen or lost in the middle of a transaction keeps its locks no longer. */
const IDLE_IN_TRANSACTION_MS = 30_000;
const CHECK_CLIENT_MS = 5_000;

const INT8 = 20;
const NUMERIC = 1_700;

/** Settings of a server's session, by their names. */
type SessionSettings = Readonly<Record<string, string>>;

/** The connections of this process. */
export function createPool(options: PostgresOptions, address: LiveAddress<string>): ConnectionPool {
  const { connections = 10, timeoutMs = DEFAULT_TIMEOUT_MS, readOnly = false } = options;
  const settings = settingsOfConnection(timeoutMs, options.idleMs ?? IDLE_IN_TRANSACTION_MS, readOnly);
  return new ConnectionPool({
    Client: clientAt(address),
    max: connections,
    query_timeout: timeoutMs,
    connectionTimeoutMillis: Math.min(timeoutMs, 10_000),
    keepAlive: true,
    application_name: 'agent-registry',
    onConnect: (client) => setUp(client, settings),
    types: { getTypeParser: parserOf as typeof types.getTypeParser },
  });
}

/** Counts and times are safe integers by far; as texts they would be joined where they are to be added. */
function parserOf(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  return oid === INT8 || oid === NUMERIC ? Number : types.getTypeParser(oid, format as 'text');
}

/**
 * The limits that the server applies to a connection. It ends a statement before the client gives up on it, so that nothing
 * continues, or waits for a lock, on behalf of a client that is gone
 * (https://www.postgresql.org/docs/current/runtime-config-client.html#RUNTIME-CONFIG-CLIENT-STATEMENT).
 */
function settingsOfConnection(timeoutMs: number, idleMs: number, readOnly: boolean): SessionSettings {
  return {
    statement_timeout: String(Math.ceil(timeoutMs * 0.8)),
    lock_timeout: String(Math.ceil(timeoutMs / 2)), // shorter than the statement's, so that the reason is reported
    idle_in_transaction_session_timeout: String(idleMs),
    client_connection_check_interval: String(Math.min(CHECK_CLIENT_MS, timeoutMs)),
    tcp_keepalives_idle: '30',
    tcp_keepalives_interval: '10',
    tcp_keepalives_count: '3',
    ...(readOnly && { default_transaction_read_only: 'on' }),
  };
}

/**
 * As a statement and not in the connection's parameters: poolers in between refuse those that they do not know. A
 * setting that this server does not have is left out; its check of clients works on Linux only before version 15.
 */
const SET_UP = `SELECT set_config(wanted.name, wanted.value, false)
  FROM unnest($1::text[], $2::text[]) AS wanted(name, value)
  JOIN pg_settings AS known ON known.name = wanted.name
  WHERE wanted.name <> 'client_connection_check_interval' OR version() LIKE '%linux%'`;

/** Makes the settings those of a new connection. */
async function setUp(client: ClientBase, settings: SessionSettings): Promise<void> {
  await client.query(SET_UP, [Object.keys(settings), Object.values(settings)]);
}
