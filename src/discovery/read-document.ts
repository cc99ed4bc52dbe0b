import { isObject } from '../base/json.ts';
import type { Finding } from '../domain/finding.ts';
import type { FilePart } from './fields.ts';
import { createFileState, READ_BOUNDS, type ReadBounds } from './file-state.ts';
import type { JsonBounds } from './json-shape.ts';
import { readJson } from './read-json.ts';
import { findingOf } from './report.ts';

/** What a reader may be told besides the bytes; every member has a default. */
export interface ReadOptions extends Partial<ReadBounds> {
  /** What may stand in its JSON; default JSON_BOUNDS. */
  readonly json?: JsonBounds;
}

/** A declaration, absent when the file cannot be used at all, and everything that was found on the way. */
export interface Read<D> {
  readonly declaration?: D;
  readonly findings: readonly Finding[];
}

/** Bytes to a JSON object to whatever `read` makes of it, with all findings placed in the text. */
export function readDocument<D>(
  bytes: Uint8Array,
  options: ReadOptions,
  read: (document: FilePart) => D | undefined,
): Read<D> {
  const json = readJson(bytes, options.json);
  if (json.value === undefined) return { findings: json.place(json.findings) };
  if (!isObject(json.value)) return { findings: json.place([...json.findings, findingOf('not_object', '')]) };
  const file = createFileState({ ...READ_BOUNDS, ...options });
  const declaration = read({ value: json.value, pointer: '', file });
  file.finish();
  const findings = json.place([...json.findings, ...file.report.list()]);
  return declaration === undefined ? { findings } : { declaration, findings };
}
