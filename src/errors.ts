/**
 * The errors that end a command or a request. What a crawled file or an agent does wrong is never one of
 * these: that is a Finding, a failed Capture or an Outcome, which are values.
 */
export type RegistryErrorCode =
  | 'usage' // the command line or the configuration is wrong
  | 'store_missing' // no store at the address given
  | 'store_locked' // another process holds the store
  | 'store_corrupt' // the store's file is not a database or is damaged
  | 'store_unwritable' // no permission, no space, or a failing disk
  | 'store_newer' // the store was written by a newer registry
  | 'store_unavailable' // the database server does not answer
  | 'store_denied' // the database server refuses the user, the password or what they may do
  | 'index_unavailable' // the index does not answer, or not in time
  | 'index_denied' // the index refuses the user, the password or what they may do
  | 'index_read_only' // the index answers and takes no writes
  | 'index_refused' // documents that the index will never take as they are; all others were written
  | 'index_ahead' // the index holds changes that the records do not know: these were restored, or lost some
  | 'index_missing' // the index has no live generation of these records
  | 'queue_unavailable'
  | 'queue_denied' // the database of the queue refuses the user, the password or what they may do
  | 'port_in_use'
  | 'input_invalid' // a file that the user gave does not follow its schema
  | 'keys_unavailable' // a command that keeps keys gives none at the moment
  | 'credential_unreadable' // a test credential is stored and none of our keys opens it
  | 'token_refused' // an owner's OAuth client got no token
  | 'not_found'
  | 'lease_held' // another process does this work at the moment
  | 'lease_lost' // the work was given to another worker meanwhile
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

/** Codes of the engines that the registry stands on. */
const ENGINE = /^(store|index|queue)_/;

/** The engine's fault behind an error, whatever it was wrapped in on its way. */
export function engineFault(error: unknown): RegistryError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof RegistryError && ENGINE.test(cause.code)) return cause;
  return undefined;
}
