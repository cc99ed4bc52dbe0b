import { type JsonObject, member } from '../base/json.ts';
import { cleanText, codePoints } from '../domain/text.ts';

/** What a text of a metric or an accreditation must be. */
export interface FieldRule {
  /** Longest, in characters (code points). */
  readonly max: number;
  readonly required?: boolean;
  /** An https URL. */
  readonly https?: boolean;
  /** A day of the calendar, YYYY-MM-DD. */
  readonly date?: boolean;
}

export type FieldResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly field: string; readonly problem: string };

/**
 * The texts of one item by their rules. A required one that breaks its rule refuses the whole item. An optional one
 * costs itself: it is left out and `leftOut` hears why. One that is not there (absent, null or empty) is left out too.
 */
export function readFields<K extends string>(
  item: JsonObject,
  rules: readonly (readonly [K, FieldRule])[],
  leftOut: (field: K, problem: string) => void,
): FieldResult<Partial<Record<K, string>>> {
  const value: Partial<Record<K, string>> = {};
  for (const [field, rule] of rules) {
    const read = readField(item, field, rule);
    if (!read.ok && rule.required) return read;
    if (!read.ok) leftOut(field, `${read.problem}; the value is ignored`);
    else if (read.value !== undefined) value[field] = read.value;
  }
  return { ok: true, value };
}

/** Control characters are removed before the text is judged. */
function readField(item: JsonObject, field: string, rule: FieldRule): FieldResult<string | undefined> {
  const raw = member(item, field) ?? '';
  if (typeof raw !== 'string') return refuse(field, `${field} must be a string`);
  // nothing that long can pass, and cleaning it would cost
  if (raw.length > rule.max * 8) return refuse(field, `${field} exceeds ${rule.max} characters`);
  const text = rule.date ? dateOf(cleanText(raw)) : cleanText(raw);
  if (text === '')
    return rule.required ? refuse(field, `${field} is missing`) : { ok: true, value: undefined };
  const problem = problemOf(text, field, rule);
  return problem === undefined ? { ok: true, value: text } : refuse(field, problem);
}

/** The day as it is written, of a moment too (RFC 3339, with a blank or small letters as its section 5.6 allows). */
function dateOf(text: string): string {
  return text.replace(/^(.{10})[Tt ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:[Zz]|[+-]\d{2}:?\d{2})?$/, '$1');
}

function problemOf(text: string, field: string, rule: FieldRule): string | undefined {
  if (codePoints(text) > rule.max) return `${field} exceeds ${rule.max} characters`;
  if (rule.https && !isHttpsUrl(text)) return `${field} must be an https URL`;
  if (rule.date && !isCalendarDate(text)) return `${field} must be a date, YYYY-MM-DD`;
  return undefined;
}

/** An absolute https URL without user name or password. */
export function isHttpsUrl(text: string): boolean {
  if (!/^https:\/\//i.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  return url.username === '' && url.password === '';
}

function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

function refuse(field: string, problem: string): FieldResult<never> {
  return { ok: false, field, problem };
}
