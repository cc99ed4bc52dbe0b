import { expect } from 'vitest';
import { readRequest } from '../../src/protocol/read-request.ts';
import { validatorOfShape } from '../../src/protocol/validators.ts';

/** What is refused: code and place, after the problem itself was held against core/error.json. */
export function refusal(task: string, payload: unknown): readonly [string, string | undefined] {
  const read = readRequest(task, payload);
  if (read.ok) throw new Error('the request was taken');
  const validate = validatorOfShape('3.0.0', 'error');
  expect([validate(read.problem), validate.errors]).toEqual([true, null]);
  return [read.problem.code, read.problem.pointer];
}
