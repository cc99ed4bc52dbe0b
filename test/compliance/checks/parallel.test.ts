import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { answered, refusal, resultsOf, runAt, startAgent, stepOf, withPhases } from '../support/runs.ts';

const STORYBOARD = withPhases(`
  - id: p
    steps:
      - id: orders
        task: create_media_buy
        requires_contract: parallel_dispatch_runner
        parallel_dispatch: {count: 2, same_idempotency_key: true, barrier_timeout_ms: 5000}
        sample_request: {idempotency_key: $generate:uuid_v4#order}
        context_outputs: [{name: order, path: media_buy_id}]
        validations:
          - {check: field_present, path: media_buy_id}
          - {check: cross_response_count_distinct, path: media_buy_id, allowed_values: [1]}
          - {check: cross_response_field_equal, path: media_buy_id}
`);

/** Runs the storyboard against a seller that answers orders in this way. */
async function order(answer: (input: Record<string, unknown>, nth: number) => unknown) {
  let orders = 0;
  const { url, calls } = await startAgent({
    tools: ['create_media_buy', 'update_media_buy'],
    answer: (task, input) => {
      if (task !== 'create_media_buy') return answered({ status: 'canceled' });
      orders += 1;
      return answer(input, orders);
    },
  });
  const run = await runAt(url, [STORYBOARD]);
  return { run, calls: calls.filter(([task]) => task === 'create_media_buy').map(([, input]) => input) };
}

describe('a request that is sent several times at once', () => {
  it('passes where a seller makes one order of it', async () => {
    let arrived = 0;
    let together = 0;
    const { run, calls } = await order(async () => {
      arrived += 1;
      for (let tries = 0; tries < 100 && arrived < 2; tries += 1) await pause(10);
      together = Math.max(together, arrived);
      return answered({ media_buy_id: 'mb-1' });
    });
    expect(resultsOf(run)).toEqual(['orders: pass']);
    expect(together).toBe(2);
    expect(calls).toHaveLength(2);
    expect(calls[0]).toEqual(calls[1]);
    expect(run.limitations).toBeUndefined();
  });

  it('fails where each is an order of its own, and cancels all of them', async () => {
    const { run } = await order((_input, nth) => answered({ media_buy_id: `mb-${nth}` }));
    expect(stepOf(run, 'orders').checks.filter(({ result }) => result === 'fail')).toMatchObject([
      {
        check: 'cross_response_count_distinct',
        expected: 1,
        actual: { observed_cardinality: 2, observed_values: ['mb-1', 'mb-2'] },
      },
      { check: 'cross_response_field_equal', actual: { observed_values: ['mb-1', 'mb-2'] } },
    ]);
    expect(run.made.map(({ id, cancelled }) => `${id} ${cancelled}`)).toEqual(['mb-1 yes', 'mb-2 yes']);
  });

  it('fails where one of them is refused', async () => {
    const { run } = await order((_input, nth) =>
      nth === 1 ? answered({ media_buy_id: 'mb-1' }) : refusal('IDEMPOTENCY_CONFLICT'),
    );
    expect(stepOf(run, 'orders').checks).toContainEqual(
      expect.objectContaining({ check: 'expect_success', result: 'fail', message: 'the agent refused' }),
    );
  });

  it('is repeated while the first is in flight', async () => {
    const inFlight = {
      isError: true,
      structuredContent: { error: { code: 'IDEMPOTENCY_IN_FLIGHT', message: 'wait', retry_after: 0 } },
      content: [],
    };
    const { run, calls } = await order((_input, nth) =>
      nth === 2 ? inFlight : answered({ media_buy_id: 'mb-1' }),
    );
    expect(resultsOf(run)).toEqual(['orders: pass']);
    expect(calls).toHaveLength(3);
  });

  it('has a key of its own each time where the storyboard says so', async () => {
    const { url, calls } = await startAgent({
      tools: ['create_media_buy'],
      answer: (_task, { idempotency_key: key }) => answered({ media_buy_id: `mb-${key}` }),
    });
    const board = withPhases(
      '  - {id: p, steps: [{id: s, task: create_media_buy, requires_contract: parallel_dispatch_runner, parallel_dispatch: {count: 3, same_idempotency_key: false}, validations: [{check: cross_response_count_distinct, path: media_buy_id, allowed_values: [3]}]}]}\n',
    );
    expect(resultsOf(await runAt(url, [board]))).toEqual(['s: pass']);
    const keys = calls
      .filter(([task]) => task === 'create_media_buy')
      .map(([, input]) => input.idempotency_key);
    expect(new Set(keys).size).toBe(3);
  });
});
