import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openAgentStates } from '../../src/records/sqlite/agent-state.ts';
import { tempFolder } from '../cli/support/cli.ts';
import { fetcherFor, serve } from '../crawl/fetch/web.ts';
import { ownedClock, SELLER, SYSTEM_CLOCK } from './fixtures.ts';
import { receiving, sender, webhookKey } from './support.ts';

it('a webhook whose sender is killed before it can note the answer is sent again, and recognised', async () => {
  const key = await webhookKey();
  const path = join(tempFolder(), 'agents.sqlite');
  let kill = (): void => {};
  const buyer = receiving(key, SYSTEM_CLOCK, undefined, { onWebhook: () => kill() });
  const web = await serve((request, response) => void buyer.handler(request, response));
  onTestFinished(() => web.close());
  const script = join(import.meta.dirname, 'deliver-child.ts');
  const child = fork(script, [path, web.origin, JSON.stringify(key.private)], { execArgv: [] });
  kill = () => void child.kill('SIGKILL');
  await once(child, 'close');
  kill = () => {};
  const states = openAgentStates(path);
  onTestFinished(() => states.close());
  const clock = ownedClock(Date.now());
  const { queue, deliverer, untilSettled } = sender(key, fetcherFor(web), clock, {
    state: states.of(SELLER),
  });
  const left = queue.list().map(({ state, attempts, takenUntil }) => [state, attempts, typeof takenUntil]);
  expect(left).toEqual([
    ['pending', 1, 'number'],
    ['pending', 0, 'undefined'],
  ]);
  await deliverer.deliverDue();
  expect(buyer.arrivals).toHaveLength(1); // the lease of the killed process has not ended
  await untilSettled();
  expect(buyer.arrivals.map(({ webhook, duplicate }) => [webhook.payload.sequence, duplicate])).toEqual([
    [1, false],
    [1, true],
    [2, false],
  ]);
  expect(queue.list().map(({ state, attempts }) => [state, attempts])).toEqual([
    ['delivered', 2],
    ['delivered', 1],
  ]);
});
