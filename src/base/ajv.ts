import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
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

/** A schema of the project, by its path under `schemas/`. */
export function readSchema(path: string): object {
  return JSON.parse(readFileSync(new URL(`../../schemas/${path}`, import.meta.url), 'utf8'));
}
