/**
 * The errors that end a command or a request. Errors of a crawled file or an agent are never among
 * these: they are values, a Finding, a failed Capture or an Outcome.
 */
export type RegistryErrorCode =
  | 'usage' // the command line or the configuration is wrong
  | 'store_missing' // no store at the address given
  | 'store_locked' // another process holds the store
  | 'store_corrupt' // the store's file is not a database or is damaged
  | 'store_unwritable' // no permission, no space, or a failing disk
  | 'store_newer' // the store was written by a newer registry
  | 'store_older' // the store was written by an earlier registry, whose schema is not read any more
  | 'store_unavailable' // the database server does not answer
  | 'store_denied' // the database server denies access or lacks privileges for the user
  | 'index_unavailable' // the index does not answer, not in time, or rejects the request
  | 'index_denied' // the index denies access or lacks privileges for the user
  | 'index_read_only' // the index answers but rejects writes
  | 'index_refused' // documents that the index rejects permanently; all others were written
  | 'index_ahead' // the index contains changes unknown to the records, which were restored or lost writes
  | 'index_missing' // the index has no live generation of these records
  | 'queue_unavailable'
  | 'queue_denied' // the database of the queue denies access or lacks privileges for the user
  | 'port_in_use'
  | 'bundle_unavailable' // an installed bundle is missing on this machine, or has other files
  | 'input_invalid' // an input file does not follow its schema
  | 'keys_unavailable' // a key command fails at the moment
  | 'credential_unreadable' // no key decrypts a stored test credential
  | 'token_refused' // the OAuth client of an owner got no token
  | 'not_found'
  | 'lease_held' // another process is doing this work
  | 'lease_lost' // the work was redelivered to another worker
  | 'interrupted'
  | 'internal';

export interface RegistryErrorOptions {
  /** What the reader should do about it, one sentence. */
  readonly hint?: string;
  /** Whether the same call may succeed later without a change. */
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

/** A failure with a stable code, one sentence, a hint, and whether a retry helps. */
export class RegistryError extends Error {
  readonly code: RegistryErrorCode;
  readonly hint: string | undefined;
  readonly retryable: boolean;

  constructor(code: RegistryErrorCode, message: string, options: RegistryErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'RegistryError';
    this.code = code;
    this.hint = options.hint;
    this.retryable = options.retryable ?? false;
  }
}

/** Codes of engine faults. */
const ENGINE = /^(store|index|queue)_/;

/** The engine fault in the cause chain of an error. */
export function engineFault(error: unknown): RegistryError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof RegistryError && ENGINE.test(cause.code)) return cause;
  return undefined;
}
