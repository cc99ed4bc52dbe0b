import { RegistryError } from '../../errors.ts';

/** Classes and codes of SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const CONNECTION_CLASS = '08';
/**
 * Shut down, crashed, starting up, no connection left, and sessions that a limit has ended: an idle one, and one that is
 * idle in a transaction.
 */
const NO_CONNECTION_LEFT = '53300';
/** By `statement_timeout`. */
const QUERY_CANCELED = '57014';
const UNAVAILABLE = new Set(['57P01', '57P02', '57P03', NO_CONNECTION_LEFT, '57P05', '25P03']);
const CONFLICTS = new Set(['40001', '40P01']); // serialisation, deadlock
const LOCK_NOT_AVAILABLE = '55P03';
const NO_SPACE = new Set(['53100', '53200', '58030']); // disk full, out of memory, I/O error
/** Where a session that begins writes what the server knows of its own tables; a full disk ends it as an internal error. */
const FIRST_WRITES = new Set(['write_item', 'write_relcache_init_file']);
/** Wrong user or password, and a user who may not log in (any more). */
const REFUSED = new Set(['28000', '28P01']);
const NO_DATABASE = '3D000';
const FORBIDDEN = '42501';
const READ_ONLY = '25006';
const PASSWORD_HINT =
  'check the user and the password in REGISTRY_STORE; a changed REGISTRY_STORE_FILE is read automatically';
const DENIED_HINTS: Readonly<Record<string, string>> = {
  [NO_DATABASE]: 'check the name of the database in REGISTRY_STORE, or create it',
  [FORBIDDEN]:
    'as the owner of the tables, run "agent-registry schema --runtime-role NAME" to grant the required privileges',
};
const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);
/** Messages of the driver about a connection, in errors without a code. */
const DRIVER =
  /timeout|Connection terminated|connection error|not queryable|Client was closed|end of the stream/i;

/** A conflict with another transaction; the same work may succeed at once. */
export function isConflict(error: unknown): boolean {
  return CONFLICTS.has(codeOf(error));
}

/**
 * Another transaction holds a lock for longer than `lock_timeout`: its process probably hangs, and the server ends it soon.
 * So the work is retried, as while the server is unavailable.
 */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === LOCK_NOT_AVAILABLE;
}

/** A statement took longer than its time limit. */
export function timedOut(error: unknown): boolean {
  return isLockTimeout(error) || codeOf(error) === QUERY_CANCELED;
}

/** The server does not take the user and the password: with others it may. */
export function isRefused(error: unknown): boolean {
  return REFUSED.has(codeOf(error));
}

/** The user is known and has no right to this. */
export function isForbidden(error: unknown): boolean {
  return codeOf(error) === FORBIDDEN;
}

/**
 * The server accepts no new connections but serves the existing ones: at its limit of connections, or on a full disk
 * where a session has to write before it can begin.
 */
export function isConnectionRejected(error: unknown): boolean {
  return codeOf(error) === NO_CONNECTION_LEFT || FIRST_WRITES.has(routineOf(error));
}

/** The server is unreachable, does not answer in time, is starting or stopping, or accepts no new connections. */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error);
  if (code === '55000') return routineOf(error) === 'CheckMyDatabase'; // of a database that allows no connections
  if (code.startsWith(CONNECTION_CLASS) || UNAVAILABLE.has(code) || NETWORK.has(code)) return true;
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  return code === '' && error instanceof Error && DRIVER.test(error.message);
}

/**
 * Converts a PostgreSQL failure to a RegistryError with a hint. Anything that is not a failure of the
 * store itself is returned unchanged: it is an internal error and must be reported as one.
 */
export function asPostgresError(error: unknown, place: string): unknown {
  const code = codeOf(error);
  if (NO_SPACE.has(code) || FIRST_WRITES.has(routineOf(error)))
    return new RegistryError('store_unwritable', `the database ${place} is out of space or memory`, {
      hint: 'free some space on the database server; failed writes are retried',
      retryable: true,
      cause: error,
    });
  if (REFUSED.has(code) || code === NO_DATABASE || code === FORBIDDEN)
    return new RegistryError('store_denied', `access denied to database ${place} (${code})`, {
      hint: DENIED_HINTS[code] ?? PASSWORD_HINT,
      cause: error,
    });
  if (code === READ_ONLY)
    return new RegistryError('store_unwritable', `the database ${place} is read-only (${code})`, {
      hint: 'REGISTRY_STORE points to a standby or a read-only server: set it to the address of the primary',
      cause: error,
    });
  if (isUnavailable(error)) return unavailable(place, error);
  if (code === QUERY_CANCELED)
    return new RegistryError(
      'store_unavailable',
      `a query of the database ${place} took longer than its time limit`,
      {
        hint: 'try again; if it happens often, check the load of the database server and run ANALYZE',
        retryable: true,
        cause: error,
      },
    );
  if (isConflict(error) || isLockTimeout(error))
    return new RegistryError('store_locked', `lock conflict in database ${place}`, {
      hint: 'try again; the database disconnects a process that hangs in a transaction within a minute',
      retryable: true,
      cause: error,
    });
  return error;
}

function unavailable(place: string, cause: unknown): RegistryError {
  return new RegistryError('store_unavailable', `the database ${place} does not answer`, {
    hint: 'check that the server runs and is reachable, then try again',
    retryable: true,
    cause,
  });
}

/**
 * Host, port and database of an address, without user, password and parameters. Returns no place for an ambiguous
 * address, because it may contain part of the password.
 */
export function placeOf(url: string): string {
  const parsed = URL.parse(url);
  const isCertain = parsed !== null && !/[@#\s]/.test(parsed.pathname + parsed.search + parsed.hash);
  return isCertain ? `${parsed.host}${parsed.pathname}` : 'of REGISTRY_STORE';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** The place in the server's own code: unlike the message, it is in no language. */
function routineOf(error: unknown): string {
  return error instanceof Error && 'routine' in error ? String(error.routine) : '';
}
