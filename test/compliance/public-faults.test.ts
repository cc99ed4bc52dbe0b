import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSandbox } from '../../reference-agents/src/start-sandbox.ts';
import { runAgent } from '../../src/compliance/run/run-agent.ts';
import type { Bundle } from '../../src/compliance/storyboards/bundle.ts';
import { readBundle } from '../../src/compliance/storyboards/bundle.ts';
import { systemClock } from '../../src/compose/clock.ts';
import { composeFetcher } from '../../src/compose/network.ts';
import { readConfig } from '../../src/config.ts';
import { BUNDLE, failuresOf, TEST_KIT } from './support/bundle-run.ts';

const SELLER = 'https://sales-1.agents.example/mcp';

let sandbox: Awaited<ReturnType<typeof startSandbox>>;
let bundle: Bundle;
beforeAll(async () => {
  sandbox = await startSandbox({ seed: 7, publishers: 20, managed: 5, vocabulary: 'adcp' });
  bundle = await readBundle(BUNDLE);
});
afterAll(() => sandbox.close());

async function failuresWith(fault: string | undefined, storyboards: readonly string[]) {
  const { connectTo } = sandbox;
  const fetcher = composeFetcher(readConfig({}), { connectTo }, systemClock);
  sandbox.setFault(SELLER, fault);
  try {
    return failuresOf(
      await runAgent({
        url: SELLER,
        bundle,
        fetcher,
        clock: systemClock,
        consent: 'operator',
        trigger: 'manual',
        target: '3.0',
        version: '3.0.0',
        auth: 'sandbox-desk',
        testKit: TEST_KIT,
        only: storyboards,
      }),
    );
  } finally {
    sandbox.setFault(SELLER, undefined);
    await fetcher.close();
  }
}

describe('a seller of the public vocabulary fails when it', () => {
  test.each<[string, string, string, readonly string[]]>([
    [
      'answers a retry with a different budget',
      'changed-replay',
      'media_buy_idempotency',
      ['media_buy_idempotency/replay/same_order_again replay_equals'],
    ],
    [
      'creates a second media buy on a retry',
      'second-effect',
      'media_buy_idempotency',
      ['media_buy_idempotency/replay/same_order_again replay_equals'],
    ],
    [
      'accepts another order with a used key',
      'accepts-conflict',
      'media_buy_idempotency',
      ['media_buy_idempotency/replay/other_order_same_key expect_error'],
    ],
    [
      'accepts a negative budget',
      'negative-budget',
      'media_buy',
      ['media_buy/refused/negative_budget expect_error'],
    ],
    ['accepts a budget of 0', 'zero-budget', 'media_buy', ['media_buy/refused/zero_budget expect_error']],
    [
      'reports more spend than the sum of its packages',
      'wrong-sums',
      'media_buy_reporting',
      ['media_buy_reporting/delivery/delivery_of_one adds_up', 'media_buy_reporting/delivery/sums adds_up'],
    ],
    [
      'shows accounts to anonymous callers',
      'open-accounts',
      'authentication',
      ['authentication/no_credentials/accounts_without expect_error'],
    ],
  ])('%s', async (_name, fault, storyboard, fails) => {
    expect(await failuresWith(fault, [storyboard])).toEqual(fails);
    expect(await failuresWith(undefined, [storyboard])).toEqual([]);
  });
});
