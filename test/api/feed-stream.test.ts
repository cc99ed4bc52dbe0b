import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { createFeedStreams, type Listener } from '../../src/api/operations/feed/streams.ts';
import { cursorSecretOf } from '../../src/api/operations/list-agents.ts';
import { newApiKey } from '../../src/owners/secrets.ts';
import { names, openPublishing } from './support/publishing.ts';
import { openRegistry, type TestRegistry } from './support/registry.ts';

const STREAM = '/api/registry/feed/stream';

/** A stream over HTTP: `next` is the next message with this event, `undefined` when the stream is over. */
async function listen({ server }: TestRegistry, query = '', headers: Record<string, string> = {}) {
  if (!server.server.listening) await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}${STREAM}${query}`, { headers });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const next = async () => {
    for (;;) {
      const [message, ...rest] = text.split('\n\n');
      if (rest.length > 0) {
        text = rest.join('\n\n');
        const fields = Object.fromEntries(
          (message ?? '').split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)),
        );
        if (fields.event === 'feed') return { id: String(fields.id), page: JSON.parse(String(fields.data)) };
        continue;
      }
      const read = await reader?.read();
      if (read?.done !== false) return undefined;
      text += read.value;
    }
  };
  return { answer, next };
}

const told = (
  message: { page: { events: readonly { event_type: string; entity_id: string }[] } } | undefined,
) => message?.page.events.map((event) => `${event.event_type} ${event.entity_id}`);

/** A listener that keeps what it hears; it takes more while `isFree`. */
function listener(over: Partial<Listener> = {}) {
  const heard: string[] = [];
  const state = { isFree: true, hasEnded: false };
  const one: Listener = {
    ...{ caller: 'key:a', hasKey: true, types: '*', isWanted: () => true, mayListen: async () => true },
    isFree: () => state.isFree,
    write: (message) => void heard.push(message),
    end: () => {
      state.hasEnded = true;
    },
    ...over,
  };
  return { one, heard, state };
}

async function streamsOf({ records, clock }: TestRegistry) {
  const cursorSecret = await cursorSecretOf(records);
  const streams = createFeedStreams({ records, clock, cursorSecret });
  const from = { agents: 0, edges: 0, isFirst: true, at: clock.now() };
  return { streams, from };
}

describe('the stream of the feed', () => {
  it('tells what stands, then what changes, and goes on behind the last id', async () => {
    const { registry, say } = await openPublishing();
    await say('news.example', names(1));
    const stream = await listen(registry, '?types=publisher.*');
    expect(stream.answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const first = await stream.next();
    expect(told(first)).toEqual(['publisher.adagents_discovered news.example']);
    expect(first?.page.cursor).toBe(first?.id);
    await say('news.example', names());
    const resumed = await listen(registry, '?types=publisher.*', { 'last-event-id': first?.id ?? '' });
    const change = ['publisher.adagents_changed news.example'];
    expect([told(await stream.next()), told(await resumed.next())]).toEqual([change, change]);
    await registry.server.close();
    expect([await stream.next(), await resumed.next()]).toEqual([undefined, undefined]);
  });

  it.each<[string, (registry: TestRegistry, id: string) => Promise<unknown>]>([
    ['is revoked', ({ records, clock }, id) => records.keys.revoke(id, clock.value)],
    ['is over', async () => undefined],
    ['goes with its member', ({ records, clock }) => records.members.remove('m', clock.value)],
  ])('ends when its key %s, and no other stream does', async (what, end) => {
    const { registry, say } = await openPublishing();
    const { records, clock } = registry;
    await registry.addKey('m');
    const { key, hash, id } = newApiKey();
    const expires = what === 'is over' && { expiresAt: clock.value + 9_000 };
    await records.keys.create({ id, hash, member: 'm', ...expires }, clock.value);
    const { key: another } = await registry.addKey('n');
    const stream = await listen(registry, '', { authorization: `Bearer ${key}` });
    const others = [
      await listen(registry),
      await listen(registry, '', { authorization: `Bearer ${another}` }),
    ];
    await end(registry, id);
    clock.value += 10_000;
    await listen(registry); // has the next look begin
    expect(await stream.next()).toBeUndefined();
    await say('news.example', names(1));
    for (const other of others)
      expect(told(await other.next())).toContain('publisher.adagents_discovered news.example');
  });

  it('tells nothing of what happens after its key was revoked, also while a page is read', async () => {
    const { registry, say } = await openPublishing();
    const { streams, from } = await streamsOf(registry);
    let isRevoked = false;
    const [revoked, other] = [
      listener({ keyId: 'b', mayListen: async () => !isRevoked }),
      listener({ mayListen: async () => true }),
    ];
    for (const { one } of [revoked, other]) streams.open(one, from);
    await say('news.example', names(1));
    const { changes } = registry.records.agents;
    vi.spyOn(registry.records.agents, 'changes').mockImplementationOnce(async (...asked) => {
      isRevoked = true;
      return changes(...asked);
    });
    await streams.look();
    expect([revoked.heard, revoked.state.hasEnded]).toEqual([[], true]);
    expect([other.heard.length, other.state.hasEnded]).toEqual([1, false]);
    streams.close();
  });

  it('has five of one address at most, and answers HEAD without one', async () => {
    const registry = await openRegistry();
    for (let count = 0; count < 5; count += 1) expect((await listen(registry)).answer.status).toBe(200);
    const { answer } = await listen(registry);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '5']);
    expect((await registry.server.inject({ method: 'HEAD', url: STREAM })).statusCode).toBe(200);
  });

  it('counts nobody who is gone before it begins', async () => {
    const registry = await openRegistry();
    const { cursor } = (await registry.get('/api/registry/feed')).json();
    const responses: ServerResponse[] = [];
    registry.server.server.on('request', (_request, response) => responses.push(response));
    const lastSeq = vi.spyOn(registry.records.agents, 'lastSeq').mockImplementation(async () => {
      const closed = once(responses.at(-1) as ServerResponse, 'close');
      responses.at(-1)?.destroy();
      return closed.then(() => 0);
    });
    for (let count = 0; count < 10; count += 1)
      await expect(listen(registry, `?cursor=${cursor}`)).rejects.toThrow('fetch failed');
    lastSeq.mockRestore();
    expect((await listen(registry)).answer.status).toBe(200);
  });

  it.each([
    ['a cursor of another registry', '01941c29-7c00-7abc-8def-0123456789ab', 410],
    ['an id that breaks out of its line', 'x: y', 410],
  ])('refuses %s', async (_what, id, status) => {
    const answer = await (await openRegistry()).get(STREAM, { 'last-event-id': id });
    expect(answer.statusCode).toBe(status);
  });

  it('refuses a type that there is not', async () => {
    const answer = await (await openRegistry()).get(`${STREAM}?types=nope`);
    expect([answer.statusCode, answer.json().parameter]).toEqual([400, 'types']);
  });

  it('reads the logs once for all who stand at the same place', async () => {
    const { registry, say } = await openPublishing();
    const { streams, from } = await streamsOf(registry);
    const listeners = Array.from({ length: 500 }, (_, n) => listener({ keyId: `${n}` }));
    for (const { one } of listeners) streams.open(one, from);
    await streams.look();
    const changes = vi.spyOn(registry.records.agents, 'changes');
    await say('news.example', names(1));
    const before = changes.mock.calls.length;
    await streams.look();
    expect(changes.mock.calls.length - before).toBe(1);
    expect(listeners.filter(({ heard }) => heard.length === 1)).toHaveLength(500);
    streams.close();
    expect(listeners.every(({ state }) => state.hasEnded)).toBe(true);
  });

  it('tells nobody more who has not taken what was told, and gives signs of life to the others', async () => {
    const { registry, say } = await openPublishing();
    const { streams, from } = await streamsOf(registry);
    const [slow, quick] = [listener(), listener()];
    slow.state.isFree = false;
    for (const { one } of [slow, quick]) streams.open(one, from);
    await say('news.example', names(1));
    await streams.look();
    registry.clock.value += 10_000;
    await streams.look();
    expect([slow.heard, quick.heard.map((text) => /event: (\w+)/.exec(text)?.[1])]).toEqual([
      [],
      ['feed', 'heartbeat'],
    ]);
    slow.state.isFree = true;
    await streams.look();
    expect(slow.heard[0]).toContain('"entity_id":"news.example"');
    streams.close();
  });

  it('has no line but its own, whatever strangers write', async () => {
    const { registry, say } = await openPublishing();
    const { streams, from } = await streamsOf(registry);
    const { one, heard } = listener();
    const text = 'all\n\nevent: feed\r\ndata: {}\r\r\u2028id: 1';
    await say('news.example', {
      authorized_agents: [{ url: 'https://a.example/mcp', authorized_for: text }],
    });
    streams.open(one, from);
    await streams.look();
    const lines = heard.join('').split(/\r\n|\r|\n/);
    expect(lines.map((line) => line.split(':')[0])).toEqual(['id', 'event', 'data', '', '']);
    streams.close();
  });

  it('begins none when the server stops', async () => {
    const { streams } = await streamsOf(await openRegistry());
    streams.close();
    expect(streams.isClosed()).toBe(true);
  });
});
