import { RegistryError } from '../../errors.ts';
import { isForbidden, isRefused } from '../../records/postgres/postgres-error.ts';

/** SQLSTATE: disk full, out of memory, I/O error (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const NO_ROOM = new Set(['53100', '53200', '58030']);

/** Calls the queue, and converts its failures to RegistryErrors. */
export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work().catch((error: unknown) => {
      if (isRefused(error)) return work(); // the refusal made the address be read again, and it may have changed
      throw error;
    });
  } catch (cause) {
    throw cause instanceof RegistryError ? cause : queueUnavailable(cause);
  }
}

/** The RegistryError for a failure of the queue. The address may contain a password, so it is not in the message. */
export function queueUnavailable(cause: unknown): RegistryError {
  if (cause instanceof Error && 'code' in cause && NO_ROOM.has(String(cause.code)))
    return new RegistryError('queue_unavailable', 'the database of the job queue is out of space or memory', {
      hint: 'free some space on the database server of REGISTRY_STORE; failed writes are retried',
      retryable: true,
      cause,
    });
  if (isRefused(cause))
    return new RegistryError('queue_denied', 'access denied to the database of the job queue', {
      hint: 'check the user and the password in REGISTRY_STORE; a changed REGISTRY_STORE_FILE is read automatically',
      cause,
    });
  if (isForbidden(cause))
    return new RegistryError('queue_denied', 'insufficient privileges in the database of the job queue', {
      hint: 'run "agent-registry schema --runtime-role NAME" with --store set to the address of the owner of the tables',
      cause,
    });
  const reason = cause instanceof Error && cause.message !== '' ? `: ${cause.message}` : '';
  return new RegistryError('queue_unavailable', `the job queue does not answer${reason}`, {
    hint: 'check that the PostgreSQL server of REGISTRY_STORE runs and is reachable; running processes resume automatically',
    retryable: true,
    cause,
  });
}

/** The error for an invalid cron expression. */
export function badCron(name: string, cron: string, cause?: unknown): RegistryError {
  return new RegistryError('usage', `${name}: '${cron}' is not a cron expression`, {
    hint: 'write five fields in UTC: minute, hour, day of the month, month, day of the week; for example */10 * * * *',
    cause,
  });
}
