import { retryAfterMs } from '../../domain/text.ts';
import { RegistryError, type RegistryErrorCode, type RegistryErrorOptions } from '../../errors.ts';
import { REBUILD_HINT } from '../generation-errors.ts';

const MAX_REASON = 300;

/**
 * A request that failed, as callers of the index see it. Created from the error of the client, which is not kept as the
 * cause because it holds the request with its credentials.
 */
export class EngineError extends RegistryError {
  /** HTTP status of the response; undefined if there was none, or not in time. */
  readonly status: number | undefined;
  /** The type of the error in OpenSearch, such as `index_not_found_exception`; empty if there is none. */
  readonly type: string;
  /** From the Retry-After header; 0 if there is none. */
  readonly retryAfterMs: number;

  constructor(place: string, reason: string, status?: number, type = '', retryAfter = 0) {
    const { code, message, ...options } = meaningOf(place, reason.slice(0, MAX_REASON), status, type);
    super(code, message, options);
    this.name = 'EngineError';
    this.status = status;
    this.type = type;
    this.retryAfterMs = retryAfter;
  }

  /** Whether the same request may succeed in a moment: OpenSearch is busy, starting or unreachable. */
  get isTransient(): boolean {
    return this.code === 'index_unavailable' && [undefined, 429, 502, 503, 504].includes(this.status);
  }

  /** The index or the alias does not exist. */
  get isMissing(): boolean {
    return this.status === 404 && MISSING.has(this.type);
  }

  /** OpenSearch answers, but the index is closed or its shards are lost. */
  get isShardFailure(): boolean {
    return this.status !== 429 && SHARD_FAILURES.has(this.type);
  }
}

const MISSING = new Set(['index_not_found_exception', 'aliases_not_found_exception']);
const SHARD_FAILURES = new Set([
  'no_shard_available_action_exception',
  'search_phase_execution_exception',
  'unavailable_shards_exception',
  'index_closed_exception',
]);

interface Meaning extends RegistryErrorOptions {
  readonly code: RegistryErrorCode;
  readonly message: string;
}

function meaningOf(place: string, reason: string, status: number | undefined, type: string): Meaning {
  if (type === 'cluster_block_exception')
    return {
      code: 'index_read_only',
      message: `the index at ${place} is read-only: ${reason}`,
      hint: 'usually a disk of OpenSearch is nearly full: follow docs/operating/runbooks/read-only-index.md',
      retryable: true,
    };
  if (status === 401 || status === 403)
    return {
      code: 'index_denied',
      message: `access denied to the index at ${place}: ${reason}`,
      hint: 'check the user, the password and the permissions of this user in REGISTRY_INDEX; a changed REGISTRY_INDEX_FILE is read automatically',
    };
  const isRejection = status !== undefined && status >= 400 && status < 500 && ![408, 429].includes(status);
  if (isRejection && !MISSING.has(type))
    return {
      code: 'index_unavailable',
      message: `the index at ${place} rejected the request: ${reason}`,
      hint: 'check that OpenSearch has version 3.3 or later; if it has, this is a bug of the registry: please report it',
    };
  return {
    code: 'index_unavailable',
    message: `the index at ${place} does not answer: ${reason}`,
    hint: 'check that OpenSearch runs and that REGISTRY_INDEX is its address; no change is lost, the index catches up automatically',
    retryable: true,
  };
}

interface ClientError {
  readonly message?: string;
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string | undefined>> | null;
  readonly body?: { readonly error?: { readonly type?: string; readonly reason?: string } | string };
}

/** Reads an error of the client; `now` (epoch milliseconds) is for a Retry-After that is a date. */
export function engineError(place: string, thrown: unknown, now: number): EngineError {
  if (thrown instanceof EngineError) return thrown;
  const { message = 'unknown error', statusCode, headers, body } = thrown as ClientError;
  if (statusCode === undefined) return new EngineError(place, message);
  const { type = '', reason = `status ${statusCode}` } = typeof body?.error === 'object' ? body.error : {};
  const wait = retryAfterMs(headers?.['retry-after'], now);
  return new EngineError(place, type === '' ? reason : `${type}: ${reason}`, statusCode, type, wait);
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

export interface RefusedDocument {
  readonly agent: string;
  readonly reason: string;
}

/** Documents that the error names; further ones are counted. */
const MAX_NAMED = 5;

/** OpenSearch rejects these documents permanently; all others of the call were written. */
export function documentsRefused(place: string, refused: readonly RefusedDocument[]): RegistryError {
  const named = refused
    .slice(0, MAX_NAMED)
    .map(({ agent, reason }) => `${agent} (${reason.slice(0, MAX_REASON)})`);
  const more = refused.length > MAX_NAMED ? ` and ${refused.length - MAX_NAMED} more` : '';
  return new RegistryError('index_refused', `the index at ${place} refused ${named.join(', ')}${more}`, {
    hint: 'this is a bug of the registry: please report it with these agent URLs; all other agents were written',
  });
}
