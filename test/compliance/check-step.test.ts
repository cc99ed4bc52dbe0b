import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ComplianceRun } from '../../src/compliance/run-result.ts';
import { run, tempFolder } from '../cli/support/cli.ts';
import { follows } from '../cli/support/schemas.ts';
import { answered, refusal, resultsOf, startAgent } from './support/runs.ts';

const BOARD = `id: shop/coffee
title: Coffee is sold
track: products
phases:
  - id: look
    steps:
      - {id: ask, title: What there is, task: get_products, context_outputs: [{name: product, path: "products[0].product_id"}]}
      - id: ask_again
        title: The same again
        task: get_products
        sample_request: {brief: "$context.product"}
        validations: [{check: field_equals_context, path: "products[0].product_id", context_key: shown}]
  - id: order
    depends_on: [look]
    steps:
      - {id: buy, title: It is bought, task: create_media_buy, stateful: true, sample_request: {product_id: "$context.product"}}
      - {id: ask, title: What is left, task: get_products}
      - {id: taken, title: One way was taken, task: assert_contribution, validations: [{check: any_of, allowed_values: [x]}]}
`;

function folder(): string {
  const path = tempFolder();
  writeFileSync(join(path, 'coffee.yaml'), BOARD);
  return path;
}

function file(value: unknown): string {
  const path = join(tempFolder(), 'context.json');
  writeFileSync(path, JSON.stringify(value));
  return path;
}

/** An agent that refuses every order. */
function shop() {
  return startAgent({
    answer: (task) =>
      task === 'get_products' ? answered({ products: [{ product_id: 'p-1' }] }) : refusal('SOLD_OUT'),
  });
}

function check(...args: readonly string[]) {
  return run('check', ...args, '--progress', 'none');
}

describe('agent-registry check --step', () => {
  it('runs that step alone, in a partial run', async () => {
    const { url, calls } = await shop();
    const { code, stdout } = await check(
      url,
      '--storyboards',
      folder(),
      '--step',
      'shop/coffee/look/ask',
      '--json',
    );
    const report = follows<ComplianceRun>(stdout, 'cli/check.json');
    expect([code, report.partial, resultsOf(report)]).toEqual([0, true, ['ask: pass']]);
    expect(calls.map(([task]) => task)).toEqual(['get_proto_capabilities', 'get_products']);
  });

  it('fills its request from --context, and checks with it', async () => {
    const { url, calls } = await shop();
    const context = file({ product: 'p-7', shown: 'p-8' });
    const { code, stdout } = await check(
      url,
      '--storyboards',
      folder(),
      '--step',
      'shop/coffee/ask_again',
      '--context',
      context,
    );
    expect(calls.at(-1)).toEqual(['get_products', { brief: 'p-7' }]);
    expect(code).toBe(1);
    expect(stdout.replaceAll(/ \\\n +/g, ' ')).toContain(`--step shop/coffee/ask_again --context ${context}`);
  });

  it('names each value that is missing, and where a whole run finds it', async () => {
    const { url, calls } = await shop();
    const { code, stderr } = await check(url, '--storyboards', folder(), '--step', 'shop/coffee/ask_again');
    expect([code, calls]).toEqual([2, []]);
    expect(stderr).toContain(
      'shop/coffee/ask_again needs values of earlier steps: $context.product, $context.shown',
    );
    expect(stderr).toContain('--only shop/coffee, or pass the values with --context FILE');
    expect(stderr).toContain(
      '$context.product is products[0].product_id in the answer of shop/coffee/look/ask (get_products)',
    );
  });

  it('refuses a step of two phases, one that uses earlier answers, and one that nobody knows', async () => {
    const { url } = await shop();
    const boards = folder();
    const twice = await check(url, '--storyboards', boards, '--step', 'shop/coffee/ask');
    expect([twice.code, twice.stderr]).toEqual([
      2,
      expect.stringContaining('shop/coffee/look/ask, shop/coffee/order/ask'),
    ]);
    const later = await check(url, '--storyboards', boards, '--step', 'shop/coffee/taken');
    expect([later.code, later.stderr]).toEqual([2, expect.stringContaining('--only shop/coffee')]);
    const slip = await check(url, '--storyboards', boards, '--step', 'shop/coffee/bye');
    expect([slip.code, slip.stderr]).toEqual([2, expect.stringContaining('did you mean shop/coffee/buy?')]);
  });

  it('takes no --context without a step, nor one that is no JSON object', async () => {
    const { url } = await shop();
    const without = await check(url, '--context', file({}));
    expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('--context requires --step')]);
    const list = await check(
      url,
      '--storyboards',
      folder(),
      '--step',
      'shop/coffee/ask_again',
      '--context',
      file([]),
    );
    expect([list.code, list.stderr]).toEqual([2, expect.stringContaining('is not a JSON object')]);
  });
});

describe('the command that repeats a failed step', () => {
  const BROKEN = BOARD.replaceAll('products[0].product_id', 'products[0].sku');

  it.each([
    ['the step where it builds on no other', 'look/ask', '--step shop/coffee/look/ask'],
    ['the storyboard where the step needs earlier state', 'order/buy', '--only shop/coffee'],
  ])('selects %s, and works as printed', async (_name, failed, selected) => {
    const { url } = await shop();
    const boards = tempFolder();
    writeFileSync(
      join(boards, 'coffee.yaml'),
      failed === 'look/ask'
        ? BROKEN
        : BOARD.replace(', context_key: shown', '').replace('field_equals_context', 'field_present'),
    );
    const first = await check(url, '--storyboards', boards, '--json');
    const steps = follows<ComplianceRun>(first.stdout, 'cli/check.json').steps as readonly {
      phase_id: string;
      step_id: string;
      again?: string;
    }[];
    const again = steps.find(({ phase_id, step_id }) => `${phase_id}/${step_id}` === failed)?.again ?? '';
    expect(again).toBe(`agent-registry check ${url} ${selected} --storyboards ${boards}`);
    const second = await check(...again.split(' ').slice(2), '--json');
    const repeated = follows<ComplianceRun>(second.stdout, 'cli/check.json');
    expect(
      repeated.steps.some(
        ({ phase_id, step_id, result }) => `${phase_id}/${step_id}` === failed && result === 'fail',
      ),
    ).toBe(true);
  });
});
