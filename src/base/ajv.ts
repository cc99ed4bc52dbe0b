import { readFileSync } from 'node:fs';
import { Ajv2020, type Options } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** A validator of JSON Schema 2020-12 that knows the usual formats; strict but for union types. */
export function createAjv(options: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({ allowUnionTypes: true, ...options });
  addFormats.default(ajv);
  return ajv;
}

/** A schema of the project, by its path under `schemas/`. */
export function readSchema(path: string): object {
  return JSON.parse(readFileSync(new URL(`../../schemas/${path}`, import.meta.url), 'utf8'));
}
