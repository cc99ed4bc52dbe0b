import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AgentFilter } from '../../domain/agent-query.ts';
import { MAX_AGENT_URL } from '../../domain/agent-url.ts';
import { canonicalFilter } from './list-query.ts';
import type { QueryProblem } from './query-problem.ts';

export type OpenedCursor =
  | { readonly ok: true; readonly after: string }
  | { readonly ok: false; readonly problem: QueryProblem };

/** The first byte: a cursor of another layout is refused. */
const LAYOUT = 2;
const MAC_BYTES = 32;
const FILTER_BYTES = 16;
const HEAD_BYTES = 1 + FILTER_BYTES;
/** Bytes of a place: an agent, a domain, a number, the agents of a block that a search has shown, and its words, as JSON. */
const MAX_PLACE = MAX_AGENT_URL + 3_800;
const MAX_CHARACTERS = Math.ceil(((MAC_BYTES + HEAD_BYTES + MAX_PLACE) * 4) / 3);

/**
 * An opaque position in a list: base64url of an HMAC-SHA256, the layout, a digest of the filter, and the last
 * URL shown. Limit and switches may change from page to page, the filter may not.
 */
export function sealCursor(secret: Uint8Array, filter: AgentFilter, after: string): string {
  return sealPlace(secret, canonicalFilter(filter), after);
}

/** The same for any list; `asked` may not change from page to page. */
export function sealPlace(secret: Uint8Array, asked: string, after: string): string {
  const body = Buffer.concat([Buffer.of(LAYOUT), digestOf(asked), Buffer.from(after)]);
  const cursor = Buffer.concat([mac(secret, body), body]).toString('base64url');
  const { sealed } = knownOf(secret);
  sealed.set(cursor, { asked, after });
  return cursor;
}

/** The URL to continue after; a problem for a text that was not sealed by us, or was sealed with other filters. */
export function openCursor(secret: Uint8Array, filter: AgentFilter, cursor: string): OpenedCursor {
  return openPlace(secret, canonicalFilter(filter), cursor);
}

export function openPlace(secret: Uint8Array, asked: string, cursor: string): OpenedCursor {
  const known = knownOf(secret).sealed.get(cursor);
  if (known !== undefined)
    return known.asked === asked ? { ok: true, after: known.after } : refuse('cursor_mismatch');
  if (cursor.length > MAX_CHARACTERS || !/^[\w-]+$/.test(cursor)) return refuse('invalid_cursor');
  const bytes = Buffer.from(cursor, 'base64url');
  const body = bytes.subarray(MAC_BYTES);
  // base64url has several spellings of the last byte; only ours is accepted
  if (body.length <= HEAD_BYTES || bytes.toString('base64url') !== cursor) return refuse('invalid_cursor');
  if (!timingSafeEqual(bytes.subarray(0, MAC_BYTES), mac(secret, body))) return refuse('invalid_cursor');
  if (body[0] !== LAYOUT) return refuse('invalid_cursor');
  if (!body.subarray(1, HEAD_BYTES).equals(digestOf(asked))) return refuse('cursor_mismatch');
  return { ok: true, after: body.subarray(HEAD_BYTES).toString() };
}

let lastDigest = { asked: '', digest: hash('sha256', '', 'buffer').subarray(0, FILTER_BYTES) };

/** A page opens one cursor and seals another under the same filter. */
function digestOf(asked: string): Buffer {
  if (lastDigest.asked !== asked)
    lastDigest = { asked, digest: hash('sha256', asked, 'buffer').subarray(0, FILTER_BYTES) };
  return lastDigest.digest;
}

/** Of those that were sealed last: who reads a list asks for the next page of the one that was just made. */
const MAX_SEALED = 500;

interface KnownOfSecret {
  /** Made once: making it costs five times what it is for. */
  readonly key: KeyObject;
  /** What was sealed by this process. */
  readonly sealed: LRUCache<string, { readonly asked: string; readonly after: string }>;
}

const secrets = new WeakMap<Uint8Array, KnownOfSecret>();

function knownOf(secret: Uint8Array): KnownOfSecret {
  const found = secrets.get(secret) ?? {
    key: createSecretKey(secret),
    sealed: new LRUCache({ max: MAX_SEALED }),
  };
  secrets.set(secret, found);
  return found;
}

function mac(secret: Uint8Array, body: Buffer): Buffer {
  return createHmac('sha256', knownOf(secret).key).update(body).digest();
}

function refuse(code: 'invalid_cursor' | 'cursor_mismatch'): OpenedCursor {
  const detail =
    code === 'invalid_cursor'
      ? 'the cursor was not issued by this registry'
      : 'the cursor belongs to other filters; start again without it';
  return { ok: false, problem: { code, parameter: 'cursor', detail } };
}
