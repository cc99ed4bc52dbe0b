import type { HistoryPage, HistoryPlace } from '../ports/compliance.ts';
import { HttpProblem } from './problem.ts';
import { searchParams } from './query-text.ts';

const USUAL_LIMIT = 20;
const MAX_LIMIT = 100;
const PARAMETERS = ['limit', 'cursor'];
const CURSOR = /^(\d{1,16})\.([\w-]{1,64})$/;

/** The page of a history that a query string asks for. Throws HttpProblems. */
export function readHistoryPage(text: string): HistoryPage {
  const parameters = searchParams(text);
  for (const name of parameters.keys()) checkName(parameters, name);
  const before = cursorOf(parameters.get('cursor'));
  return { limit: limitOf(parameters.get('limit')), ...(before && { before }) };
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

function checkName(parameters: URLSearchParams, name: string): void {
  if (!PARAMETERS.includes(name)) {
    throw new HttpProblem('unknown_parameter', 'the history has no such parameter', {
      parameter: name.slice(0, 100),
      validValues: PARAMETERS,
    });
  }
  if (parameters.getAll(name).length > 1)
    throw new HttpProblem('repeated_parameter', `${name} can be given once`, { parameter: name });
  if (parameters.get(name) === '')
    throw new HttpProblem('empty_value', `${name} needs a value`, { parameter: name });
}

function limitOf(text: string | null): number {
  if (text === null) return USUAL_LIMIT;
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new HttpProblem('invalid_value', `a whole number from 1 to ${MAX_LIMIT} is expected`, {
    parameter: 'limit',
  });
}

function cursorOf(text: string | null): HistoryPlace | undefined {
  if (text === null) return undefined;
  const place = readHistoryCursor(text);
  if (place !== undefined) return place;
  throw new HttpProblem('invalid_cursor', 'the cursor is not one that this registry handed out', {
    parameter: 'cursor',
  });
}
