import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { createAjv, readSchema } from '../../base/ajv.ts';
import { readYaml, type YamlText } from '../../base/yaml.ts';
import { RegistryError } from '../../errors.ts';

/** How many wrong places of a file are told at once. */
const MAX_PLACES = 20;
/** Limits for files of the operator; lists of members and packages can be large. */
const BOUNDS = { parts: 20_000_000, depth: 32 };

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
  const yaml = readYaml(text, BOUNDS);
  if (!('value' in yaml))
    throw invalidFile(
      checked,
      yaml.map(({ message, line, column }) => `line ${line}, column ${column}: ${message}`),
    );
  const validate = validatorOf(checked.schema);
  if (validate(yaml.value)) return yaml.value as T;
  const errors = (validate.errors ?? []).slice(0, MAX_PLACES);
  throw invalidFile(
    checked,
    errors.map((error) => sentence(error, placeOf(error, yaml))),
  );
}

const validators = new Map<string, ValidateFunction>();

/** Compiled once a process: that takes longer than most files. */
function validatorOf(schema: string): ValidateFunction {
  const validate = validators.get(schema) ?? createAjv({ allErrors: true }).compile(readSchema(schema));
  validators.set(schema, validate);
  return validate;
}

/** The error for a file that is not what it should be, one line for each wrong place. */
export function invalidFile({ file, what, schema }: CheckedFile, places: readonly string[]): RegistryError {
  return new RegistryError(
    'input_invalid',
    [`${file} is not a valid ${what}`, ...places.map((line) => `  ${line}`)].join('\n'),
    {
      hint: `fix the file according to schemas/${schema}; nothing was written`,
    },
  );
}

function placeOf({ instancePath }: ErrorObject, yaml: YamlText): string {
  const { line, column } = yaml.positionOf(instancePath);
  return `line ${line}, column ${column} (${instancePath || 'the file'})`;
}

function sentence({ message, params, keyword }: ErrorObject, place: string): string {
  const unknown =
    keyword === 'additionalProperties' ? ` (unknown: '${String(params.additionalProperty)}')` : '';
  const values = keyword === 'enum' ? ` (${(params.allowedValues as string[]).join(', ')})` : '';
  return `${place}: ${message ?? 'is invalid'}${unknown}${values}`;
}
