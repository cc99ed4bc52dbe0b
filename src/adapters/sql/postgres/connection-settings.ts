import type { ClientBase } from 'pg';

/** Settings of a server's session, by their names. */
export type SessionSettings = Readonly<Record<string, string>>;

/** A process that is frozen or lost in the middle of a transaction keeps its locks no longer. */
const IDLE_IN_TRANSACTION_MS = 30_000;
const CHECK_CLIENT_MS = 5_000;

export interface SessionLimits {
  /** How long the client waits for each answer, milliseconds. */
  readonly timeoutMs: number;
  /** How long a transaction may wait for its client's next statement, milliseconds; at least as long as `timeoutMs`. */
  readonly idleMs?: number;
}

/**
 * What the server keeps a connection to: it ends a statement before the client gives up on it, so that nothing goes on,
 * or waits for a lock, for somebody who is gone
 * (https://www.postgresql.org/docs/current/runtime-config-client.html#RUNTIME-CONFIG-CLIENT-STATEMENT).
 */
export function settingsOfConnection(
  { timeoutMs, idleMs = IDLE_IN_TRANSACTION_MS }: SessionLimits,
  readOnly: boolean,
): SessionSettings {
  return {
    ...settingsOfStatements(timeoutMs),
    lock_timeout: String(Math.ceil(timeoutMs / 2)), // shorter than the statement's, so that the reason is told
    idle_in_transaction_session_timeout: String(Math.max(idleMs, timeoutMs)),
    client_connection_check_interval: String(Math.min(CHECK_CLIENT_MS, timeoutMs)),
    tcp_keepalives_idle: '30',
    tcp_keepalives_interval: '10',
    tcp_keepalives_count: '3',
    ...(readOnly && { default_transaction_read_only: 'on' }),
  };
}

/**
 * The limits of statements that may take `timeoutMs`, and wait for a lock as long. They say nothing of how long their
 * transaction may wait for its client: long work is the server's.
 */
export function settingsOfStatements(timeoutMs: number): SessionSettings {
  const limit = String(Math.ceil(timeoutMs * 0.8));
  return { statement_timeout: limit, lock_timeout: limit };
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
export async function setUp(client: ClientBase, settings: SessionSettings): Promise<void> {
  await client.query(SET_UP, [Object.keys(settings), Object.values(settings)]);
}

/** One text that makes the settings those of the transaction that is under way. */
export function setLocally(settings: SessionSettings): string {
  return Object.entries(settings)
    .map(([name, value]) => `SET LOCAL ${name} = ${Number(value)}`)
    .join('; ');
}
