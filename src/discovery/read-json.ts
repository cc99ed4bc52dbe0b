import { isUtf8 } from 'node:buffer';
import { visit } from 'jsonc-parser';
import { type Position, positionsOf } from '../base/json-positions.ts';
import type { Finding } from '../domain/finding.ts';
import type { FindingCode } from './finding-codes.ts';
import {
  isPlain,
  JSON_BOUNDS,
  type JsonBounds,
  reportDuplicateKeys,
  shapeOf,
  withoutFaults,
} from './json-bounds.ts';
import { createReport, findingOf } from './report.ts';

interface SyntaxFault extends Position {
  readonly reason: string;
}

/** By the parser's own error codes (jsonc-parser, ParseErrorCode). */
const REASONS: readonly string[] = [
  '',
  'an unknown word',
  'a broken number',
  'a key in double quotes was expected here',
  'a value was expected here',
  'a colon was expected here',
  'a comma was expected here',
  'a closing brace is missing',
  'a closing bracket is missing',
  'something follows the end of the document',
  'comments are not part of JSON',
  'comments are not part of JSON',
  'a text is not closed',
  'a broken number',
  'a broken \\u escape',
  'an unknown escape',
  'a control character inside a text',
];

/** What became of some bytes that should be JSON. */
interface JsonReading {
  /** Undefined when there is no usable document; then a finding says why. */
  readonly value: unknown;
  readonly findings: readonly Finding[];
  /** Where the value of a JSON pointer stands; undefined when the document could not be read. */
  locate(pointer: string): Position | undefined;
  /** The findings with their places; one pass over the text, and none when there are no findings. */
  place(findings: readonly Finding[]): readonly Finding[];
}

/**
 * Reads UTF-8 JSON (RFC 8259) within bounds. Never throws for content, however it is nested. An ordinary file
 * costs JSON.parse and two cheap counts; repeated keys, unsafe keys and positions are looked for only when
 * those counts disagree or something was found.
 */
export function readJson(bytes: Uint8Array, bounds: JsonBounds = JSON_BOUNDS): JsonReading {
  if (!isUtf8(bytes)) return unreadable('not_utf8', startsUtf16(bytes) ? 'it looks like UTF-16' : undefined);
  const hasBom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const text = textOf(hasBom ? bytes.subarray(3) : bytes);
  const problem = notJson(text);
  if (problem !== undefined) return unreadable(problem);
  const shape = shapeOf(text);
  if (shape.depth > bounds.depth) return unreadable('too_deep', `more than ${bounds.depth} levels`);
  if (shape.values > bounds.values) return unreadable('too_many_values', `more than ${bounds.values}`);
  const parsed = parse(text);
  if ('fault' in parsed) return { ...unreadable('syntax'), findings: [parsed.fault] };
  const bom = hasBom ? [findingOf('bom', '')] : [];
  if (isPlain(parsed.value, shape.keys, bounds)) return reading(text, parsed.value, bom);
  const report = createReport();
  const value = withoutFaults(parsed.value, bounds, report);
  reportDuplicateKeys(text, report);
  return reading(text, value, [...bom, ...report.list()]);
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function startsUtf16(bytes: Uint8Array): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}

function notJson(text: string): FindingCode | undefined {
  const start = text.slice(0, 1_000).trimStart();
  if (start === '' && text.trim() === '') return 'empty_file';
  if (!start.startsWith('<')) return undefined;
  return start.startsWith('<?xml') && !/<html/i.test(start) ? 'xml_not_json' : 'html_not_json';
}

function parse(text: string): { readonly value: unknown } | { readonly fault: Finding } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    const { reason, ...position } = syntaxFault(text) ?? {
      reason: error instanceof Error ? error.message : undefined,
    };
    return { fault: { ...findingOf('syntax', '', reason), ...position } };
  }
}

function unreadable(code: FindingCode, detail?: string): JsonReading {
  const findings = [findingOf(code, '', detail)];
  return { value: undefined, findings, locate: () => undefined, place: (found) => found };
}

function reading(text: string, value: unknown, findings: readonly Finding[]): JsonReading {
  return {
    value,
    findings,
    locate: (pointer) => positionsOf(text, [pointer]).get(pointer),
    place: (found) => placed(text, found),
  };
}

/** In the order of the text. A finding inside something that is missing stands where its container does. */
function placed(text: string, findings: readonly Finding[]): readonly Finding[] {
  if (findings.length === 0) return findings;
  const unplaced = findings.filter((finding) => finding.line === undefined);
  const positions = positionsOf(
    text,
    unplaced.map((finding) => finding.pointer),
  );
  const all = findings.map((finding) => ({
    ...finding,
    ...positions.get(finding.pointer),
    ...placeOf(finding),
  }));
  return all.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}

function placeOf({ line, column }: Finding): Partial<Position> {
  return line === undefined || column === undefined ? {} : { line, column };
}

/** The first place at which a text stops being JSON; undefined when this parser sees no error. */
function syntaxFault(text: string): SyntaxFault | undefined {
  const stop = new Error('first error');
  let fault: SyntaxFault | undefined;
  const onError = (
    code: number,
    _offset: number,
    _length: number,
    line: number,
    character: number,
  ): never => {
    fault = { line: line + 1, column: character + 1, reason: REASONS[code] ?? 'broken here' };
    throw stop; // what follows a broken string may nest without end, so nothing after the error is read
  };
  try {
    visit(text, { onError }, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
  } catch (error) {
    if (error !== stop) throw error;
  }
  return fault;
}
