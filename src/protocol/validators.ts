import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { createAjv } from '../base/ajv.ts';
import { schemaFiles, shippedVersions } from './schema-files.ts';
import { type SchemaKind, schemaPath, type TaskName } from './tasks.ts';

/** One schema of a bundle. */
interface SchemaRef {
  readonly version: string;
  readonly task: TaskName;
  readonly kind: SchemaKind;
}

/** Up to how many values a payload is searched for every error; a larger one is told its first. */
const SEARCHED_VALUES = 2_000;

/** Keywords of ours: they say something about a schema, and check nothing. */
const ANNOTATIONS = ['x-extension', 'x-error-code', 'x-meanings'];

// The shipped schemas never change while the program runs, so what is made of them is made once.
const loaded = new Map<string, Ajv2020>();

/**
 * Whether a validator stops at the first error or finds all of them. The time of the latter grows with the square of
 * the errors, since ajv copies those of each referenced schema: only for small payloads.
 */
type Thoroughness = 'first' | 'all';

let versions: readonly string[] | undefined;

/** The versions that requests may be written in. */
export function supportedVersions(): readonly string[] {
  versions ??= shippedVersions();
  return versions;
}

/** The compiled schema of a task; compiled when it is first asked for. `version` is one of `supportedVersions`. */
function validatorOf(
  version: string,
  task: TaskName,
  kind: SchemaKind,
  thoroughness: Thoroughness,
): ValidateFunction {
  return compiled(version, schemaPath(task, kind), thoroughness);
}

/** The compiled schema of a shared shape, `media_buy_webhook` for example. */
export function validatorOfShape(version: string, shape: string): ValidateFunction {
  return compiled(version, `core/${shape}.json`, 'first');
}

function compiled(version: string, path: string, thoroughness: Thoroughness): ValidateFunction {
  const validate = bundle(version, thoroughness).getSchema(`/schemas/${version}/${path}`);
  if (validate === undefined) throw new Error(`version ${version} has no schema ${path}`);
  return validate;
}

function bundle(version: string, thoroughness: Thoroughness): Ajv2020 {
  const key = `${version} ${thoroughness}`;
  const known = loaded.get(key);
  if (known !== undefined) return known;
  // verbose gives each error the schema that it broke; its text is written by issues.ts.
  const ajv = createAjv({
    strict: true,
    strictRequired: false,
    allErrors: thoroughness === 'all',
    verbose: true,
    messages: false,
  });
  ajv.addVocabulary(ANNOTATIONS);
  for (const file of schemaFiles(version).values()) ajv.addSchema(JSON.parse(file.toString('utf8')));
  loaded.set(key, ajv);
  return ajv;
}

/** What a payload of so many values breaks of a schema: everything, or the first thing when it is large. */
export function findErrors(schema: SchemaRef, payload: unknown, values: number): readonly ErrorObject[] {
  const first = errorsOf(schema, payload, 'first');
  return first.length === 0 || values > SEARCHED_VALUES ? first : errorsOf(schema, payload, 'all');
}

/** The validator does not keep what it found: an error holds on to the value that is wrong. */
function errorsOf(schema: SchemaRef, payload: unknown, thoroughness: Thoroughness): readonly ErrorObject[] {
  const validate = validatorOf(schema.version, schema.task, schema.kind, thoroughness);
  if (validate(payload)) return [];
  const errors = validate.errors ?? [];
  validate.errors = null;
  return errors;
}
