import { createHmac, createSecretKey, hash, timingSafeEqual } from 'node:crypto';
import type { AgentFilter } from '../../domain/agent-query.ts';
import { MAX_AGENT_URL } from '../../domain/agent-url.ts';
import { canonicalFilter } from './list-query.ts';
import type { QueryProblem } from './query-problem.ts';

export type OpenedCursor =
  | { readonly ok: true; readonly after: string }
  | { readonly ok: false; readonly problem: QueryProblem };

/** The first byte; a cursor with another one is rejected. */
const LAYOUT = 3;
const MAC_BYTES = 32;
const FILTER_BYTES = 16;
const HEAD_BYTES = 1 + FILTER_BYTES;
/** Bytes of a position: an agent, a domain, a number, or as JSON the words of a search and the agents of a block that it has shown. */
const MAX_PLACE = MAX_AGENT_URL + 3_800;
const MAX_CHARACTERS = Math.ceil(((MAC_BYTES + HEAD_BYTES + MAX_PLACE) * 4) / 3);

/**
 * An opaque position in a list: base64url of an HMAC-SHA256, the layout, a digest of the filter, and the last
 * URL shown. Limit and switches may change from page to page, the filter may not.
 */
export function sealCursor(secret: Uint8Array, filter: AgentFilter, after: string): string {
  return sealPlace(secret, canonicalFilter(filter), after);
}

/** The same for any list; `asked` must be the same text for each page. */
export function sealPlace(secret: Uint8Array, asked: string, after: string): string {
  const body = Buffer.concat([Buffer.of(LAYOUT), digestOf(asked), Buffer.from(after)]);
  return Buffer.concat([mac(secret, body), body]).toString('base64url');
}

/** The URL to continue after, or the problem of a cursor that is forged or belongs to other filters. */
export function openCursor(secret: Uint8Array, filter: AgentFilter, cursor: string): OpenedCursor {
  return openPlace(secret, canonicalFilter(filter), cursor);
}

/** The position to continue after, or the problem of a cursor that is forged or belongs to another list. */
export function openPlace(secret: Uint8Array, asked: string, cursor: string): OpenedCursor {
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

function digestOf(asked: string): Buffer {
  return hash('sha256', asked, 'buffer').subarray(0, FILTER_BYTES);
}

function mac(secret: Uint8Array, body: Buffer): Buffer {
  return createHmac('sha256', createSecretKey(secret)).update(body).digest();
}

function refuse(code: 'invalid_cursor' | 'cursor_mismatch'): OpenedCursor {
  const detail =
    code === 'invalid_cursor'
      ? 'the cursor was not issued by this registry'
      : 'the cursor belongs to other filters; start again without it';
  return { ok: false, problem: { code, parameter: 'cursor', detail } };
}
