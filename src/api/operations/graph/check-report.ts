import { isObject } from '../../../base/json.ts';
import { openPlace, sealPlace } from '../../../query/cursor.ts';
import { HttpProblem } from '../../problem.ts';
import { type GraphParts, timeText } from './reading.ts';

/** Texts of one check, and bytes of it; the field's clients send no more. */
const MAX_TEXTS = 10_000;
export const MAX_CHECK_BODY = 1024 * 1024;
/** Of a text that is told again, characters. */
export const MAX_SHOWN = 300;
export const CHECKED_AT_ONCE = 500;
const KEPT_MS = 7 * 24 * 3_600_000;

/** What a check sorted its texts into, by name; `total` is one of the counts. */
export type CheckCounts = Readonly<Record<string, number>>;

type ReportParts = Pick<GraphParts, 'clock' | 'cursorSecret'>;

/** The id of a report: it carries the counts, signed, so that no list that somebody sent is kept. `kind` names the check. */
export function sealReport({ clock, cursorSecret }: ReportParts, kind: string, counts: CheckCounts): string {
  return sealPlace(cursorSecret, kind, JSON.stringify([clock.now() + KEPT_MS, counts]));
}

/** The counts of a report for 7 days. Throws the HttpProblem 404 for an id that was not sealed for this check, or is older. */
export function openReport({ clock, cursorSecret }: ReportParts, kind: string, id: string) {
  const opened = openPlace(cursorSecret, kind, id);
  const [until, summary] = opened.ok ? (JSON.parse(opened.after) as [number, CheckCounts]) : [0];
  if (summary === undefined || until <= clock.now())
    throw new HttpProblem('not_found', 'there is no such report, or it is older than 7 days', {
      parameter: 'reportId',
    });
  return { summary, expires_at: timeText(until) };
}

/** The texts of a body, its only member. Throws HttpProblems. */
export function readTexts(body: unknown, member: string): readonly string[] {
  if (!isObject(body)) throw new HttpProblem('bad_request', `send a JSON object with ${member}`);
  const other = Object.keys(body).find((name) => name !== member);
  if (other !== undefined)
    throw new HttpProblem('unknown_parameter', 'the check has no such member', {
      parameter: other.slice(0, 100),
      validValues: [member],
    });
  const texts = body[member];
  if (!Array.isArray(texts) || texts.some((one) => typeof one !== 'string'))
    throw new HttpProblem('invalid_value', 'a list of texts is needed', { parameter: member });
  if (texts.length > MAX_TEXTS)
    throw new HttpProblem('too_many_values', `at most ${MAX_TEXTS} are taken at once`, { parameter: member });
  return texts as readonly string[];
}
