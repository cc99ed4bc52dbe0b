import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BOUNDS } from '../../src/protocol/bounds.ts';
import { checkResponse, readRequest } from '../../src/protocol/read-request.ts';
import { TASK_NAMES } from '../../src/protocol/tasks.ts';
import { validatorOfShape } from '../../src/protocol/validators.ts';
import { examplesOf, requestOf } from './requests.ts';

const MILLION = 'b'.repeat(1_000_000);

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? { a: value } : [value];
  return value;
}

function circular(): unknown {
  const ring: Record<string, unknown> = {};
  ring.context = ring;
  return ring;
}

describe('a request that is too much', () => {
  it.each([
    ['a brief of a million characters', { brief: MILLION }, '/brief'],
    ['a million characters in an unknown member', { notes: [MILLION] }, '/notes/0'],
    ['a name of a million characters', { context: { [MILLION]: 1 } }, '/context'],
    ['a list of a million values', { context: { list: new Array(1_000_000).fill(0) } }, ''],
    ['nothing but nesting', nested(100_001), '/a/0'.repeat(BOUNDS.depth / 2)],
    ['a circle', circular(), '/context'.repeat(BOUNDS.depth)],
  ])('%s is refused at its place, in few words', (_what, payload, pointer) => {
    const read = readRequest('get_products', payload);
    expect(read).toMatchObject({
      ok: false,
      problem: { code: 'REQUEST_TOO_LARGE', pointer, recovery: 'correctable' },
    });
    expect(JSON.stringify(read).length).toBeLessThan(2_000);
  });

  it('is refused with a place that the error’s own schema has room for', () => {
    const name = '~'.repeat(BOUNDS.name);
    let payload: Record<string, unknown> = {};
    for (let level = 0; level < BOUNDS.depth + 2; level += 1) payload = { [name]: payload };
    const read = readRequest('get_products', payload);
    const validate = validatorOfShape('3.0.0', 'error');
    expect(read.ok || validate(read.problem)).toBe(true);
    expect(read.ok).toBe(false);
  });

  it('is told only its first error when it holds thousands of values', () => {
    const events = new Array(60_000).fill(7);
    expect(readRequest('log_event', requestOf('log_event', { events }))).toMatchObject({
      problem: { code: 'VALIDATION_ERROR', pointer: '/events', issues: [{ keyword: 'maxItems' }] },
    });
    const audiences = [{ audience_id: 'a', add: new Array(10_000).fill({ hashed_email: 7 }) }];
    expect(readRequest('sync_audiences', requestOf('sync_audiences', { audiences }))).toMatchObject({
      problem: { pointer: '/audiences/0/add/0/hashed_email', issues: { length: 1 } },
    });
  });

  it.each([
    ['a number beyond a double', '{"ext": {"a": [1e400]}}', '/ext/a/0'],
    ['half a surrogate pair', '{"ext": {"a": "\\ud800"}}', '/ext/a'],
    ['half a surrogate pair in a name', '{"ext": {"\\udc00": 1}}', '/ext'],
  ])('%s is refused at its place, since it has no canonical form', (_what, text, pointer) => {
    expect(readRequest('get_products', JSON.parse(text))).toMatchObject({
      problem: { code: 'VALIDATION_ERROR', pointer },
    });
  });

  it('is taken up to the bounds', () => {
    expect(
      readRequest('get_products', { brief: 'b'.repeat(20_000), context: nested(BOUNDS.depth - 1) }).ok,
    ).toBe(true);
  });
});

describe('a request that is no request', () => {
  it.each([null, undefined, 7, 'brief', true, [], [{}]])('%j is refused as a whole', (payload) => {
    expect(readRequest('get_products', payload)).toMatchObject({
      ok: false,
      problem: { code: 'INVALID_REQUEST', pointer: '' },
    });
  });

  it.each(['', 'tell_tide', 'constructor', '__proto__', 'toString', 'core/brand', '../get_products'])(
    'the task %j is unknown, and no retry helps',
    (task) => {
      expect(readRequest(task, {})).toMatchObject({
        problem: { code: 'UNKNOWN_TASK', recovery: 'terminal' },
      });
    },
  );

  it('members that every object inherits count as missing, and are harmless when sent', () => {
    const payload = JSON.parse('{"__proto__": {"idempotency_key": "k"}, "constructor": 1, "toString": 2}');
    expect(readRequest('build_creative', payload)).toMatchObject({
      problem: { pointer: '/idempotency_key' },
    });
    expect(({} as Record<string, unknown>).idempotency_key).toBeUndefined();
  });

  it('control characters pass through as they are', () => {
    const brief = 'tea \u0000 \u202e';
    expect(readRequest('get_products', { brief })).toMatchObject({ ok: true, request: { brief } });
  });
});

describe('random JSON', () => {
  const task = fc.constantFrom(...TASK_NAMES);
  const json = fc.jsonValue({ maxDepth: 6 });

  it('never throws, and is taken or refused with a problem that follows its schema', () => {
    fc.assert(fc.property(task, json, (name, payload) => judged(name, payload)));
  });

  it('never throws in place of any one member of a good request', () => {
    fc.assert(
      fc.property(
        task.chain((name) => fc.tuple(fc.constant(name), fc.constantFrom(...memberNames(name)))),
        json,
        ([name, member], value) => judged(name, requestOf(name, { [member]: value })),
      ),
      { numRuns: 500 },
    );
  });

  it('as an answer never throws', () => {
    fc.assert(fc.property(task, json, (name, payload) => Array.isArray(checkResponse(name, payload))));
  });
});

function memberNames(task: (typeof TASK_NAMES)[number]): readonly string[] {
  return [...Object.keys(examplesOf(task, 'request')[0] ?? {}), '$schema', 'context', 'proto_version'];
}

function judged(task: (typeof TASK_NAMES)[number], payload: unknown): void {
  const read = readRequest(task, payload);
  const validate = validatorOfShape('3.0.0', 'error');
  if (read.ok) expect(read.request).toBe(payload);
  else expect([validate(read.problem), validate.errors]).toEqual([true, null]);
}
