import { describe, expect, it } from 'vitest';
import { check, fails, refuses, says } from '../support/check.ts';

const PAYLOAD = {
  status: 'active',
  count: 0,
  nothing: null,
  tags: ['a', 'b'],
  text: 'hello world',
  items: [
    { id: 'x', state: 'ok', size: { w: 1, h: 2 } },
    { id: 'y', state: 'ok', size: { w: 3, h: 4 } },
  ],
  none: [],
  long: `${'a'.repeat(40)}!`,
};
const DATA = says(PAYLOAD);

/** A row: the check, its path, its other members, and what it comes to. */
const ROWS: readonly (readonly [string, string, object, string])[] = [
  ['field_value', 'status', { value: 'active' }, 'pass'],
  ['field_value', 'status', { value: 'paused' }, 'fail'],
  ['field_value', 'status', { allowed_values: ['paused', 'active'] }, 'pass'],
  ['field_value', 'count', { value: 0 }, 'pass'],
  ['field_value', 'count', { value: '0' }, 'fail'],
  ['field_value', 'count', { value: false }, 'fail'],
  ['field_value', 'nothing', { value: null }, 'pass'],
  ['field_value', 'tags', { value: ['a', 'b'] }, 'pass'],
  ['field_value', 'items[*].state', { value: 'ok' }, 'pass'],
  ['field_value', 'items[*].id', { value: 'x' }, 'fail'],
  ['field_value', 'missing', { value: 1 }, 'fail'],
  ['field_value', 'none[*].id', { value: 1 }, 'fail'],
  ['field_value', 'status', {}, 'not_applicable'],
  ['field_value_or_absent', 'missing', { value: 1 }, 'pass'],
  ['field_value_or_absent', 'status', { value: 'active' }, 'pass'],
  ['field_value_or_absent', 'status', { value: 'paused' }, 'fail'],
  ['field_present', 'status', {}, 'pass'],
  ['field_present', 'count', {}, 'pass'],
  ['field_present', 'nothing', {}, 'fail'],
  ['field_present', 'missing', {}, 'fail'],
  ['field_present', 'items[*].size.w', {}, 'pass'],
  ['field_present', 'none[*]', {}, 'fail'],
  ['field_absent', 'missing', {}, 'pass'],
  ['field_absent', 'nothing', {}, 'fail'],
  ['field_absent', 'items[*].secret', {}, 'pass'],
  ['field_absent', 'items[*].id', {}, 'fail'],
  ['field_contains', 'tags', { value: 'b' }, 'pass'],
  ['field_contains', 'tags', { value: 'c' }, 'fail'],
  ['field_contains', 'tags', { allowed_values: ['c', 'a'] }, 'pass'],
  ['field_contains', 'text', { value: 'hello world' }, 'pass'],
  ['field_contains', 'text', { value: 'lo wo' }, 'fail'],
  ['field_contains', 'tags', { value: ['b'] }, 'pass'],
  ['field_contains', 'tags', { value: ['b', 'c'] }, 'fail'],
  ['field_contains', 'items', { value: { id: 'y', size: { h: 4 } } }, 'pass'],
  ['field_contains', 'items[*]', { value: { id: 'y', state: 'bad' } }, 'fail'],
  ['field_contains', 'items[*].id', { value: 'y' }, 'pass'],
  ['field_contains', 'missing', { value: 'y' }, 'fail'],
  ['field_equals_context', 'items[0].id', { context_key: 'id' }, 'pass'],
  ['field_equals_context', 'items[1].id', { context_key: 'id' }, 'fail'],
  ['field_equals_context', 'items[0].size', { context_key: 'size' }, 'pass'],
  ['field_equals_context', 'missing', { context_key: 'id' }, 'fail'],
  ['field_equals_context', 'status', { context_key: 'nobody' }, 'not_applicable'],
  ['field_equals_context', '', { context_key: 'whole' }, 'pass'],
  ['field_equals_context', '', { context_key: 'id' }, 'fail'],
  ['field_value', 'items.length', { value: 2 }, 'pass'],
  ['field_value', 'none.length', { value: 1 }, 'fail'],
  ['field_less_than', 'count', { value: 1 }, 'pass'],
  ['field_less_than', 'count', { value: 0 }, 'fail'],
  ['field_less_than', 'items[*].size.w', { value: 4 }, 'pass'],
  ['field_less_than', 'items[*].size.w', { value: 3 }, 'fail'],
  ['field_less_than', 'items.length', { context_key: 'three' }, 'pass'],
  ['field_less_than', 'items.length', { context_key: 'id' }, 'fail'],
  ['field_less_than', 'status', { value: 1 }, 'fail'],
  ['field_less_than', 'missing', { value: 1 }, 'fail'],
  ['field_less_than', 'count', { context_key: 'nobody' }, 'not_applicable'],
  ['field_less_than', 'count', {}, 'not_applicable'],
  ['field_pattern', 'status', { pattern: '^act' }, 'pass'],
  ['field_pattern', 'status', { pattern: '^paused$' }, 'fail'],
  ['field_pattern', 'items[*].id', { pattern: '^[xy]$' }, 'pass'],
  ['field_pattern', 'items[*].id', { pattern: '^x$' }, 'fail'],
  ['field_pattern', 'count', { pattern: '0' }, 'fail'],
  ['field_pattern', 'missing', { pattern: '.' }, 'fail'],
  ['field_pattern', 'status', { pattern: '(' }, 'not_applicable'],
  ['field_pattern', 'long', { pattern: '^(a+)+$' }, 'not_applicable'],
  ['field_pattern', 'status', {}, 'not_applicable'],
  ['envelope_field_pattern', 'status', { pattern: '^[a-z]+$' }, 'pass'],
  ['envelope_field_pattern', 'status', { pattern: '^[0-9]+$' }, 'fail'],
  ['cross_response_field_equal', 'status', {}, 'not_applicable'],
  ['cross_response_count_distinct', 'status', { allowed_values: [1] }, 'not_applicable'],
  ['a_check_of_tomorrow', 'status', { value: 'active' }, 'not_applicable'],
];

describe('checks of fields', () => {
  it.each(ROWS)('%s at %s with %j: %s', (kind, path, more, result) => {
    const context = { id: 'x', size: { w: 1, h: 2 }, three: 3, whole: PAYLOAD };
    expect(check({ check: kind, path, ...more }, DATA, { context }).result).toBe(result);
  });

  it.each([
    ['cross_response_field_equal', ['mb-1', 'mb-1'], {}, 'pass'],
    ['cross_response_field_equal', ['mb-1', 'mb-2'], {}, 'fail'],
    ['cross_response_field_equal', ['mb-1', undefined], {}, 'fail'],
    ['cross_response_count_distinct', ['mb-1', 'mb-1'], { allowed_values: [1] }, 'pass'],
    ['cross_response_count_distinct', ['mb-1', 'mb-2'], { allowed_values: [1] }, 'fail'],
    ['cross_response_count_distinct', ['mb-1', 'mb-2'], { allowed_values: [1, 2] }, 'pass'],
    ['cross_response_count_distinct', ['mb-1', 'mb-1'], {}, 'not_applicable'],
  ] as const)('%s of the responses %j with %j: %s', (kind, ids, more, result) => {
    const responses = ids.map((id) => (id === undefined ? {} : { media_buy_id: id }));
    const found = check({ check: kind, path: 'media_buy_id', ...more }, says({}), { responses });
    expect(found.result).toBe(result);
  });

  it('tell the place, what was expected and what came', () => {
    expect(
      check({ check: 'field_value', path: 'items[*].id', value: 'x', description: 'All are x' }, DATA),
    ).toEqual({
      check: 'field_value',
      path: 'items[*].id',
      result: 'fail',
      pointer: '/items/1/id',
      message: '/items/1/id has an unexpected value (All are x)',
      expected: 'x',
      actual: 'y',
    });
    const missing = check({ check: 'field_present', path: 'items[0].name' }, DATA);
    expect(missing).toMatchObject({ pointer: '/items/0/name', message: '/items/0/name is missing' });
    expect(missing).not.toHaveProperty('actual');
  });

  it('look into the error of a refusal, wherever the agent put it', () => {
    const error = { code: 'NO', pointer: '/x' };
    for (const answer of [refuses(error), refuses(error, { adcp_error: error, context: { id: 1 } })])
      expect(check({ check: 'field_value', path: 'error.pointer', value: '/x' }, answer).result).toBe('pass');
    const whole = refuses(error, { adcp_error: error, context: { id: 1 } });
    expect(check({ check: 'field_value', path: 'context.id', value: 1 }, whole).result).toBe('pass');
  });

  it('fail where no answer of the protocol came', () => {
    for (const kind of [
      'field_value',
      'field_present',
      'field_absent',
      'field_contains',
      'field_value_or_absent',
    ])
      expect(check({ check: kind, path: 'a', value: 1 }, fails(500)).result).toBe('fail');
  });
});
