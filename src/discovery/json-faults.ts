import { visit } from 'jsonc-parser';
import { pointerTo } from '../base/json-pointer.ts';
import type { FindingCode } from './finding-codes.ts';
import { type JsonBounds, UNSAFE_KEYS } from './json-shape.ts';
import type { Report } from './report.ts';

/**
 * Reports keys that stand twice in one object, with the place of the later one. Compared as they are after
 * unescaping; RFC 8259, section 4, leaves open which one counts: here it is the last, as with JSON.parse.
 */
export function reportDuplicateKeys(text: string, report: Report): void {
  const open: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: (key, _offset, _length, line, character, path) => {
      const keys = open.at(-1);
      if (keys?.has(key)) {
        const pointer = [...path(), key].reduce(pointerTo, '');
        report.add('duplicate_key', pointer, key, { line: line + 1, column: character + 1 });
      }
      keys?.add(key);
    },
  });
}

/**
 * Takes out of a parsed document, in place, what is over a bound or unsafe, with a finding for each; returns
 * the document, undefined when nothing of it may stay. An element of an array becomes null, so that the
 * pointers of its neighbours stay right.
 */
export function withoutFaults(value: unknown, bounds: JsonBounds, report: Report, pointer = ''): unknown {
  if (typeof value === 'string')
    return value.length > bounds.string ? leaveOut(report, 'string_too_long', pointer) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((item, index) => withoutFaults(item, bounds, report, pointerTo(pointer, index)) ?? null);
  }
  const keys = Object.keys(value);
  if (keys.length > bounds.keys) return leaveOut(report, 'too_many_keys', pointer);
  const kept = keys.filter((key) => isKept(key, bounds, report, pointer));
  const entries = kept.map((key) => {
    const item: unknown = (value as Record<string, unknown>)[key];
    return [key, withoutFaults(item, bounds, report, pointerTo(pointer, key))] as const;
  });
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}

function isKept(key: string, bounds: JsonBounds, report: Report, pointer: string): boolean {
  if (UNSAFE_KEYS.includes(key)) report.add('unsafe_key', pointerTo(pointer, key), key);
  else if (key.length > bounds.string) report.add('string_too_long', pointer);
  else return true;
  return false;
}

function leaveOut(report: Report, code: FindingCode, pointer: string): undefined {
  report.add(code, pointer);
  return undefined;
}
