import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { readBundle, shippedVersions } from './bundles.ts';
import { type SchemaKind, schemaPath, type TaskName } from './tasks.ts';

/** Keywords of ours: they say something about a schema, and check nothing. */
const ANNOTATIONS = ['x-extension', 'x-error-code', 'x-meanings'];

// The shipped schemas never change while the program runs, so what is made of them is made once.
const loaded = new Map<string, Ajv2020>();

/**
 * Whether a validator stops at the first error or finds all of them. The time of the latter grows with the square of
 * the errors, since ajv copies those of each referenced schema: only for small payloads.
 */
export type Thoroughness = 'first' | 'all';

let versions: readonly string[] | undefined;

/** The versions that requests may be written in. */
export function supportedVersions(): readonly string[] {
  versions ??= shippedVersions();
  return versions;
}

/** The compiled schema of a task; compiled when it is first asked for. `version` is one of `supportedVersions`. */
export function validatorOf(
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
  const ajv = new Ajv2020({
    strict: true,
    strictRequired: false,
    allErrors: thoroughness === 'all',
    verbose: true,
    messages: false,
  });
  addFormats.default(ajv, ['uri', 'date', 'date-time']);
  ajv.addVocabulary(ANNOTATIONS);
  for (const file of readBundle(version).values()) ajv.addSchema(JSON.parse(file.toString('utf8')));
  loaded.set(key, ajv);
  return ajv;
}
