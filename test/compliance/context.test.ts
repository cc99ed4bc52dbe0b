import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createContext, fill, fillRequest, type RunValues } from '../../src/compliance/run/context.ts';
import { allSteps } from '../../src/compliance/storyboard.ts';
import { withPhases } from './support/runs.ts';

const RUN: RunValues = {
  seed: 'seed',
  runId: 'run-1',
  startedAt: Date.parse('2026-05-01T10:00:00.123Z'),
  agentUrl: 'https://agent.example/mcp',
  testKit: { operator: 'desk.example', brand: { domain: 'acme.example' } },
};
const contextWith = (values: Record<string, unknown> = {}, run = RUN) => createContext(run, 'sample', values);

describe('placeholders', () => {
  const context = contextWith({ id: 'p-1', count: 3, list: [{ a: 1 }] });
  context.prior.set('first', { media_buy_id: 'mb-1' });

  it.each([
    ['$context.id', 'p-1'],
    ['$context.count', 3],
    ['$context.list[0].a', 1],
    ['of $context.id, $context.count times', 'of p-1, 3 times'],
    ['{{context.id}}/{{ prior_step.first.media_buy_id }}', 'p-1/mb-1'],
    ['$agent_url', 'https://agent.example/mcp'],
    ['{{run.id}}', 'run-1'],
    ['$test_kit.brand.domain', 'acme.example'],
    ['{{now}}', '2026-05-01T10:00:00Z'],
    ['{{now+7d}}', '2026-05-08T10:00:00Z'],
    ['{{now-90m}}', '2026-05-01T08:30:00Z'],
    ['{{today+1d}}', '2026-05-02'],
    ['costs $5 in {braces}', 'costs $5 in {braces}'],
  ])('%s becomes %j', (text, value) => {
    expect(fill(text, context, RUN)).toEqual({ value, missing: [] });
  });

  it.each([
    '$context.nobody',
    '{{runner.webhook_url:x}}',
    '{{prior_step.none.id}}',
    '$context.id.deeper',
    '{{x y z}}',
  ])('%s is told as missing', (text) => {
    expect(fill({ at: text }, context, RUN).missing.map((one) => one.text)).toEqual([text]);
  });

  it('gives the same made-up value for the same name in a run, and another in the next', () => {
    const make = (run: RunValues) => fill('$generate:uuid_v4#one', contextWith({}, run), run).value;
    expect(make(RUN)).toBe(make(RUN));
    expect(make(RUN)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(make({ ...RUN, seed: 'other' })).not.toBe(make(RUN));
  });

  it('never looks for placeholders in what an agent said', () => {
    const hostile = contextWith({ id: '$context.secret', secret: 'x' });
    expect(fill('$context.id and $context.id', hostile, RUN).value).toBe(
      '$context.secret and $context.secret',
    );
  });

  it('leaves every value alone that has none', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(
          !/[${]/.test(JSON.stringify(value)) ||
            !/\$(context|test_kit|prior|generate|agent)|\{\{/.test(JSON.stringify(value)),
        );
        expect(fill(value, contextWith(), RUN)).toEqual({ value, missing: [] });
      }),
    );
  });
});

describe('the request of a step', () => {
  const request = (step: string, run = RUN) => {
    const board = withPhases(`  - id: p\n    steps:\n      - {id: s, ${step}}\n`);
    const [first] = allSteps(board);
    if (first === undefined) throw new Error('no step');
    return fillRequest(first, 'p/s', contextWith({}, run), run).payload;
  };
  const UUID = /^[0-9a-f-]{36}$/;

  it('has a fresh key where the task changes something, and none where it reads', () => {
    expect(request('task: create_media_buy')).toEqual({ idempotency_key: expect.stringMatching(UUID) });
    expect(request('task: get_products')).toEqual({});
    expect(request('task: comply_test_controller')).toEqual({});
  });

  it('replaces a key that stands in the file, by the same one for the same text', () => {
    const one = request('task: create_media_buy, sample_request: {idempotency_key: fixed}');
    expect(one.idempotency_key).toMatch(UUID);
    expect(request('task: create_media_buy, sample_request: {idempotency_key: fixed}')).toEqual(one);
    const other = { ...RUN, seed: 'next run' };
    expect(request('task: create_media_buy, sample_request: {idempotency_key: fixed}', other)).not.toEqual(
      one,
    );
  });

  it('has no key where the step says so, and a wrong one where the step has a wrong one', () => {
    expect(
      request('task: create_media_buy, omit_idempotency_key: true, sample_request: {idempotency_key: x}'),
    ).toEqual({});
    expect(request('task: create_media_buy, sample_request: {idempotency_key: 7}')).toEqual({
      idempotency_key: 7,
    });
  });

  it('names the sandbox wherever a changing task names an account', () => {
    const account = '{operator: a.example}';
    const one = request(
      `task: sync_accounts, omit_idempotency_key: true, sample_request: {account: ${account}, accounts: [${account}]}`,
    );
    const sandboxed = { operator: 'a.example', sandbox: true };
    expect(one).toEqual({ account: sandboxed, accounts: [sandboxed] });
    expect(request(`task: list_accounts, sample_request: {account: ${account}}`)).toEqual({
      account: { operator: 'a.example' },
    });
  });
});
