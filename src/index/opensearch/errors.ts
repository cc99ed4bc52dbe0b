import { retryAfterMs } from '../../domain/text.ts';
import { RegistryError } from '../../errors.ts';
import { REBUILD_HINT } from '../generation-errors.ts';

const MAX_REASON = 300;

/** What went wrong with one request. Made new from the client's error, which holds the request and its headers. */
export class EngineFault extends Error {
  /** Of the answer; undefined when there was none, or not in time. */
  readonly status: number | undefined;
  /** The engine's own name for it, such as index_not_found_exception. */
  readonly type: string;
  readonly retryAfterMs: number;

  constructor(message: string, status?: number, type = '', retryAfter = 0) {
    super(message.slice(0, MAX_REASON));
    this.name = 'EngineFault';
    this.status = status;
    this.type = type;
    this.retryAfterMs = retryAfter;
  }
}

interface ClientFailure {
  readonly message?: string;
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string | undefined>> | null;
  readonly body?: { readonly error?: { readonly type?: string; readonly reason?: string } | string };
}

/** Reads what the client threw; `now` in epoch milliseconds is for a Retry-After that is a date. */
export function readFault(thrown: unknown, now: number): EngineFault {
  if (thrown instanceof EngineFault) return thrown;
  const { message = 'unknown', statusCode, headers, body } = thrown as ClientFailure;
  if (statusCode === undefined) return new EngineFault(message);
  const error = typeof body?.error === 'object' ? body.error : undefined;
  const type = error?.type ?? '';
  const reason = error?.reason ?? `status ${statusCode}`;
  const wait = retryAfterMs(headers?.['retry-after'], now);
  return new EngineFault(type === '' ? reason : `${type}: ${reason}`, statusCode, type, wait);
}

const TRANSIENT = [429, 502, 503, 504];

/**
 * Whether the same request may succeed in a moment: too much work, no answer, a node that is gone. An engine closed to
 * writes says 429 too when its disk is full, and that takes longer.
 */
export function isTransient(fault: EngineFault): boolean {
  return !isBlocked(fault) && (fault.status === undefined || TRANSIENT.includes(fault.status));
}

const SHARDLESS = new Set([
  'no_shard_available_action_exception',
  'search_phase_execution_exception',
  'unavailable_shards_exception',
  'index_closed_exception',
]);
const TOO_MUCH = 429;

/** Shards of one index are gone, or it is closed; the engine itself answers. */
export function isShardless({ status, type }: EngineFault): boolean {
  return SHARDLESS.has(type) && status !== TOO_MUCH;
}

/** An answer that lacks what shards hold that did not answer; the same request may succeed when they are back. */
export function shardsMissing(message: string): EngineFault {
  return new EngineFault(message, 503, 'no_shard_available_action_exception');
}

export function isIndexNotFound({ status, type }: EngineFault): boolean {
  return status === 404 && (type === 'index_not_found_exception' || type === 'aliases_not_found_exception');
}

/** The engine, or one of its indices, blocks writes: set by an operator, or because the disk is nearly full. */
export function isBlocked({ type }: EngineFault): boolean {
  return type === 'cluster_block_exception';
}

/** `place` is the engine's address without credentials. */
export function indexUnavailable(place: string, fault: EngineFault): RegistryError {
  if (isBlocked(fault)) return indexReadOnly(place, fault.message, fault);
  if (fault.status === 401 || fault.status === 403)
    return new RegistryError('index_denied', `access denied to the index at ${place}: ${fault.message}`, {
      hint: 'check the user, the password and the permissions of this user in REGISTRY_INDEX; a changed REGISTRY_INDEX_FILE is read automatically',
      cause: fault,
    });
  return new RegistryError('index_unavailable', `the index at ${place} does not answer: ${fault.message}`, {
    hint: 'check that OpenSearch runs and that REGISTRY_INDEX is its address; no change is lost, the index catches up automatically',
    retryable: true,
    cause: fault,
  });
}

/** The engine answers but rejects writes; `why` is its reason. */
export function indexReadOnly(place: string, why: string, cause?: unknown): RegistryError {
  return new RegistryError('index_read_only', `the index at ${place} is read-only: ${why}`, {
    hint: 'usually a disk of OpenSearch is nearly full: follow docs/operating/runbooks/read-only-index.md',
    retryable: true,
    cause,
  });
}

export function indexMissing(alias: string, place: string): RegistryError {
  return new RegistryError(
    'index_missing',
    `the index ${alias} at ${place} has no live generation of these records`,
    { hint: REBUILD_HINT },
  );
}

export function replacesForeign({ id }: { readonly id: number }): RegistryError {
  return new RegistryError(
    'usage',
    `the live generation ${id} belongs to other records: a switch would take their registry offline`,
    { hint: 'give each registry its own REGISTRY_INDEX_PREFIX, or add --replace-foreign' },
  );
}

export interface RefusedItem {
  readonly id: string;
  readonly reason: string;
}

const NAMED = 5;

/** Documents that the engine will never take as they are; all others of the call were written. */
export function documentsRefused(place: string, refused: readonly RefusedItem[]): RegistryError {
  const named = refused.slice(0, NAMED).map(({ id, reason }) => `${id} (${reason.slice(0, MAX_REASON)})`);
  const more = refused.length > NAMED ? ` and ${refused.length - NAMED} more` : '';
  return new RegistryError('index_refused', `the index at ${place} refused ${named.join(', ')}${more}`, {
    hint: 'this is a bug of the registry: please report it with these agent URLs; all other agents were written',
  });
}
