import { expect, it } from 'vitest';
import { agent, names, openPublishing } from './support/publishing.ts';

const SNAPSHOT = '/api/registry/authorizations/snapshot';

it('goes on in the feed from the moment of its first page', async () => {
  const { registry, say } = await openPublishing();
  const { get } = registry;
  await say('news.example', names(1, 2));
  const first = await get(`${SNAPSHOT}?limit=1`);
  await say('book.example', names(1)); // stands before the place of the next page
  await say('news.example', names(1));
  const rest = await get(`${SNAPSHOT}?cursor=${first.json().next_cursor}`);
  const cursor = first.headers['x-sync-cursor'];
  expect(rest.headers['x-sync-cursor']).toBe(cursor);
  const held = [first, rest].flatMap((page) => page.json().rows);
  expect(held.map((row) => `${row.agent_url} ${row.publisher_domain}`)).not.toContain(
    `${agent(1)} book.example`,
  );
  const { events } = (await get(`/api/registry/feed?types=authorization.*&cursor=${cursor}`)).json();
  const told = events.map((one: { event_type: string; entity_id: string }) => [
    one.event_type,
    one.entity_id,
  ]);
  expect(told).toEqual(
    expect.arrayContaining([
      ['authorization.granted', `${agent(1)}|book.example`],
      ['authorization.revoked', `${agent(2)}|news.example`],
    ]),
  );
});

it('has the same cursor and tag while nothing changes, and tells browsers of both', async () => {
  const { registry, say } = await openPublishing();
  await say('news.example', names(1, 2));
  const { headers } = await registry.get(`${SNAPSHOT}?limit=1`);
  registry.clock.value += 60_000;
  const again = await registry.get(`${SNAPSHOT}?limit=1`, { 'if-none-match': String(headers.etag) });
  expect([again.statusCode, again.headers['x-sync-cursor']]).toEqual([304, headers['x-sync-cursor']]);
  expect(String(headers['access-control-expose-headers']).split(', ')).toEqual(
    expect.arrayContaining(['ETag', 'X-Sync-Cursor']),
  );
});
