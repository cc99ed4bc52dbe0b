import type { PaginationRequest, PaginationResponse } from '@agent-registry/surface/agent-kit';
import { refuse } from './handler.ts';

export interface Page<T> {
  readonly items: readonly T[];
  readonly pagination: PaginationResponse;
}

/** Items on a page when the request does not say. */
const DEFAULT_SIZE = 100;

/**
 * One page of a list whose order does not change between calls. The cursor is the place of the next item, in a form
 * that invites nobody to count with it. Refuses a cursor that was not given out here (`VALIDATION_ERROR`).
 */
export function pageOf<T>(items: readonly T[], request: PaginationRequest | undefined): Page<T> {
  const from = request?.cursor === undefined ? 0 : placeOf(request.cursor);
  const to = from + (request?.max_results ?? DEFAULT_SIZE);
  const more = to < items.length;
  return {
    items: items.slice(from, to),
    pagination: { has_more: more, total_count: items.length, ...(more && { cursor: cursorOf(to) }) },
  };
}

function cursorOf(place: number): string {
  return Buffer.from(`from ${place}`).toString('base64url');
}

function placeOf(cursor: string): number {
  const place = /^from (\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1];
  return place === undefined
    ? refuse(
        'VALIDATION_ERROR',
        'the cursor does not belong to this list',
        '/pagination/cursor',
        'start again without a cursor',
      )
    : Number(place);
}
