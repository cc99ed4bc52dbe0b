import type { ErrorObject } from 'ajv/dist/2020.js';
import type { SchemaKind, TaskName } from './tasks.ts';
import { type Thoroughness, validatorOf } from './validators.ts';

/** One schema of a bundle. */
export interface SchemaRef {
  readonly version: string;
  readonly task: TaskName;
  readonly kind: SchemaKind;
}

/** Up to how many values a payload is searched for every error; a larger one is told its first. */
const SEARCHED_VALUES = 2_000;

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
