import type { HistoryPage, HistoryPlace } from '../records/runs/compliance-runs.ts';
import type { BadgeEventPage } from '../records/runs/compliance-store.ts';
import { limitOf, readParameters } from './parameters.ts';
import { HttpProblem } from './problem.ts';

const USUAL_LIMIT = 20;
const MAX_LIMIT = 100;
const PARAMETERS = ['limit', 'cursor'];
const CURSOR = /^(\d{1,16})\.([\w-]{1,64})$/;

/** The page of a history that a query string asks for. Throws HttpProblems. */
export function readHistoryPage(text: string): HistoryPage {
  const parameters = readParameters(text, PARAMETERS, 'the history');
  const before = parsed(parameters.get('cursor'), readHistoryCursor);
  return { limit: limitOf(parameters.get('limit'), USUAL_LIMIT, MAX_LIMIT), ...(before && { before }) };
}

/** Where the page after a run begins; it holds nothing that the history does not show. */
export function historyCursor({ started_at, run_id }: { started_at: string; run_id: string }): string {
  return `${Date.parse(started_at)}.${run_id}`;
}

/** The place that a cursor names; undefined for any other text. */
export function readHistoryCursor(text: string | undefined): HistoryPlace | undefined {
  const [, startedAt, id] = CURSOR.exec(text ?? '') ?? [];
  return startedAt === undefined || id === undefined ? undefined : { startedAt: Number(startedAt), id };
}

/** The page of a timeline of badges that a query string asks for. Throws HttpProblems. */
export function readTimelinePage(text: string): BadgeEventPage {
  const parameters = readParameters(text, PARAMETERS, 'the timeline');
  const before = parsed(parameters.get('cursor'), readTimelineCursor);
  return {
    limit: limitOf(parameters.get('limit'), USUAL_LIMIT, MAX_LIMIT),
    ...(before !== undefined && { before }),
  };
}

/** Where the page after an entry of a timeline begins. */
export function timelineCursor({ id }: { readonly id: number }): string {
  return `e${id}`;
}

/** The id that a cursor names; undefined for any other text. */
export function readTimelineCursor(text: string | undefined): number | undefined {
  const id = /^e(\d{1,15})$/.exec(text ?? '')?.[1];
  return id === undefined ? undefined : Number(id);
}

function parsed<T>(text: string | undefined, read: (text: string) => T | undefined): T | undefined {
  if (text === undefined) return undefined;
  const place = read(text);
  if (place !== undefined) return place;
  throw new HttpProblem('invalid_cursor', 'invalid cursor; use `next_cursor` of the previous page', {
    parameter: 'cursor',
  });
}
