import { describe, expect, it } from 'vitest';
import { readRequest } from '../../src/protocol/read-request.ts';
import { TASK_NAMES } from '../../src/protocol/tasks.ts';
import { refusal } from './refusal.ts';
import { examplesOf, type Payload, requestOf, requiredOf } from './requests.ts';

const PACKAGE = { product_id: 'p', budget: 5, pricing_option_id: 'cpm-1' };

describe('a request that follows its schema', () => {
  it.each(TASK_NAMES)('is read for %s, unknown members and all', (task) => {
    for (const example of examplesOf(task, 'request')) {
      const request = { ...example, vendor_thing: { deep: [1] }, context: { correlation_id: 'c' } };
      expect(readRequest(task, request)).toEqual({ ok: true, task, version: '3.0.0', request });
    }
  });

  it('is read by the public name of the capabilities task', () => {
    expect(readRequest('get_adcp_capabilities', {})).toMatchObject({
      ok: true,
      task: 'get_proto_capabilities',
    });
  });

  it('may carry a brief in place of pre-built creative', () => {
    expect(
      readRequest('create_media_buy', requestOf('create_media_buy', { brief: 'steam and rain' })).ok,
    ).toBe(true);
  });
});

describe('what is said of a refused request', () => {
  it('is refused for each required field of each task', () => {
    for (const task of TASK_NAMES) {
      const [example = {}] = examplesOf(task, 'request');
      for (const name of requiredOf(task)) {
        const { [name]: _gone, ...rest } = example;
        expect(refusal(task, rest)).toEqual(['INVALID_REQUEST', `/${name}`]);
      }
    }
  });

  it('says what to do, that a retry helps after a change, and every other place', () => {
    const read = readRequest('create_media_buy', { brand: 7 });
    expect(read).toMatchObject({
      ok: false,
      problem: {
        code: 'INVALID_REQUEST',
        message: '/idempotency_key is missing',
        pointer: '/idempotency_key',
        recovery: 'correctable',
        suggestion: 'add idempotency_key',
      },
    });
    const pointers = read.ok ? [] : read.problem.issues?.map(({ pointer }) => pointer);
    expect(pointers).toEqual([
      '/idempotency_key',
      '/account',
      '/start_time',
      '/end_time',
      '/packages',
      '/brand',
    ]);
  });

  // change of a create_media_buy, message
  const MESSAGES: readonly (readonly [Payload, string])[] = [
    [{ brief: 'b'.repeat(20_001) }, '/brief must have at most 20000 characters'],
    [{ packages: [] }, '/packages must not be empty'],
    [{ packages: [{ ...PACKAGE, budget: -1 }] }, '/packages/0/budget must be at least 0'],
    [{ packages: 'p' }, '/packages must be array'],
    [{ account: 7 }, '/account must be object'],
    [
      { start_time: 'tomorrow' },
      '/start_time must be an RFC 3339 timestamp, for example 2026-03-01T00:00:00Z',
    ],
    [{ push_notification_config: { url: 'x' } }, '/push_notification_config/url must be an absolute URL'],
  ];

  it.each(MESSAGES)('%j is told in words a person can act on', (change, message) => {
    const read = readRequest('create_media_buy', requestOf('create_media_buy', change));
    expect(read.ok ? '' : read.problem.issues?.map((issue) => `${issue.pointer} ${issue.message}`)).toContain(
      message,
    );
  });

  it('tells twenty places at most, and never the value', () => {
    const packages = Array.from({ length: 400 }, () => ({ secret: 'hush' }));
    const read = readRequest('create_media_buy', requestOf('create_media_buy', { packages }));
    expect(read.ok ? [] : read.problem.issues).toHaveLength(20);
    expect(JSON.stringify(read)).not.toContain('hush');
  });
});
