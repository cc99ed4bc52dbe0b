import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { check, fails, refuses, says } from '../support/check.ts';

describe('response_schema', () => {
  it('holds data against the schema of the task, and tells the first place', () => {
    expect(check({ check: 'response_schema' }, says({ products: [] })).result).toBe('pass');
    expect(check({ check: 'response_schema' }, says({ products: [{ product_id: 7 }] }))).toMatchObject({
      result: 'fail',
      pointer: expect.stringMatching(/^\/products\/0\//),
      expected: expect.stringContaining('get_products response of 3.0.0'),
    });
  });

  it('holds a refusal against the schema of errors', () => {
    const good = { code: 'INVALID_REQUEST', message: 'no', recovery: 'correctable' };
    expect(check({ check: 'response_schema' }, refuses(good)).result).toBe('pass');
    expect(check({ check: 'response_schema' }, refuses({ code: 7 })).result).toBe('fail');
  });

  it('checks an agent of the public vocabulary against the public shapes, with the answer as it came', () => {
    const publicly = (answer: Parameters<typeof check>[1], task = 'get_products') =>
      check({ check: 'response_schema' }, answer, { task, demands: 'adcp' });
    expect(publicly(says({ products: [] })).result).toBe('pass');
    expect(publicly(says({ products: [{ product_id: 7 }] }))).toMatchObject({
      result: 'fail',
      expected: 'get_products response of the public protocol: required',
    });
    expect(publicly(says({ supported_protocols: [] }), 'get_proto_capabilities')).toMatchObject({
      result: 'fail',
      message: '/adcp is missing',
      expected: 'get_adcp_capabilities response of the public protocol: required',
    });
    expect(publicly(says({ valid: true }), 'validate_creative').result).toBe('not_applicable');
  });

  it('checks a refusal of a public agent as a form of the response, else as an error', () => {
    const refusal = (object: JsonObject, data?: JsonObject, task = 'get_products') =>
      check({ check: 'response_schema' }, refuses(object, data), { task, demands: 'adcp' });
    expect(refusal({ code: 'X', message: 'no' }).result).toBe('pass');
    expect(refusal({ code: 'X' })).toMatchObject({ result: 'fail', message: '/message is missing' });
    const unknown = { success: false, error: 'UNKNOWN_SCENARIO' };
    expect(refusal(unknown, unknown, 'comply_test_controller').result).toBe('pass');
    expect(refusal({}).result).toBe('not_applicable');
  });

  it('has nothing to say of a task that the protocol does not have, and no pass without a payload', () => {
    expect(check({ check: 'response_schema' }, says({}), { task: 'get_weather' }).result).toBe(
      'not_applicable',
    );
    expect(check({ check: 'response_schema' }, fails()).result).toBe('fail');
  });
});

describe('error_code', () => {
  it.each([
    ['the code', refuses({ code: 'NO' }), { value: 'NO' }, 'pass'],
    ['one of several', refuses({ code: 'NO' }), { allowed_values: ['NEVER', 'NO'] }, 'pass'],
    ['another code', refuses({ code: 'NEVER' }), { value: 'NO' }, 'fail'],
    ['no code', refuses({}), { value: 'NO' }, 'fail'],
    ['a success', says({}), { value: 'NO' }, 'fail'],
    ['errors as data', says({ errors: [{ code: 'NO' }] }), { value: 'NO' }, 'pass'],
    ['an error as data', says({ adcp_error: { code: 'NO' } }), { value: 'NO' }, 'pass'],
    ['no answer', fails(500), { value: 'NO' }, 'fail'],
    ['any code', refuses({ code: 'NO' }), {}, 'pass'],
  ])('%s', (_name, answer, more, result) => {
    expect(check({ check: 'error_code', ...more }, answer).result).toBe(result);
  });
});

describe('http_status', () => {
  it.each([
    [{ check: 'http_status', value: 200 }, says({}), 'pass'],
    [{ check: 'http_status', value: 401 }, fails(401), 'pass'],
    [{ check: 'http_status', value: 200 }, fails(500), 'fail'],
    [{ check: 'http_status_in', allowed_values: [401, 403] }, fails(403), 'pass'],
    [{ check: 'http_status_in', allowed_values: [401, 403] }, says({}), 'fail'],
    [{ check: 'http_status_in', allowed_values: [401] }, fails(), 'fail'],
    [{ check: 'http_status', value: 'ok' }, says({}), 'not_applicable'],
    [{ check: 'http_status' }, says({}), 'not_applicable'],
  ])('%j', (validation, answer, result) => {
    expect(check(validation, answer).result).toBe(result);
  });
});
