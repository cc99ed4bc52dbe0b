import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';

const SCHEMAS = new URL('../../../schemas/', import.meta.url);
/** Where a schema of schemas/cli refers to one of schemas/registry, by its relative path. */
const FOLDERS = ['cli', 'registry'];

/** The files of schemas/cli. */
export const CLI_SCHEMAS = readdirSync(new URL('cli/', SCHEMAS)).toSorted();

const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true, strictRequired: false });
addFormats.default(ajv);
for (const folder of FOLDERS) {
  for (const file of readdirSync(new URL(`${folder}/`, SCHEMAS))) {
    const schema = JSON.parse(readFileSync(new URL(`${folder}/${file}`, SCHEMAS), 'utf8'));
    ajv.addSchema({ ...schema, $id: `https://schemas.test/${folder}/${file}` });
  }
}

/** Parses what a command printed and holds it against a schema, `cli/crawl.json` for example; returns the value. */
export function follows<T>(stdout: string, schema: string): T {
  const value: unknown = JSON.parse(stdout);
  const validate = ajv.getSchema(`https://schemas.test/${schema}`);
  if (validate === undefined) throw new Error(`there is no schema ${schema}`);
  validate(value);
  expect(validate.errors ?? [], `${schema}: ${stdout.slice(0, 400)}`).toEqual([]);
  return value as T;
}
