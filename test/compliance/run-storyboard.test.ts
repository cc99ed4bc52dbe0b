import { describe, expect, it, test } from 'vitest';
import { answered, OPEN, refusal, resultsOf, runAt, startAgent, stepOf, withPhases } from './support/runs.ts';

const product = answered({ products: [{ product_id: 'p-1', price: 5 }] });
const steps = (...lines: readonly string[]) =>
  withPhases(`  - id: p\n    steps:\n${lines.map((line) => `      - {${line}}\n`).join('')}`);

describe('the steps of a storyboard', () => {
  it('hand on what the agent said, in its own type', async () => {
    const { url, calls } = await startAgent({ answer: () => product });
    const run = await runAt(url, [
      steps(
        'id: ask, task: get_products, context_outputs: [{path: "products[0]", name: product}]',
        'id: buy, task: create_media_buy, sample_request: {one: $context.product, price: $context.product.price}',
      ),
    ]);
    expect(run).toMatchObject({ outcome: 'complete', totals: { steps: { passed: 2 } } });
    expect(calls.at(-1)).toEqual([
      'create_media_buy',
      { one: { product_id: 'p-1', price: 5 }, price: 5, idempotency_key: expect.any(String) },
    ]);
  });

  it('do not pass when the agent refuses what it has to do', async () => {
    const { url } = await startAgent({ answer: () => refusal('PRODUCT_NOT_FOUND') });
    const step = stepOf(
      await runAt(url, [steps('id: s, task: get_products, sample_request: {brief: tea}')]),
      's',
    );
    expect(step.checks).toMatchObject([
      { check: 'expect_success', result: 'fail', actual: { code: 'PRODUCT_NOT_FOUND' } },
    ]);
    expect(step.evidence).toMatchObject({ request: { brief: 'tea' }, outcome: 'refused', http_status: 200 });
  });

  it('do not pass when the agent does what it has to refuse', async () => {
    const { url } = await startAgent({ answer: () => product });
    const run = await runAt(url, [steps('id: s, task: get_products, expect_error: true')]);
    expect(stepOf(run, 's')).toMatchObject({ result: 'fail', evidence: { response: { products: [{}] } } });
  });

  it('know a refusal in each form in which it may come', async () => {
    const forms = [
      refusal('NO'),
      answered({ errors: [{ code: 'NO', message: 'no' }] }),
      answered({ adcp_error: { code: 'NO' } }),
    ];
    for (const form of forms) {
      const { url } = await startAgent({ answer: () => form });
      const board = steps(
        'id: s, task: get_products, negative_path: true, validations: [{check: error_code, value: NO}]',
      );
      expect(resultsOf(await runAt(url, [board]))).toEqual(['s: pass']);
    }
  });

  const NATURAL = 'sample_request: {account: {operator: a.example}}';
  test.each<readonly [string, readonly string[], boolean, string]>([
    ['a storyboard that opens none', [`id: s, task: get_products, ${NATURAL}`], true, 'requirement_unmet'],
    [
      'one that only looks for some',
      ['id: look, task: list_accounts', `id: s, task: get_products, ${NATURAL}`],
      true,
      'requirement_unmet',
    ],
    [
      'one whose account was refused',
      ['id: open, task: sync_accounts', `id: s, task: get_products, ${NATURAL}`],
      false,
      'requirement_unmet',
    ],
    [
      'one that opened it',
      ['id: open, task: sync_accounts', `id: s, task: get_products, ${NATURAL}`],
      true,
      'fail',
    ],
    [
      'one that names it by its id',
      ['id: s, task: get_products, sample_request: {account: {account_id: acc-1}}'],
      true,
      'fail',
    ],
  ])('know whose fault it is that an account is not found, in %s', async (_where, lines, opens, result) => {
    const { url } = await startAgent({
      tools: ['get_products', 'sync_accounts', 'list_accounts'],
      answer: (task) =>
        task === 'get_products' || (task === 'sync_accounts' && !opens)
          ? refusal('ACCOUNT_NOT_FOUND')
          : product,
    });
    const step = stepOf(await runAt(url, [steps(...lines)]), 's');
    expect(step.skip_reason ?? step.result).toBe(result);
  });

  it('are skipped once something that they build on has failed, and only those', async () => {
    const { url } = await startAgent({
      answer: (task) => (task === 'create_media_buy' ? refusal('NO') : product),
    });
    const run = await runAt(url, [
      steps(
        'id: make, task: create_media_buy, stateful: true, context_outputs: [{path: media_buy_id, name: id}]',
        'id: change, task: update_media_buy, stateful: true',
        'id: look, task: get_products',
        'id: refer, task: get_products, sample_request: {id: $context.id}',
      ),
    ]);
    expect(resultsOf(run)).toEqual([
      'make: fail',
      'change: prerequisite_failed',
      'look: pass',
      'refer: prerequisite_failed',
    ]);
    // one that passes in part fails
    expect(run.storyboards).toMatchObject([
      { result: 'fail', steps_passed: 1, steps_failed: 1, steps_skipped: 2, coverage_gap: false },
    ]);
  });

  it('fail where they have to keep something that is absent', async () => {
    const { url } = await startAgent({ answer: () => product });
    const run = await runAt(url, [
      steps(
        'id: a, task: get_products, context_outputs: [{path: nobody, name: x}]',
        'id: b, task: get_products, context_outputs: [{path: nobody, name: y, default: 7}]',
      ),
    ]);
    expect(resultsOf(run)).toEqual(['a: fail', 'b: pass']);
    expect(stepOf(run, 'a').checks.at(-1)).toMatchObject({
      check: 'capture_path_not_resolvable',
      pointer: '/nobody',
    });
  });

  it('never pass by a check that nobody knows', async () => {
    const { url } = await startAgent({ answer: () => product });
    const run = await runAt(url, [steps('id: s, task: get_products, validations: [{check: no_such_check}]')]);
    expect(stepOf(run, 's').checks.at(-1)).toMatchObject({
      check: 'no_such_check',
      result: 'not_applicable',
    });
    expect(run.totals.checks).toEqual({ total: 2, passed: 1, failed: 0, not_applicable: 1 });
  });

  it('are skipped where the agent lacks the tool, the runner the step, or the storyboard the value', async () => {
    const { url } = await startAgent({ answer: () => product });
    const run = await runAt(url, [
      steps(
        'id: a, task: get_signals',
        'id: b, task: get_products, requires_tool: get_rights',
        'id: c, task: comply_test_controller, sample_request: {scenario: list_scenarios}',
        'id: d, task: expect_webhook',
        'id: e, task: get_products, sample_request: {url: "{{runner.webhook_url:x}}"}',
        'id: f, task: get_nothing_at_all, expect_error: true',
      ),
    ]);
    expect(resultsOf(run)).toEqual([
      'a: missing_tool',
      'b: missing_tool',
      'c: missing_test_controller',
      'd: prerequisite_failed',
      'e: requirement_unmet',
      'f: fail',
    ]);
    expect(run.steps.filter((step) => step.coverage_gap).map(({ step_id }) => step_id)).toEqual(['c', 'e']);
    expect(run.storyboards).toMatchObject([{ coverage_gap: true }]);
  });

  it('call the capabilities task by the name that the agent lists', async () => {
    const { url, calls } = await startAgent({});
    const run = await runAt(url, [
      steps(
        'id: s, task: get_adcp_capabilities, validations: [{check: field_present, path: adcp.idempotency}]',
      ),
    ]);
    expect(resultsOf(run)).toEqual(['s: pass']);
    expect(calls.map(([task]) => task)).toEqual(['get_proto_capabilities', 'get_proto_capabilities']);
  });
});

describe('the phases of a storyboard', () => {
  const phase = (id: string, more: string, step: string) =>
    `  - id: ${id}\n    ${more}\n    steps: [{${step}}]\n`;

  it('wait for those that they depend on', async () => {
    const { url } = await startAgent({
      answer: (task) => (task === 'create_media_buy' ? refusal('NO') : product),
    });
    const run = await runAt(url, [
      withPhases(
        phase('one', '', 'id: a, task: create_media_buy') +
          phase('two', 'depends_on: one', 'id: b, task: get_products') +
          phase('three', 'depends_on: [two]', 'id: c, task: get_products') +
          phase('four', '', 'id: d, task: get_products'),
      ),
    ]);
    expect(resultsOf(run)).toEqual([
      'a: fail',
      'b: prerequisite_failed',
      'c: prerequisite_failed',
      'd: pass',
    ]);
  });

  it.each([
    ['skip_if: capabilities.account.sandbox', 'not_applicable'],
    ["skip_if: '!capabilities.account.sandbox'", 'pass'],
    ["skip_if: '!test_kit.auth.api_key'", 'not_applicable'],
    ["skip_if: agent.protocol == 'mcp'", 'not_applicable'],
    ["skip_if: agent.protocol != 'mcp'", 'pass'],
    ['skip_if: tools.get_products', 'not_applicable'],
    ["skip_if: 'rm -rf /'", 'not_applicable'],
    ['requires_capability: {path: account.sandbox, equals: true}', 'pass'],
    ['requires_capability: {path: request_signing.supported, equals: true}', 'not_applicable'],
    [
      'requires_capability: [{path: supported_protocols, contains: media_buy}, {path: nobody, present: false}]',
      'pass',
    ],
  ])('with %s come to %s', async (condition, result) => {
    const { url } = await startAgent({ answer: () => product });
    const run = await runAt(url, [withPhases(phase('one', condition, 'id: a, task: get_products'))]);
    expect(resultsOf(run)).toEqual([`a: ${result}`]);
  });

  it('cost nothing when they are optional, and one of several ways is enough', async () => {
    const { url } = await startAgent({ answer: () => product });
    const board = withPhases(
      phase(
        'refuse',
        'optional: true\n    branch_set: {id: handled}',
        'id: a, task: get_products, expect_error: true, contributes: true',
      ) +
        phase(
          'accept',
          'optional: true\n    branch_set: {id: handled}',
          'id: b, task: get_products, contributes: true',
        ) +
        phase(
          'ask',
          '',
          'id: c, task: assert_contribution, validations: [{check: any_of, allowed_values: [handled]}]',
        ),
    );
    const run = await runAt(url, [board]);
    expect(resultsOf(run)).toEqual(['a: not_applicable', 'b: pass', 'c: pass']);
    expect(stepOf(run, 'a')).toMatchObject({ tried: true, evidence: { outcome: 'answered' } });
    expect(run.storyboards).toMatchObject([{ result: 'pass' }]);
  });

  it('fail when none alternative passed', async () => {
    const { url } = await startAgent({ answer: () => product });
    const board = withPhases(
      phase(
        'refuse',
        'optional: true',
        'id: a, task: get_products, expect_error: true, contributes_to: handled',
      ) +
        phase(
          'ask',
          '',
          'id: c, task: assert_contribution, validations: [{check: any_of, allowed_values: [handled]}]',
        ),
    );
    expect(await runAt(url, [board])).toMatchObject({ storyboards: [{ result: 'fail' }] });
  });

  it('that clean up are not held back by what failed before', async () => {
    const { url } = await startAgent({
      answer: (task) =>
        task === 'update_media_buy'
          ? answered({})
          : task === 'get_products'
            ? refusal('NO')
            : answered({ media_buy_id: 'm' }),
    });
    const board = withPhases(
      phase(
        'make',
        '',
        'id: a, task: create_media_buy, stateful: true, context_outputs: [{path: media_buy_id, name: id}]',
      ) +
        phase('look', '', 'id: b, task: get_products, stateful: true') +
        phase(
          'cleanup',
          '',
          'id: c, task: update_media_buy, stateful: true, sample_request: {media_buy_id: $context.id, canceled: true}',
        ),
    );
    const run = await runAt(url, [board]);
    expect(resultsOf(run)).toEqual(['a: pass', 'b: fail', 'c: pass']);
    expect(run.made).toMatchObject([{ id: 'm', cancelled: 'yes' }]);
  });
});

describe('what a run made', () => {
  const buy = withPhases(
    '  - {id: p, steps: [{id: s, task: create_media_buy, sample_request: {account: {operator: a.example}}}]}\n',
  );

  it('is ended when it is over, in the account in which it was made', async () => {
    const { url, calls } = await startAgent({ answer: () => answered({ media_buy_id: 'mb-1' }) });
    const run = await runAt(url, [buy]);
    expect(run.made).toEqual([{ kind: 'media_buy', id: 'mb-1', step: 'sample/p/s', cancelled: 'yes' }]);
    expect(calls.at(-1)).toEqual([
      'update_media_buy',
      expect.objectContaining({
        media_buy_id: 'mb-1',
        canceled: true,
        account: { operator: 'a.example', sandbox: true },
      }),
    ]);
  });

  it('is told when it could not be ended', async () => {
    const { url } = await startAgent({
      answer: (task) =>
        task === 'update_media_buy' ? refusal('NOT_CANCELLABLE') : answered({ media_buy_id: 'mb-1' }),
    });
    const run = await runAt(url, [buy]);
    expect(run.made).toMatchObject([{ cancelled: 'no' }]);
    expect(run.notices).toMatchObject([{ code: 'left_behind' }]);
    expect(run.observations).toMatchObject([{ category: 'clean_up' }]);
  });
});

describe('fixtures', () => {
  const board = withPhases(
    '  - {id: p, steps: [{id: s, task: get_products}]}\n',
    'prerequisites: {controller_seeding: true}\nfixtures: {products: [{product_id: seeded}]}\n',
  );
  const tools = ['get_products', 'comply_test_controller'];

  it('are seeded through the test controller before the first phase', async () => {
    const { url, calls } = await startAgent({ tools, answer: () => answered({ success: true }) });
    expect(resultsOf(await runAt(url, [board]))).toEqual(['s: pass']);
    expect(calls[1]).toEqual([
      'comply_test_controller',
      { scenario: 'seed_product', params: { product_id: 'seeded' } },
    ]);
  });

  it.each([
    [
      'a controller that cannot',
      tools,
      answered({ success: false, error: 'UNKNOWN_SCENARIO' }),
      'fixture_unavailable',
    ],
    ['no controller', ['get_products'], answered({}), 'missing_test_controller'],
  ])('with %s are a coverage gap', async (_name, offered, answer, reason) => {
    const { url } = await startAgent({ tools: offered, answer: () => answer });
    const run = await runAt(url, [board]);
    expect(run.storyboards).toMatchObject([{ result: 'skipped', skip_reason: reason, coverage_gap: true }]);
  });
});

describe('storyboards that need others', () => {
  it('are skipped when those did not pass', async () => {
    const { url } = await startAgent({ capabilities: OPEN, answer: () => refusal('NO') });
    const first = { ...steps('id: a, task: get_products'), id: 'first' };
    const second = { ...steps('id: b, task: get_products'), id: 'second', prerequisites: ['first'] };
    const run = await runAt(url, [first, second]);
    expect(run.storyboards).toMatchObject([
      { result: 'fail' },
      { result: 'skipped', skip_reason: 'prerequisite_failed' },
    ]);
  });
});
