import { readInstant } from '../domain/text.ts';
import { at, readString } from './fields.ts';
import type { FilePart } from './read-document.ts';

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
