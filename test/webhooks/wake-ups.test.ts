import { describe, expect, it } from 'vitest';
import type { FeedView } from '../../src/ports/feed-view.ts';
import type { Fetcher } from '../../src/ports/fetcher.ts';
import type { Subscription } from '../../src/records/owners/subscriptions.ts';
import { RETRIES } from '../../src/webhooks/schedule.ts';
import type { WebhookSigning } from '../../src/webhooks/send.ts';
import { untried, withTry } from '../../src/webhooks/wake-up-try.ts';
import { createWakeUps } from '../../src/webhooks/wake-ups.ts';

const NOW = 1_000_000;
const SUBSCRIPTION: Subscription = {
  ...{ id: 'sub_1', member: 'm', url: 'https://buyer.example/hook', types: '*' },
  ...{ place: { agents: 5, edges: 7 }, attempts: 0, refusals: 0, fence: 0 },
  ...{ createdAt: 0, verifiedAt: 0 },
};

/** What a look at a feed that ends there keeps of one subscription. */
async function keptAfterLook(end: Subscription['place'], subscription = SUBSCRIPTION) {
  const kept: Subscription[] = [];
  const feed: FeedView = {
    end: async () => end,
    next: async () => ({ at: NOW - 1, place: end }),
    cursor: () => '',
    address: () => '',
  };
  const wakeUps = createWakeUps({
    feed,
    subscriptions: {
      active: async () => [subscription],
      keep: async (progress) => {
        kept.push(...progress);
        return progress;
      },
    },
    clock: { now: () => NOW },
    fetcher: {} as Fetcher,
    signing: {} as WebhookSigning,
    budgets: { spend: async () => async () => {} },
    onFault: (error) => expect.unreachable(String(error)),
  });
  await wakeUps.look();
  await wakeUps.stop();
  return kept.map(({ firstChangeAt, dueAt }) => ({ firstChangeAt, dueAt }));
}

describe('a look at the feed', () => {
  const noted = { firstChangeAt: NOW - 1, dueAt: NOW + 1_000 };
  it.each([
    ['an agent alone has changed', { agents: 6, edges: 7 }, [noted]],
    ['an edge alone has changed', { agents: 5, edges: 8 }, [noted]],
    ['nothing has changed', { agents: 5, edges: 7 }, []],
  ])('notes for a subscriber that %s', async (_what, end, expected) => {
    expect(await keptAfterLook(end)).toEqual(expected);
  });

  it('leaves alone who has something to be told at another time', async () => {
    const waiting = { ...SUBSCRIPTION, firstChangeAt: 1, since: 1, dueAt: NOW + 60_000 };
    expect(await keptAfterLook({ agents: 9, edges: 9 }, waiting)).toEqual([]);
  });
});

describe('a try', () => {
  it('is the last one when all but one were lost, and dead when all were', () => {
    const last = withTry({ ...SUBSCRIPTION, attempts: RETRIES.tries - 1 }, NOW, NOW + 10);
    expect(last).toMatchObject({ attempts: RETRIES.tries, dueAt: NOW + 10 });
    const dead = withTry(last, NOW, NOW + 10);
    expect(dead).toMatchObject({ deadAt: NOW, lastError: `stopped after ${RETRIES.tries} attempts` });
    expect(dead).not.toHaveProperty('dueAt');
  });

  it('that was cut counts as not begun', () => {
    expect(untried({ ...SUBSCRIPTION, attempts: 3 }, NOW)).toMatchObject({ attempts: 2, dueAt: NOW });
  });
});
