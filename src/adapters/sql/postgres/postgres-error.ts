import { RegistryError } from '../../../errors.ts';

/** Classes and codes of SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const CONNECTION_CLASS = '08';
const AWAY = new Set(['57P01', '57P02', '57P03', '53300']); // shut down, crashed, starting up, no connection left
const IN_THE_WAY = new Set(['40001', '40P01', '55P03']); // serialisation, deadlock, lock not available
const NO_SPACE = new Set(['53100', '53200', '58030']); // disk full, out of memory, I/O error
const REFUSED = new Set(['28000', '28P01', '3D000', '42501', '25006']);
const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);
/** What the driver says of a connection without a code. */
const DRIVER =
  /timeout|Connection terminated|connection error|not queryable|Client was closed|end of the stream/i;

/** Another transaction was in the way; the same work may succeed at once. */
export function isInTheWay(error: unknown): boolean {
  return IN_THE_WAY.has(codeOf(error));
}

/** The server cannot be reached, does not answer, or is starting or stopping. */
export function isAway(error: unknown): boolean {
  const code = codeOf(error);
  if (code.startsWith(CONNECTION_CLASS) || AWAY.has(code) || NETWORK.has(code)) return true;
  if (error instanceof AggregateError) return error.errors.some(isAway);
  return code === '' && error instanceof Error && DRIVER.test(error.message);
}

/**
 * What a PostgreSQL failure means for whoever uses the store, with a hint. Anything that is not a failure of the
 * store itself comes back unchanged: it is a fault of ours and must be seen as one.
 */
export function asPostgresError(error: unknown, place: string): unknown {
  const code = codeOf(error);
  if (NO_SPACE.has(code))
    return new RegistryError('store_unwritable', `the database ${place} has no space or memory left`, {
      hint: 'free some space on the database server; what was not written is tried again',
      retryable: true,
      cause: error,
    });
  if (REFUSED.has(code))
    return new RegistryError('store_unwritable', `the database ${place} refuses us (${code})`, {
      hint: 'check the user, the password, the database name and its rights in REGISTRY_STORE',
      cause: error,
    });
  if (isAway(error)) return unavailable(place, error);
  if (isInTheWay(error))
    return new RegistryError('store_locked', `other processes were in the way too often in ${place}`, {
      hint: 'try again',
      retryable: true,
      cause: error,
    });
  return error;
}

function unavailable(place: string, cause: unknown): RegistryError {
  return new RegistryError('store_unavailable', `the database ${place} does not answer`, {
    hint: 'check that the server runs and can be reached, then try again',
    retryable: true,
    cause,
  });
}

/** Host, port and database of an address, without user, password and parameters. */
export function placeOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? 'of REGISTRY_STORE' : `${parsed.host}${parsed.pathname}`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
