import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { readAdagents } from '../../src/discovery/read-adagents.ts';
import { readBrand } from '../../src/discovery/read-brand.ts';
import { readJson } from '../../src/discovery/read-json.ts';
import { hasErrors } from '../../src/domain/finding.ts';
import { BAD_ADAGENTS, GOOD_ADAGENTS, ODD_ADAGENTS } from './fixtures/adagents.ts';
import { BAD_BRAND, GOOD_BRAND, ODD_BRAND } from './fixtures/brand.ts';
import { bytesOf, type Fixture } from './fixtures/fixture.ts';

interface Schema {
  readonly examples: readonly object[];
}

function load(name: string): Schema {
  return JSON.parse(
    readFileSync(new URL(`../../schemas/discovery/${name}.json`, import.meta.url), 'utf8'),
  ) as Schema;
}

function compile(schema: Schema): ValidateFunction {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allErrors: true });
  addFormats.default(ajv);
  return ajv.compile(schema);
}

const KINDS = [
  { kind: 'adagents', read: readAdagents, fixtures: [...GOOD_ADAGENTS, ...ODD_ADAGENTS, ...BAD_ADAGENTS] },
  { kind: 'brand', read: readBrand, fixtures: [...GOOD_BRAND, ...ODD_BRAND, ...BAD_BRAND] },
] as const;

describe.each(KINDS)('the schema of $kind', ({ kind, read, fixtures }) => {
  const schema = load(kind);
  const validate = compile(schema);
  const readable: readonly Fixture[] = fixtures.filter(
    ({ file, beyondSchema }) => !beyondSchema && readJson(bytesOf(file)).value !== undefined,
  );

  test.each(readable)('agrees with the reader about $name', ({ file }) => {
    const isValid = validate(readJson(bytesOf(file)).value);
    expect(isValid, JSON.stringify(validate.errors)).toBe(!hasErrors(read(bytesOf(file)).findings));
  });

  test('its own examples are valid and read without findings', () => {
    for (const example of schema.examples) {
      expect(validate(example), JSON.stringify(validate.errors)).toBe(true);
      expect(read(bytesOf(example)).findings).toEqual([]);
    }
  });
});
