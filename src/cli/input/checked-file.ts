import type { ErrorObject } from 'ajv/dist/2020.js';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import { createAjv, readSchema } from '../../base/ajv.ts';
import { stepsOf } from '../../base/json-pointer.ts';
import { RegistryError } from '../../errors.ts';

/** How many wrong places of a file are told at once. */
const MAX_PLACES = 20;

export interface CheckedFile {
  /** For the message: the path as given. */
  readonly file: string;
  /** What it should be, for example `members file`. */
  readonly what: string;
  /** Path of the schema below `schemas/`. */
  readonly schema: string;
}

/**
 * Reads a JSON or YAML text against a schema of ours. Throws `input_invalid` with every place that is wrong, by line
 * and column.
 */
export function parseChecked<T>(text: string, checked: CheckedFile): T {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, strict: true, uniqueKeys: true });
  const [syntax] = document.errors;
  if (syntax !== undefined) throw invalidFile(checked, [syntax.message.split('\n')[0] ?? 'it is not YAML']);
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  const validate = createAjv({ allErrors: true }).compile(readSchema(checked.schema));
  if (validate(value)) return value as T;
  const errors = (validate.errors ?? []).slice(0, MAX_PLACES);
  throw invalidFile(
    checked,
    errors.map((error) => sentence(error, placeOf(error, document, lines))),
  );
}

/** The error for a file that is not what it should be, one line for each wrong place. */
export function invalidFile({ file, what, schema }: CheckedFile, places: readonly string[]): RegistryError {
  return new RegistryError(
    'input_invalid',
    [`${file} is no ${what}`, ...places.map((line) => `  ${line}`)].join('\n'),
    {
      hint: `the schema is schemas/${schema}; nothing was written`,
    },
  );
}

function placeOf({ instancePath }: ErrorObject, document: Document, lines: LineCounter): string {
  const path = stepsOf(instancePath).map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  const node = document.getIn(path, true);
  if (!isNode(node) || !node.range) return instancePath || 'the file';
  const { line, col } = lines.linePos(node.range[0]);
  return `line ${line}, column ${col} (${instancePath || 'the file'})`;
}

function sentence({ message, params, keyword }: ErrorObject, place: string): string {
  const unknown =
    keyword === 'additionalProperties' ? ` ('${String(params.additionalProperty)}' is not known)` : '';
  const values = keyword === 'enum' ? ` (${(params.allowedValues as string[]).join(', ')})` : '';
  return `${place}: ${message ?? 'is wrong'}${unknown}${values}`;
}
