import { describe, expect, it, vi } from 'vitest';
import { deriveStored } from '../../src/discovery/derive-facts.ts';
import { stitchAndIndex } from '../../src/index/generations/stitch-and-index.ts';
import { publish } from '../contract/records-steps.ts';
import { agent, names, openPublishing } from './support/publishing.ts';
import type { TestRegistry } from './support/registry.ts';

interface Page {
  readonly events: readonly { readonly event_type: string; readonly entity_id: string }[];
  readonly cursor: string;
  readonly has_more: boolean;
}

async function page({ get }: TestRegistry, query: string): Promise<Page> {
  const answer = await get(`/api/registry/feed?${query}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
}

const lines = ({ events }: Page) => events.map((one) => `${one.event_type} ${one.entity_id}`);

/** What is told without a cursor, up to the end. */
async function firstRead(registry: TestRegistry, limit: number): Promise<readonly string[]> {
  const told: string[] = [];
  for (let [cursor, hasMore] = ['', true]; hasMore; ) {
    const read = await page(registry, `limit=${limit}&cursor=${cursor}`);
    told.push(...lines(read));
    [cursor, hasMore] = [read.cursor, read.has_more];
  }
  return told;
}

/** Files that say something else each minute, until now; some agents are named no more, and entries change. */
async function changedUntilNow() {
  const { registry, say } = await openPublishing();
  await say('shop.example', names(1, 2, 2));
  for (const offer of ['one', 'two', 'three'])
    await say('news.example', {
      authorized_agents: [1, 2, 3].map((n) => ({ url: agent(n), authorized_for: offer })),
    });
  await say('news.example', names(1, 4));
  return { registry, say };
}

describe('a read of the feed without a cursor', () => {
  it('tells each agent, file and entry that stands once, whatever changed a minute ago', async () => {
    const { registry } = await changedUntilNow();
    const standing = [
      ...[1, 2, 3, 4].map((n) => `agent.discovered ${agent(n)}`),
      `authorization.granted ${agent(1)}|news.example`,
      `authorization.granted ${agent(1)}|shop.example`,
      ...Array(2).fill(`authorization.granted ${agent(2)}|shop.example`),
      `authorization.granted ${agent(4)}|news.example`,
      'publisher.adagents_discovered news.example',
      'publisher.adagents_discovered shop.example',
    ];
    const told = await firstRead(registry, 1_000);
    expect([...told].sort()).toEqual(standing);
    const byPages = await firstRead(registry, 3);
    const isOfEnd = (line: string) => line.startsWith('authorization.revoked');
    expect(byPages.filter((line) => !isOfEnd(line)).sort()).toEqual(standing);
  });

  it('tells an agent that changes while a page is read, as one that is new', async () => {
    const { registry } = await openPublishing();
    const { records, index, clock } = registry;
    const change = async (minute: number, offer: string) => {
      const authorized_agents = [{ url: agent(1), authorized_for: offer }];
      await publish(records, `${offer}.example`, { authorized_agents }, clock.value + minute * 60_000);
      await stitchAndIndex({ records, index, clock, rederive: deriveStored });
    };
    await change(1, 'one');
    const { saved } = records.agents;
    vi.spyOn(records.agents, 'saved').mockImplementationOnce(async (asked) => {
      await change(2, 'two');
      return saved(asked);
    });
    const told = (await firstRead(registry, 1_000)).filter((line) => line.startsWith('agent.'));
    expect(told).toEqual([`agent.discovered ${agent(1)}`]);
  });

  it('tells that something ended which an earlier page told, by a clock that is minutes behind', async () => {
    const { registry, say } = await openPublishing();
    await say('news.example', names(1, 2));
    registry.clock.value += 5 * 60_000;
    const told = await page(registry, 'limit=3');
    expect([lines(told).at(-1), told.has_more]).toEqual([
      `authorization.granted ${agent(1)}|news.example`,
      true,
    ]);
    registry.clock.value -= 5 * 60_000;
    await say('news.example', names(2));
    expect(lines(await page(registry, `cursor=${told.cursor}`))).toContain(
      `authorization.revoked ${agent(1)}|news.example`,
    );
  });
});
