import type { Budgets } from '../../budgets/budgets.ts';
import type { Config } from '../../config.ts';
import type { Logger } from '../../ops/log.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';

interface WakingParts {
  readonly config: Config;
  readonly network: Parameters<typeof import('../../compose/network.ts').composeFetcher>[1];
  readonly records: Records;
  readonly clock: Clock;
  readonly log: Logger;
  readonly budgets: Budgets;
}

/** Between two looks at the feed; a wake-up follows a change within two seconds. Milliseconds. */
const LOOK_EVERY_MS = 500;

/** Wakes those who subscribed to the feed, over the guarded way out. What it gives ends it. */
export async function wakeSubscribers({ config, network, records, clock, log, budgets }: WakingParts) {
  const { backOff } = await import('../../base/back-off.ts');
  const { feedView } = await import('../../api/operations/feed/view.ts');
  const { cursorSecretOf } = await import('../../api/operations/list-agents.ts');
  const { composeFetcher } = await import('../../compose/network.ts');
  const { repeat } = await import('../../index/generations/keep-indexed.ts');
  const { derivedKeys } = await import('../../signing/badge-keys.ts');
  const { createWakeUps } = await import('../../webhooks/wake-ups.ts');
  const { signer: key } = await derivedKeys(await records.secret('webhook', 32), 'webhook');
  const cursorSecret = await cursorSecretOf(records);
  const fetcher = composeFetcher(config, network, clock);
  const onFault = (err: unknown) => log.warn({ err }, 'subscribers could not be notified');
  const wakeUps = createWakeUps({
    subscriptions: records.subscriptions,
    feed: feedView({ records, cursorSecret, baseUrl: config.baseUrl }),
    ...{ fetcher, clock, budgets, onFault, signing: { key, profile: '3.2' } },
    onDead: ({ id, lastError }) =>
      log.info({ subscription: id, reason: lastError }, 'subscription stopped after repeated failures'),
  });
  const looks = repeat(backOff(wakeUps.look, LOOK_EVERY_MS, onFault).run, LOOK_EVERY_MS);
  return async () => {
    await looks.stop();
    await wakeUps.stop();
    await fetcher.close();
  };
}
