import { describe, expect, it, test } from 'vitest';
import type { TaskAnswer } from '../../../src/calling/connection.ts';
import { check, fails, refuses, says } from '../support/check.ts';

const rpc = (rpcCode: number): TaskAnswer => ({
  outcome: 'refused',
  error: { message: 'no', rpcCode, object: {} },
  durationMs: 1,
  raw: '',
});
const text = (message: string): TaskAnswer => ({
  outcome: 'refused',
  error: { message, object: {} },
  durationMs: 1,
  raw: '',
});
const verdict = (reason: string, answer: TaskAnswer, more: object = {}) =>
  check({ check: 'refused_for', value: reason, ...more }, answer).result;

describe('an authentication error', () => {
  test.each<[string, TaskAnswer, string]>([
    ['HTTP 401', fails(401), 'pass'],
    ['HTTP 403', fails(403), 'pass'],
    ['AUTH_REQUIRED', refuses({ code: 'AUTH_REQUIRED' }), 'pass'],
    ['AUTH_REQUIRED as data', says({ errors: [{ code: 'AUTH_REQUIRED' }] }), 'pass'],
    ['a signature code', refuses({ code: 'request_signature_required' }), 'pass'],
    ['a validation error', refuses({ code: 'VALIDATION_ERROR' }), 'fail'],
    ['HTTP 400', fails(400), 'fail'],
    ['HTTP 500', fails(500), 'fail'],
    ['a data answer', says({ accounts: [] }), 'fail'],
  ])('%s: %s', (_name, answer, expected) => {
    expect(verdict('authentication', answer)).toBe(expected);
  });

  it('may be HTTP 400 where the check says so', () => {
    expect(verdict('authentication', fails(400), { allowed_values: [400, 401, 403] })).toBe('pass');
  });
});

describe('a refusal of an unknown task', () => {
  test.each<[string, TaskAnswer, string]>([
    ['a JSON-RPC error for an unknown method', rpc(-32_601), 'pass'],
    ['a JSON-RPC error for an unknown tool', rpc(-32_602), 'pass'],
    ['another JSON-RPC error', rpc(-32_603), 'fail'],
    ['UNKNOWN_TASK', refuses({ code: 'UNKNOWN_TASK' }), 'pass'],
    ['a text that says so', text('Tool no_task_of_this_name not found'), 'pass'],
    ['a text that says something else', text('Please sign in first'), 'fail'],
    ['AUTH_REQUIRED', refuses({ code: 'AUTH_REQUIRED' }), 'fail'],
    ['HTTP 404', fails(404), 'pass'],
    ['HTTP 401', fails(401), 'fail'],
    ['an answer', says({}), 'fail'],
  ])('%s: %s', (_name, answer, expected) => {
    expect(verdict('unknown_task', answer)).toBe(expected);
  });
});

describe('the code of a refusal', () => {
  it('is that of the test controller too', () => {
    const answer = says({ success: false, error: 'UNKNOWN_SCENARIO' });
    expect(check({ check: 'error_code', value: 'UNKNOWN_SCENARIO' }, answer).result).toBe('pass');
    expect(check({ check: 'error_code', value: 'NOT_FOUND' }, answer).result).toBe('fail');
  });
});

describe('a place of the public vocabulary', () => {
  const validation = { check: 'field_present', path: 'spend', public_path: 'totals.spend' };
  it('is looked at in an answer of that vocabulary alone', () => {
    const answer = says({ totals: { spend: 1 } });
    expect(check(validation, answer, { demands: 'adcp' })).toMatchObject({
      result: 'pass',
      path: 'totals.spend',
    });
    expect(check(validation, answer)).toMatchObject({ result: 'fail', path: 'spend' });
  });
});

describe('a value that has to differ', () => {
  test.each([
    ['mb_2', 'pass'],
    ['mb_1', 'fail'],
    [undefined, 'fail'],
  ])('%s: %s', (id, expected) => {
    const answer = says(id === undefined ? {} : { media_buy_id: id });
    const validation = { check: 'field_differs_from_context', path: 'media_buy_id', context_key: 'first' };
    expect(check(validation, answer, { context: { first: 'mb_1' } }).result).toBe(expected);
  });
});
