import { at, readString } from './fields.ts';
import type { FilePart } from './read-document.ts';

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?$/i;

interface Instant {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Only a date was given; midnight UTC was taken. */
  readonly isDate: boolean;
}

/** An optional time (RFC 3339), epoch milliseconds; a bare date counts from midnight UTC. */
export function readTime(place: FilePart, key: string): number | undefined {
  const value = place.value[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') {
    place.file.report.add('wrong_type', at(place, key), value);
    return undefined;
  }
  const instant = readInstant(value);
  if (instant === undefined) place.file.report.add('time_invalid', at(place, key), value);
  else if (instant.isDate) place.file.report.add('date_without_time', at(place, key), value);
  return instant?.at;
}

/** When the file says that it was changed, as declared; a text that is no time is left out. */
export function readLastUpdated(document: FilePart): string | undefined {
  const text = readString(document, 'last_updated', 100);
  if (text === undefined || readInstant(text) !== undefined) return text;
  document.file.report.add('last_updated_unreadable', at(document, 'last_updated'), text);
  return undefined;
}

/** Reads an RFC 3339 time, or a bare date; undefined for anything else and for days that no calendar has. */
export function readInstant(text: string): Instant | undefined {
  const match = RFC_3339.exec(text);
  if (match === null) return undefined;
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number];
  if (new Date(Date.UTC(year, month - 1, day)).getUTCDate() !== day || month < 1) return undefined;
  const at = Date.parse(text.toUpperCase());
  return Number.isNaN(at) ? undefined : { at, isDate: match[4] === undefined };
}
