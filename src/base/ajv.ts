import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020, type Options } from 'ajv/dist/2020.js';
import addFormats, { type FormatName } from 'ajv-formats';

/** Those whose expressions take time in proportion to the text; others of the library do not. */
const FORMATS: FormatName[] = ['date', 'date-time', 'email', 'uri', 'uri-reference'];

/** A validator of JSON Schema 2020-12 that knows a few formats; strict but for union types. */
export function createAjv(options: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({ allowUnionTypes: true, ...options });
  addFormats.default(ajv, FORMATS);
  return ajv;
}

/** A validator of schemas that others wrote, in draft 7: what they say beyond it has no effect, a format neither. */
export function createForeignAjv(allErrors: boolean): Ajv {
  const ajv = new Ajv({
    strict: false,
    allErrors,
    verbose: true,
    messages: false,
    logger: false,
    meta: false,
    validateSchema: false,
  });
  addFormats.default(ajv, FORMATS);
  return ajv;
}

/** The validator of a schema that is part of a larger one, references followed; undefined when it cannot be compiled. */
export type SubschemaLookup = (schema: object) => ValidateFunction | undefined;

/**
 * Finds validators for parts of the schemas that an engine holds, for example for one form of a `oneOf`. A part is
 * known by its identity, as errors of a `verbose` engine carry it.
 */
export function subschemaLookup(ajv: Ajv): SubschemaLookup {
  const references = new WeakMap<object, string>();
  const indexed = new Set<string>();
  const compiled = new WeakMap<object, ValidateFunction>();
  const index = (value: unknown, reference: string): void => {
    if (typeof value !== 'object' || value === null) return;
    references.set(value, reference);
    for (const [key, item] of Object.entries(value))
      index(item, `${reference}/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`);
  };
  return (schema) => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    for (const [id, loaded] of Object.entries(ajv.schemas)) {
      if (indexed.has(id)) continue; // a set grows as its schemas are asked for
      indexed.add(id);
      index(loaded?.schema, `${id}#`);
    }
    const reference = references.get(schema);
    const validate = reference === undefined ? undefined : ajv.getSchema(reference);
    if (validate !== undefined) compiled.set(schema, validate);
    return validate;
  };
}

/** A schema of the project, by its path under `schemas/`. */
export function readSchema(path: string): object {
  return JSON.parse(readFileSync(new URL(`../../schemas/${path}`, import.meta.url), 'utf8'));
}
