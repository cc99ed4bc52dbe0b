import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { MatchOperation } from '../domain/trusted-match.ts';
import { areUnique, quickPattern } from './quick-patterns.ts';

/** The version of the schemas that a provider speaks. */
export const MATCH_SCHEMA_VERSION = '3.0.0';

export interface Schema {
  readonly $id?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly [keyword: string]: unknown;
}

/** The schema of a request or response in schemas/trusted-match. */
export function matchSchema(operation: MatchOperation, kind: 'request' | 'response'): Schema {
  const path = `../../schemas/trusted-match/${MATCH_SCHEMA_VERSION}/${operation}-${kind}.json`;
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as Schema;
}

export interface CheckedRequest<T> {
  /** What is wrong with a value first, or the value. */
  check(value: unknown): { readonly value: T } | { readonly fault: ErrorObject };
  readonly schema: Schema;
}

/** Compiles the schema of an operation's request. It is closed: it refuses whatever it does not name. */
export function compileRequest<T>(operation: MatchOperation): CheckedRequest<T> {
  const schema = matchSchema(operation, 'request');
  const validate = quickAjv().compile<T>(schema);
  return {
    schema,
    check: (value) => {
      if (validate(value)) return { value };
      return { fault: (validate.errors as ErrorObject[])[0] as ErrorObject };
    },
  };
}

/** Lists of the schemas have texts only, so that sameness is that of `===`. */
function quickAjv(): Ajv2020 {
  const regExp = Object.assign(quickPattern, { code: 'quickPattern' });
  const ajv = new Ajv2020({ strict: true, code: { regExp } });
  ajv.removeKeyword('uniqueItems');
  return ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (wanted: boolean, list: readonly unknown[]) => !wanted || areUnique(list),
    error: { message: 'must not have the same item twice' },
  });
}
