import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { wantedTypes } from '../../src/api/operations/feed/asked.ts';
import {
  agentEvents,
  EVENT_TYPES,
  type EventType,
  typesOfChange,
} from '../../src/api/operations/feed/events.ts';
import { feedCursor } from '../../src/api/operations/feed/position.ts';
import { cursorSecretOf } from '../../src/api/operations/list-agents.ts';
import { deriveStored } from '../../src/discovery/derive-facts.ts';
import { BADGE_ROLES } from '../../src/domain/badge.ts';
import type { Change } from '../../src/domain/change.ts';
import { stitchAndIndex } from '../../src/index/generations/stitch-and-index.ts';
import { publish } from '../contract/records-steps.ts';
import { bareDocument, fullDocument, NEVER_TESTED_SUMMARY } from './support/documents.ts';
import { agent, names, openPublishing } from './support/publishing.ts';
import { openRegistry, PROBED_AT, type TestRegistry } from './support/registry.ts';

const FEED = '/api/registry/feed';

interface Event {
  readonly event_id: string;
  readonly event_type: string;
  readonly entity_id: string;
  readonly payload: { readonly agent_url: string; readonly publisher_domain: string };
}
interface Page {
  readonly events: readonly Event[];
  readonly cursor: string;
  readonly has_more: boolean;
}

async function page({ get }: TestRegistry, query = ''): Promise<Page> {
  const answer = await get(`${FEED}${query}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
}

/** Follows the feed as the field's clients do: whoever leaves takes its entries along. */
function follower(registry: TestRegistry, limit: number) {
  const [agents, edges] = [new Set<string>(), new Set<string>()];
  let cursor = '';
  const poll = async () => {
    for (let hasMore = true; hasMore; ) {
      const read = await page(registry, `?limit=${limit}&cursor=${cursor}`);
      for (const { event_type: type, entity_id: id, payload } of read.events) {
        const edge = `${payload.agent_url} ${payload.publisher_domain}`;
        if (type === 'agent.discovered' || type === 'agent.profile_updated') agents.add(id);
        if (type === 'agent.removed') agents.delete(id);
        if (type === 'authorization.granted') edges.add(edge);
        if (type === 'authorization.revoked') edges.delete(edge);
      }
      cursor = read.cursor;
      hasMore = read.has_more;
    }
    return { agents: [...agents].sort(), edges: [...edges].sort() };
  };
  return poll;
}

/** What the other operations say. */
async function known({ get, records }: TestRegistry) {
  const snapshot = (await get('/api/registry/authorizations/snapshot')).json();
  const rows: readonly Event['payload'][] = snapshot.rows;
  const edges = new Set(rows.map((row) => `${row.agent_url} ${row.publisher_domain}`));
  const agents = (await records.agents.listed(undefined, 1_000)).map((one) => one.agent);
  return { agents: agents.sort(), edges: [...edges].sort() };
}

describe('types of events', () => {
  it.each([
    ['agent.*', 6],
    ['*_earned', 1],
    ['agent.discovered,agent.discovered', 1],
    ['agent.*,property.*,collection.*,authorization.modified', 6],
    ['property.*', 0],
  ])('%s are %i', (types, count) => {
    expect(wantedTypes(types).size).toBe(count);
  });
});

describe('a row of the change log', () => {
  it('is told by no other types than are known before its agent is read', () => {
    const fields = fc.option(
      fc.record(
        {
          compliance: fc.record({ status: fc.constantFrom('passing', 'failing') }),
          badges: fc.oneof(
            fc.constant('a hash'),
            fc.subarray([...BADGE_ROLES]).map((roles) => roles.map((role) => ({ role }))),
          ),
          base: fc.constant({}),
        },
        { requiredKeys: [] },
      ),
    );
    const kind = fc.constantFrom('listed', 'changed', 'delisted');
    const change = fc.record({ kind, before: fields, after: fields });
    fc.assert(
      fc.property(change, fc.boolean(), fc.boolean(), (said, isFirst, isThere) => {
        const row = { ...{ seq: 1, version: 1, at: 0, agent: agent(1) }, ...said } as Change;
        const events = agentEvents(row, isThere ? fullDocument(agent(1)) : undefined, isFirst);
        const types = typesOfChange(row, isFirst);
        for (const { type } of events) expect(types).toContain(type);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the feed', () => {
  it.each([
    { agents: 0, edges: 1 },
    { agents: 1, edges: 0 },
  ])('knows no cursor of a later state than it has: %j', async (place) => {
    const { get, records } = await openRegistry();
    const cursor = feedCursor({ ...place, isFirst: false, at: 0 }, await cursorSecretOf(records));
    expect((await get(`${FEED}?cursor=${cursor}`)).statusCode).toBe(410);
  });

  it('tells no more changes on a page than were asked for', async () => {
    const { registry, say } = await openPublishing();
    await say('news.example', names(1, 2, 3));
    const first = await page(registry, '?types=agent.discovered&limit=2');
    expect([first.events.length, first.has_more]).toEqual([2, true]);
    const second = await page(registry, `?types=agent.discovered&limit=2&cursor=${first.cursor}`);
    expect([second.events.length, second.has_more]).toEqual([1, false]);
  });

  it('tells a newcomer all that stands, each once, and nothing of what ended long ago', async () => {
    const { registry, say } = await openPublishing();
    await say('news.example', names(1, 2));
    await say('news.example', names(1));
    await say('shop.example', names(1));
    registry.clock.value += 3_600_000;
    const { events, has_more } = await page(registry);
    const said = events.map((one) => `${one.event_type} ${one.entity_id}`).sort();
    const listed = (await registry.records.agents.listed(undefined, 10)).map((one) => one.agent);
    expect(said).toEqual([
      ...listed.map((url) => `agent.discovered ${url}`),
      `authorization.granted ${agent(1)}|news.example`,
      `authorization.granted ${agent(1)}|shop.example`,
      'publisher.adagents_discovered news.example',
      'publisher.adagents_discovered shop.example',
    ]);
    expect(has_more).toBe(false);
  });

  it('goes on from a cursor with what changed since, under the same ids for whoever asks again', async () => {
    const { registry, say } = await openPublishing();
    await say('news.example', names(1));
    const { cursor } = await page(registry);
    expect((await page(registry, `?cursor=${cursor}`)).events).toEqual([]);
    await say('news.example', names(2));
    const query = `?cursor=${cursor}&types=authorization.*`;
    const { events } = await page(registry, query);
    expect(events.map((one) => `${one.event_type} ${one.entity_id}`)).toEqual([
      `authorization.revoked ${agent(1)}|news.example`,
      `authorization.granted ${agent(2)}|news.example`,
    ]);
    expect((await page(registry, query)).events).toEqual(events);
  });

  it('says which publishers have a file, and what it counts, whenever it changes', async () => {
    const { registry, say } = await openPublishing();
    await say('news.example', names(1));
    const { cursor } = await page(registry);
    await say('news.example', names(1, 2));
    await say('shop.example', names(1));
    const { events } = await page(registry, `?cursor=${cursor}&types=publisher.*`);
    const counted = { agent_count: 2, property_count: 0, discovery_method: 'direct', manager_domain: null };
    expect(events).toMatchObject([
      {
        ...{ event_type: 'publisher.adagents_changed', entity_type: 'publisher', entity_id: 'news.example' },
        payload: { ...counted, publisher_domain: 'news.example', domain: 'news.example' },
      },
      { event_type: 'publisher.adagents_discovered', payload: { agent_count: 1 } },
    ]);
  });

  it('leads every follower to what the other operations say, whatever changes and however small its pages', async () => {
    const { registry, say } = await openPublishing();
    const polls = [1, 3, 1_000].map((limit) => follower(registry, limit));
    let state = 7;
    const random = (below: number) => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    for (let minute = 0; minute < 60; minute += 1) {
      const named = Array.from({ length: 1 + random(4) }, () => random(6));
      await say(`publisher-${random(5)}.example`, names(...named));
      if (minute % 4 === 0) await polls[random(3)]?.();
    }
    const expected = await known(registry);
    expect(expected.edges.length).toBeGreaterThan(3);
    for (const poll of [...polls, follower(registry, 2)]) expect(await poll()).toEqual(expected);
  });

  it('tells how the tests and the stage of an agent stood before, however long their summary is', async () => {
    const registry = await openRegistry([bareDocument('https://a.example/')]);
    const summaries = [
      { status: 'passing', headline: 'a'.repeat(2_000) },
      { status: 'failing', headline: 'b'.repeat(2_000) },
      { status: 'failing', headline: 'c'.repeat(2_000) },
      { status: 'failing', headline: 'c'.repeat(2_000), lifecycle_stage: 'testing' },
    ] as const;
    let { cursor } = await page(registry);
    const told: unknown[] = [];
    for (const [at, summary] of summaries.entries()) {
      const compliance = { ...NEVER_TESTED_SUMMARY, ...summary };
      const stitched = { document: { ...bareDocument('https://a.example/'), compliance } };
      const change = { agent: 'https://a.example/', revision: 99 + at, stitched };
      await registry.records.agents.saveStitched([change], registry.clock.value);
      const next = await page(registry, `?types=agent.compliance_changed&cursor=${cursor}`);
      cursor = next.cursor;
      told.push(...next.events.map(({ payload }) => payload));
    }
    expect(told).toMatchObject([
      { previous_status: 'unknown', current_status: 'passing' },
      { previous_status: 'passing', current_status: 'failing' },
      { previous_lifecycle_stage: 'production', lifecycle_stage: 'production' },
      {
        ...{ previous_status: 'failing', current_status: 'failing' },
        ...{ previous_lifecycle_stage: 'production', lifecycle_stage: 'testing' },
      },
    ]);
  });

  it('shows a newcomer an agent that changes while its page is read, once and as it is then', async () => {
    const bare = bareDocument('https://late.example/');
    const registry = await openRegistry([fullDocument(), bare]);
    const { records } = registry;
    const document = { ...bare, base: { ...bare.base, name: 'Later' } };
    const change = { agent: bare.url, revision: 99, stitched: { document } };
    const { saved } = records.agents;
    vi.spyOn(records.agents, 'saved').mockImplementationOnce(async (agents) => {
      await records.agents.saveStitched([change], PROBED_AT);
      return saved(agents);
    });
    const first = await page(registry);
    expect(first.has_more).toBe(false);
    const ofAgent = first.events.filter(({ entity_id: id }) => id === bare.url);
    expect(ofAgent).toMatchObject([{ event_type: 'agent.discovered', payload: { name: 'Later' } }]);
    expect((await page(registry, `?cursor=${first.cursor}`)).events).toEqual([]);
  });

  it('tells for some types what it tells for all, less the others', async () => {
    const { registry, say } = await openPublishing();
    for (const named of [[1, 2], [1], [3, 1], [], [2, 2]]) {
      await say('news.example', names(...named));
      registry.clock.value += 25 * 3_600_000; // who is named no more leaves
      await say('shop.example', names(...named, 4));
    }
    const { cursor } = await page(registry, '?limit=1');
    for (const from of ['', cursor]) {
      const { events } = await page(registry, `?limit=1000&cursor=${from}`);
      expect(events.length).toBeGreaterThan(5);
      for (const types of [
        ...EVENT_TYPES,
        'agent.*',
        'authorization.*,publisher.*',
        '*_changed,agent.removed',
      ]) {
        const wanted = wantedTypes(types);
        const some = await page(registry, `?limit=1000&types=${types}&cursor=${from}`);
        expect(some.events).toEqual(events.filter((one) => wanted.has(one.event_type as EventType)));
        expect(some.has_more).toBe(false);
      }
    }
  });

  it.each(['authorization.modified', 'property.*', 'agent.verification_lost', 'agent.removed'])(
    'reads no agent for %s, which never happened, and comes to the end',
    async (types) => {
      const { registry, say } = await openPublishing();
      await say('news.example', names(1, 2));
      const saved = vi.spyOn(registry.records.agents, 'saved');
      const { events, has_more, cursor } = await page(registry, `?types=${types}`);
      expect([events, has_more, saved.mock.calls]).toEqual([[], false, []]);
      await say('news.example', names(1));
      expect((await page(registry, `?cursor=${cursor}`)).events.length).toBeGreaterThan(0);
    },
  );

  it('never tells an edge before its agent left, also when both happen while a page is read', async () => {
    const { registry, say } = await openPublishing();
    await say('news.example', names(1));
    await say('news.example', names());
    let { cursor } = await page(registry);
    const { records, index, clock } = registry;
    const stitchAll = () => stitchAndIndex({ records, index, clock, rederive: deriveStored });
    const { changes } = records.agents;
    vi.spyOn(records.agents, 'changes').mockImplementationOnce(async (...asked) => {
      const read = await changes(...asked);
      clock.value += 25 * 3_600_000;
      await stitchAll();
      await publish(records, 'shop.example', names(1), clock.value);
      await records.edgeLog.appendPending(10, clock.value);
      return read;
    });
    const told: string[] = [];
    for (const step of [undefined, undefined, stitchAll]) {
      await step?.();
      const read = await page(registry, `?cursor=${cursor}`);
      told.push(...read.events.map((one) => `${one.event_type} ${one.entity_id}`));
      cursor = read.cursor;
    }
    expect(told.filter((line) => line.includes(agent(1)))).toEqual([
      `agent.removed ${agent(1)}`,
      `authorization.granted ${agent(1)}|shop.example`,
      `agent.discovered ${agent(1)}`,
    ]);
  });

  it('keeps an entry that stands beside one that ended', async () => {
    const { registry, say } = await openPublishing();
    const poll = follower(registry, 100);
    await say('news.example', names(1, 1));
    await poll();
    await say('news.example', { authorized_agents: [{ url: agent(1), authorized_for: 'another offer' }] });
    expect((await poll()).edges).toEqual([`${agent(1)} news.example`]);
  });

  it.each([
    ['a cursor of another registry', '?cursor=01941c29-7c00-7abc-8def-0123456789ab', 410, 'feed_cursor_gone'],
    ['a text that is no cursor', '?cursor=yesterday', 410, 'feed_cursor_gone'],
    ['two stars in one pattern', '?types=a*b*', 400, 'invalid_value'],
    ['a type that there is not', '?types=nope', 400, 'invalid_value'],
    ['one that there is not beside others', '?types=agent.*,agent.updated', 400, 'invalid_value'],
    ['a pattern that fits nothing', '?types=agent.dis*discovered', 400, 'invalid_value'],
    ['too many patterns', `?types=${'a,'.repeat(20)}a`, 400, 'invalid_value'],
    ['a limit that is too high', '?limit=10001', 400, 'invalid_value'],
    ['two cursors, one of them empty', '?cursor=&cursor=', 400, 'empty_value'],
  ])('refuses %s', async (_what, query, status, code) => {
    const answer = await (await openRegistry()).get(`${FEED}${query}`);
    expect([answer.statusCode, answer.json().code]).toEqual([status, code]);
  });
});
