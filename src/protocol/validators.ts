import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { createAjv, type SubschemaLookup, subschemaLookup } from '../base/ajv.ts';
import { resolveForms } from './issues.ts';
import { publicShapeFiles, schemaFiles, shippedVersions } from './schema-files.ts';
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

/** A validator of a set of schemas, which finds its parts too. */
interface Engine {
  readonly ajv: Ajv2020;
  readonly lookup: SubschemaLookup;
}

// The shipped schemas never change while the program runs, so engines are made once.
const engines = new Map<string, Engine>();

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

/** The compiled schema of a shared shape, `media_buy_webhook` for example. */
export function validatorOfShape(version: string, shape: string): ValidateFunction {
  return validatorIn(engineOf(version, 'first'), `/schemas/${version}/core/${shape}.json`);
}

function validatorIn({ ajv }: Engine, id: string): ValidateFunction {
  const validate = ajv.getSchema(id);
  if (validate === undefined) throw new Error(`unknown schema ${id}`);
  return validate;
}

/** The name of the public shapes among the versions of our own schemas. */
const PUBLIC = 'adcp';

/**
 * The public shapes are many and deep: without inlining and optimising they compile in half of the time. Their large choices
 * have a `discriminator`, so that a hostile answer breaks one form and not twenty. Their forms leave out types.
 */
const PUBLIC_OPTIONS = {
  inlineRefs: false,
  code: { optimize: false },
  discriminator: true,
  strictTypes: false,
} as const;

function engineOf(version: string, thoroughness: Thoroughness): Engine {
  const key = `${version} ${thoroughness}`;
  const known = engines.get(key);
  if (known !== undefined) return known;
  const isPublic = version === PUBLIC;
  // verbose gives each error the schema that it broke; its text is written by issues.ts.
  const ajv = createAjv({
    strict: true,
    strictRequired: false,
    ...(isPublic && PUBLIC_OPTIONS),
    allErrors: thoroughness === 'all',
    verbose: true,
    messages: false,
  });
  ajv.addVocabulary(ANNOTATIONS);
  const files = isPublic ? publicShapeFiles() : schemaFiles(version);
  for (const file of files.values()) ajv.addSchema(JSON.parse(file.toString('utf8')));
  const engine = { ajv, lookup: subschemaLookup(ajv) };
  engines.set(key, engine);
  return engine;
}

/** What a payload of so many values breaks of a schema: everything, or the first thing when it is large. */
export function findErrors(
  { version, task, kind }: SchemaRef,
  payload: unknown,
  values: number,
): readonly ErrorObject[] {
  return errorsIn(version, `/schemas/${version}/${schemaPath(task, kind)}`, payload, values);
}

/**
 * What an answer breaks of a public shape, `get_products` or `shapes.json#/$defs/error` for example; undefined when there
 * is no shape of this name.
 */
export function findShapeErrors(
  shape: string,
  payload: unknown,
  values: number,
): readonly ErrorObject[] | undefined {
  const [file = ''] = shape.split('#');
  const path = file.endsWith('.json') ? shape : `${shape}.json`;
  if (!publicShapeFiles().has(path.split('#')[0] ?? '')) return undefined;
  return errorsIn(PUBLIC, `/schemas/${PUBLIC}/${path}`, payload, values);
}

function errorsIn(version: string, id: string, payload: unknown, values: number): readonly ErrorObject[] {
  const first = errorsBy(engineOf(version, 'first'), id, payload);
  if (first.length === 0 || values > SEARCHED_VALUES) return first;
  return errorsBy(engineOf(version, 'all'), id, payload);
}

/** The validator does not keep what it found: an error holds on to the value that is wrong. */
function errorsBy(engine: Engine, id: string, payload: unknown): readonly ErrorObject[] {
  const validate = validatorIn(engine, id);
  if (validate(payload)) return [];
  const errors = validate.errors ?? [];
  validate.errors = null;
  return resolveForms(errors, engine.lookup);
}
