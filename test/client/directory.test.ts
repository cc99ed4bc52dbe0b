import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readLocalQuestion } from '../../src/client/directory/answer.ts';
import {
  type LocalDirectory,
  loadDirectory,
  openDirectory,
  readDirectory,
} from '../../src/client/directory/index.ts';
import { createClient, RegistryFailure } from '../../src/client/index.ts';
import { maySell } from '../../src/discovery/may-sell.ts';
import type { CopyLine } from '../../src/domain/copy-lines.ts';
import {
  createRandom,
  openDirectoryWorld,
  PUBLISHERS,
  randomFile,
  randomQuestion,
} from './directory-world.ts';

/** A long run: `DIRECTORY_QUESTIONS=100000 vitest run test/client/directory.test.ts`. */
const QUESTIONS = Number(process.env.DIRECTORY_QUESTIONS ?? 600);
const SEED = Number(process.env.REGISTRY_SEED ?? 20_261_123);

type World = Awaited<ReturnType<typeof openDirectoryWorld>>;

/** Asks both the same questions. Only the reasons of a yes are compared, because the registry explains a no from the file. */
async function compare({ records, clock }: World, directory: LocalDirectory, count: number, seed: number) {
  const random = createRandom(seed);
  let authorized = 0;
  for (let asked = 0; asked < count; asked += 1) {
    const question = randomQuestion(random);
    const there = await maySell(
      records.authorisations,
      readLocalQuestion(question, clock.now()),
      clock.now(),
    );
    const here = directory.isAuthorized(question);
    if (there.authorized) authorized += 1;
    if (there.authorized) expect(here, JSON.stringify(question)).toEqual(there);
    else expect(here.authorized, JSON.stringify(question)).toBe(false);
  }
  return authorized;
}

async function randomWorld(seed: number) {
  const world = await openDirectoryWorld();
  const random = createRandom(seed);
  const fileOf = (publisher: string) => randomFile(publisher, random, world.clock.now());
  const change = async (times: number) => {
    for (let n = 0; n < times; n += 1) {
      const publisher = random.one(PUBLISHERS);
      await world.say(publisher, fileOf(publisher));
    }
    await world.stitch();
  };
  for (const publisher of PUBLISHERS) await world.say(publisher, fileOf(publisher));
  await world.stitch();
  return { world, change, options: { now: () => world.clock.now() } };
}

describe('a local directory', () => {
  it(
    'answers what the registry answers, from an export, from what it saved, and after changes',
    async () => {
      const rounds = 2 + Math.floor(QUESTIONS / 5_000);
      let authorized = 0;
      for (let round = 0; round < rounds; round += 1) {
        const seed = SEED + round;
        const { world, change, options } = await randomWorld(seed);
        await world.write();
        await change(2);
        const directory = await loadDirectory(world.client, options);
        const count = Math.ceil(QUESTIONS / rounds / 3);
        authorized += await compare(world, directory, count, seed);
        await change(4);
        expect(await directory.follow(world.client)).toBeGreaterThan(0);
        expect(await directory.follow(world.client)).toBe(0);
        authorized += await compare(world, directory, count, seed + 100);
        const opened = await openDirectory(await directory.save(), options);
        expect(opened.cursor).toBe(directory.cursor);
        authorized += await compare(world, opened, count, seed + 200);
      }
      expect(authorized).toBeGreaterThan(QUESTIONS / 100);
    },
    60_000 + QUESTIONS * 20,
  );

  it('reads a publisher from many lines as from one line', async () => {
    const random = createRandom(SEED);
    const { world, options } = await randomWorld(SEED);
    const { path } = await world.write();
    const lines = gunzipSync(readFileSync(path)).toString().trimEnd().split('\n');
    for (const most of [1, 3, 20]) {
      const cut = lines.flatMap((line) => inPieces(JSON.parse(line), most));
      expect(cut.length).toBeGreaterThan(lines.length);
      const directory = await readDirectory(new Blob([gzipSync(cut.join('\n'))]).stream(), options);
      await compare(world, directory, 100, random.below(1_000_000));
      const whole = await readDirectory(new Blob([gzipSync(lines.join('\n'))]).stream(), options);
      expect(await savedLines(directory)).toEqual(await savedLines(whole));
    }
  });

  it('has the agents of the registry, as they change', async () => {
    const world = await openDirectoryWorld();
    const names = (...urls: readonly string[]) => ({
      authorized_agents: urls.map((url) => ({ url, authorized_for: 'x' })),
    });
    await world.say('news.example', names('https://a.example/mcp', 'https://b.example/mcp'));
    await world.stitch();
    await world.write();
    const directory = await loadDirectory(world.client);
    const card = directory.agent('https://a.example/mcp');
    expect(card).toMatchObject({ type: expect.any(String), publisher_count: 1, compliance_summary: {} });
    await world.say('news.example', names('https://b.example/mcp'));
    await world.say('shop.example', names('https://b.example/mcp'));
    await world.stitch();
    await directory.follow(world.client);
    const after = await openDirectory(await directory.save());
    for (const one of [directory, after]) {
      expect(one.agent('https://a.example/mcp')).toMatchObject({ publisher_count: 0 });
      expect(one.agent('https://b.example/mcp')).toMatchObject({ publisher_count: 2 });
    }
  });

  it.each([
    ['agent', { agent: 'nonsense' }, 'bad_agent_url'],
    ['publisher', { agent: 'https://a.example', publisher: 'a b' }, 'invalid_value'],
    ['country', { agent: 'https://a.example', publisher: 'a.example', country: 'Germany' }, 'invalid_value'],
  ])('refuses a question with an invalid %s as the registry does', async (_what, question, code) => {
    const lines =
      '{"kind":"export","version":1,"cursor":"x","generated_at":"x","counts":{"agents":0,"publishers":0,"entries":0}}\n{"kind":"end","counts":{"agents":0,"publishers":0,"entries":0}}\n';
    const directory = await readDirectory(new Blob([gzipSync(lines)]).stream());
    expect(() => directory.isAuthorized(question)).toThrow(expect.objectContaining({ code }));
  });
});

const counts = { agents: 0, publishers: 1, entries: 0 };
const head = { kind: 'export', version: 1, cursor: 'x', generated_at: 'x', counts };
const publisher = {
  kind: 'publisher',
  publisher_domain: 'news.example',
  file: 'https://x',
  stale: false,
  properties: [],
  entries: [],
};
const more = { kind: 'continuation', publisher_domain: 'news.example', properties: [], entries: [] };
const end = { kind: 'end', counts };
const packed = (...lines: readonly unknown[]) =>
  gzipSync(lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
const read = (bytes: Uint8Array, bounds = {}) => readDirectory(new Blob([bytes as never]).stream(), bounds);

describe('a local directory refuses', () => {
  it.each([
    ['a cut file', packed(head, publisher, end).subarray(0, -12), 'corrupt or truncated'],
    ['a cut export', packed(head, publisher), 'ends before its end line'],
    ['a file that is not compressed', Buffer.from('{"kind":"export"}'), 'corrupt or truncated'],
    [
      'an export of a newer version',
      packed({ ...head, version: 2 }, end),
      'line 1 of the export: the export has version 2',
    ],
    ['lines without a head', packed(publisher, end), 'the head is not the first line'],
    ['two exports in one', packed(head, head, end), 'the head is not the first line'],
    ['lines after the end line', packed(head, publisher, end, publisher), 'a line follows the end line'],
    ['fewer lines than it counts', packed(head, end), 'its counts differ'],
    [
      'a publisher without its continuation',
      packed(head, { ...publisher, continued: true }, end),
      'line 3 of the export: the lines of a publisher are incomplete',
    ],
    [
      'a continuation of another publisher',
      packed(head, { ...publisher, continued: true }, { ...more, publisher_domain: 'other.example' }, end),
      'continues another publisher',
    ],
    [
      'a continuation of a complete publisher',
      packed(head, publisher, more, end),
      'incomplete or out of order',
    ],
    [
      'a line that is not JSON',
      packed(head, '{"kind":"publisher'),
      'line 2 of the export: the line is not valid JSON',
    ],
    ['an unknown kind', packed(head, { kind: 'x' }), 'kind of the line is unknown'],
    [
      'an entry that is not an object',
      packed(head, { ...publisher, entries: [1] }),
      'entries is not an object',
    ],
    [
      'bytes that are not UTF-8',
      gzipSync(Buffer.from([0x7b, 0xff, 0x0a])),
      'line 1 of the export: the line is not UTF-8',
    ],
  ])('%s', async (_what, bytes, reason) => {
    await expect(read(bytes)).rejects.toThrow(
      expect.objectContaining({ code: 'not_understood', message: expect.stringContaining(reason) }),
    );
  });

  it('an export above its limits, even if it is small when compressed', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000, ' '));
    await expect(read(bomb, { maxLineBytes: 1_000_000 })).rejects.toThrow(
      'line 1 of the export: the line is longer',
    );
    const many = packed(head, ...Array.from({ length: 20_000 }, () => publisher));
    await expect(read(many, { maxBytes: 1_000_000 })).rejects.toThrow(
      expect.objectContaining({
        message: expect.stringContaining('longer than 1000000 bytes'),
        hint: expect.stringContaining('increase `maxBytes`'),
      }),
    );
  });

  it('to authorise by an entry with an unknown limit', async () => {
    const entry = { agent_url: 'https://a.example/mcp', entry: '/0', covers: { all: 'inventory' } };
    const ask = async (more: object) => {
      const line = { ...publisher, entries: [{ ...entry, ...more }] };
      const one = { ...counts, entries: 1 };
      const directory = await read(packed(head, line, { ...end, counts: one }));
      return directory.isAuthorized({ agent: 'https://a.example/mcp', publisher: 'news.example' }).because[0]
        ?.code;
    };
    expect(await ask({})).toBe('authorized');
    expect(await ask({ limits: { weekdays: ['monday'] } })).toBe('unread');
    expect(await ask({ covers: { all: 'inventory', except: 'x' } })).toBe('unread');
  });

  it('a saved directory that was cut, or is another file', async () => {
    const saved = await (await read(packed(head, publisher, end))).save();
    await expect(openDirectory(saved.subarray(0, -4))).rejects.toThrow('corrupt or truncated');
    await expect(openDirectory(saved.subarray(1))).rejects.toThrow('corrupt or truncated');
    expect((await openDirectory(saved)).cursor).toBe('x');
  });

  it('a saved directory in which one bit of the content has changed', async () => {
    const directory = await read(packed(head, publisher, end));
    const saved = await directory.save();
    const lines = await savedLines(directory);
    let refused = 0;
    for (let bit = 0; bit < saved.length * 8; bit += 7) {
      const changed = saved.slice();
      changed[bit >> 3] = (saved[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const opened = await openDirectory(changed).catch((error) => error);
      if (opened instanceof RegistryFailure) {
        expect(opened.code, `bit ${bit}`).toBe('not_understood');
        refused += 1;
      } else {
        // a bit of the header of gzip, such as its time
        expect(bit, `bit ${bit}`).toBeLessThan(80);
        expect(await savedLines(opened)).toEqual(lines);
      }
    }
    expect(refused).toBeGreaterThan(saved.length);
  });

  it('an agent that is nested too deeply to be saved, in an export and in the feed', async () => {
    const deep = `{"kind":"agent","agent_url":"https://a.example/mcp","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    await expect(read(packed(head, deep))).rejects.toThrow(
      'line 2 of the export: the agent is nested too deeply',
    );
    const directory = await read(packed(head, publisher, end));
    const page = `{"events":[{"event_type":"agent.discovered","payload":${deep}}],"cursor":"y","has_more":false}`;
    const client = createClient({
      baseUrl: 'https://registry.example',
      fetch: async () => new Response(page, { headers: { 'content-type': 'application/json' } }),
    });
    await expect(directory.follow(client)).rejects.toThrow('not a page of the feed');
    expect(directory.agent('https://a.example/mcp')).toBeUndefined();
  });

  it.each([
    '{}',
    '[]',
    'null',
    '{"events":[],"cursor":null,"has_more":false}',
    '{"events":[],"cursor":"","has_more":false}',
    '{"events":[null],"cursor":"y","has_more":false}',
    '{"events":[{"event_type":"agent.removed","payload":null}],"cursor":"y","has_more":false}',
    '{"events":[{"event_type":"agent.removed","payload":{"agent_url":"https://b.example/mcp"}},7],"cursor":"y","has_more":false}',
  ])('a page of the feed that is %s, and applies nothing of it', async (body) => {
    const directory = await read(packed(head, publisher, end));
    const fetch = async () => new Response(body, { headers: { 'content-type': 'application/json' } });
    const client = createClient({ baseUrl: 'https://registry.example', fetch });
    await expect(directory.follow(client)).rejects.toThrow(
      expect.objectContaining({ code: 'not_understood' }),
    );
    expect(directory.cursor).toBe('x');
  });

  it('an export whose download was aborted, with the reason of the signal', async () => {
    const abort = new AbortController();
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(packed(head, publisher).subarray(0, 20)),
      pull(controller) {
        abort.abort(new Error('no longer needed'));
        controller.error(new Error('the connection is closed'));
      },
    });
    const fetch = async () => new Response(body);
    const client = createClient({ baseUrl: 'https://registry.example', fetch });
    const loading = loadDirectory(client, { signal: abort.signal });
    await expect(loading).rejects.toThrow('no longer needed');
  });

  it.each([
    undefined,
    null,
    {},
    { agent: 7 },
    { agent: 'https://a.example/mcp', publisher: {} },
    { agent: 'https://a.example/mcp', property: 'home' },
    { agent: 'https://a.example/mcp', property: { id: 7 } },
    { agent: 'https://a.example/mcp', property: { type: 'domain' } },
    { agent: 'https://a.example/mcp', country: 49 },
    { agent: 'https://a.example/mcp', placement: [] },
  ])('an invalid question: %j', async (question) => {
    const directory = await read(packed(head, publisher, end));
    expect(() => directory.isAuthorized(question as never)).toThrow(
      expect.objectContaining({ name: 'RegistryFailure', code: 'invalid_value' }),
    );
  });

  it('a cursor that its registry does not know', async () => {
    const world = await openDirectoryWorld();
    const directory = await read(
      packed({ ...head, cursor: '019b92a0-1a00-7000-8000-00c0000a1b2c' }, publisher, end),
    );
    await expect(directory.follow(world.client)).rejects.toThrow(
      expect.objectContaining({ code: 'feed_cursor_gone' }),
    );
    await expect(loadDirectory(world.client)).rejects.toThrow(
      expect.objectContaining({ code: 'not_offered' }),
    );
  });
});

describe('a saved directory', () => {
  const AGENT = 'https://a.example/mcp';
  const card = { name: 'A', type: 'sales', property_count: 2, labels: { x: [1, null] } };
  const full = {
    ...publisher,
    properties: [
      {
        ...{ property_type: 'website', property_id: 'home', name: 'Home', tags: ['news'] },
        identifiers: [{ type: 'domain', value: 'news.example' }],
      },
    ],
    entries: [
      {
        ...{ agent_url: AGENT, entry: '/authorized_agents/0', covers: { property_ids: ['home'] } },
        limits: { countries: ['DE'], effective_until: '2026-12-01T00:00:00.000Z' },
      },
    ],
  };
  const counted = { agents: 1, publishers: 1, entries: 1 };
  const lines = [
    { ...head, counts: counted },
    { kind: 'agent', agent_url: AGENT, ...card },
    full,
    { kind: 'end', counts: counted },
  ];

  it('is the export that it was read from', async () => {
    const directory = await read(packed(...lines));
    expect(await savedLines(directory)).toEqual(lines);
  });

  it('has the position in the feed that was reached', async () => {
    const directory = await read(packed(...lines));
    const client = feedOf({ event_type: 'agent.removed', payload: { agent_url: AGENT } });
    expect(await directory.follow(client)).toBe(1);
    const saved = await directory.save();
    const opened = await readDirectory(new Blob([saved]).stream());
    expect([opened.cursor, opened.generatedAt]).toEqual(['y', 'x']);
    expect(opened.agent(AGENT)).toBeUndefined();
  });

  it('has a long publisher on several lines, as an export of the registry', async () => {
    const property_ids = Array.from({ length: 100 }, (_, n) => `${'x'.repeat(200)}${n}`);
    const entries = Array.from({ length: 200 }, (_, n) => ({
      ...{
        agent_url: `https://a${n}.example/mcp`,
        entry: `/authorized_agents/${n}`,
        covers: { property_ids },
      },
    }));
    const long = { agents: 0, publishers: 1, entries: 200 };
    const directory = await read(packed(head, { ...full, entries }, { kind: 'end', counts: long }));
    const saved = await directory.save();
    const longest = Math.max(
      ...gunzipSync(saved)
        .toString()
        .split('\n')
        .map((line) => line.length),
    );
    expect(longest).toBeLessThan(1_100_000);
    const opened = await openDirectory(saved, { maxLineBytes: 1_200_000 });
    for (const n of [0, 99, 199]) {
      const question = {
        agent: `https://a${n}.example/mcp`,
        publisher: 'news.example',
        property: { id: 'home' },
      };
      expect(opened.isAuthorized(question)).toEqual(directory.isAuthorized(question));
      expect(opened.isAuthorized(question).because[0]?.code).toBe('other_property');
    }
  });
});

describe('a local directory keeps', () => {
  const sells = (agent_url: string) => ({ agent_url, entry: '/0', covers: { all: 'inventory' } });
  const app = (value: string, type = 'ios_bundle') => ({
    ...{ property_type: 'mobile_app', tags: [], identifiers: [{ type, value }] },
  });
  const endOf = (publishers: number, entries: number, agents = 0) => ({
    ...{ kind: 'end', counts: { agents, publishers, entries } },
  });
  const codeOf = (directory: LocalDirectory, agent: string, value: string, type = 'ios_bundle') =>
    directory.isAuthorized({ agent, property: { type, value } }).because[0]?.code;

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'an agent, a publisher and an identifier with the name %s apart from what every object inherits',
    async (name) => {
      const empty = await read(packed(head, publisher, end));
      expect(empty.agent(name)).toBeUndefined();
      expect(codeOf(empty, 'https://a.example/mcp', name, name)).toBe('unknown_publisher');
      const agent = `{"kind":"agent","agent_url":"${name}","name":"A","${name}":{"x":1}}`;
      const line = {
        ...{ ...publisher, publisher_domain: name, properties: [app(name, name)] },
        entries: [sells('https://a.example/mcp')],
      };
      const directory = await read(packed(head, agent, line, endOf(1, 1, 1)));
      for (const one of [directory, await openDirectory(await directory.save())]) {
        expect(JSON.stringify(one.agent(name))).toBe(`{"name":"A","${name}":{"x":1}}`);
        expect(codeOf(one, 'https://a.example/mcp', name, name)).toBe('authorized');
      }
      expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
    },
  );

  it('the last of two lines about one publisher, and nothing of the first', async () => {
    const first = { ...publisher, properties: [app('com.one')], entries: [sells('https://a.example/mcp')] };
    const last = { ...publisher, properties: [app('com.two')], entries: [sells('https://b.example/mcp')] };
    const directory = await read(packed(head, first, last, endOf(2, 2)));
    expect(codeOf(directory, 'https://a.example/mcp', 'com.one')).toBe('unknown_publisher');
    expect(codeOf(directory, 'https://a.example/mcp', 'com.two')).toBe('not_named');
    expect(codeOf(directory, 'https://b.example/mcp', 'com.two')).toBe('authorized');
  });

  it('identifiers apart whose type and value give the same text', async () => {
    const line = { ...publisher, properties: [app('b:c', 'a')], entries: [sells('https://a.example/mcp')] };
    const directory = await read(packed(head, line, endOf(1, 1)));
    expect(codeOf(directory, 'https://a.example/mcp', 'b:c', 'a')).toBe('authorized');
    expect(codeOf(directory, 'https://a.example/mcp', 'c', 'a:b')).toBe('unknown_publisher');
  });

  it('the limits of one question: an entry above 4 MiB counts as a denial', async () => {
    const property_ids = Array.from({ length: 5 }, (_, n) => `${n}`.repeat(1_000_000));
    const small = { ...publisher, properties: [app('com.one')], entries: [sells('https://a.example/mcp')] };
    const entry = { ...sells('https://a.example/mcp'), covers: { all: 'inventory', property_ids } };
    const large = { ...small, publisher_domain: 'other.example', file: 'https://y', entries: [entry] };
    const directory = await read(packed(head, small, large, endOf(2, 2)));
    const question = { agent: 'https://a.example/mcp', property: { type: 'ios_bundle', value: 'com.one' } };
    const codes = (publisher: string) => directory.isAuthorized({ ...question, publisher }).because[0]?.code;
    expect(directory.isAuthorized(question).because.map(({ code }) => code)).toEqual(['disputed', 'unread']);
    expect([codes('news.example'), codes('other.example')]).toEqual(['authorized', 'unread']);
  });

  it('the limits of one question: an app that more than 50 publishers list needs a publisher', async () => {
    const lines = Array.from({ length: 51 }, (_, n) => ({
      ...{ ...publisher, publisher_domain: `p${n}.example`, properties: [app('com.one')] },
      entries: [sells('https://a.example/mcp')],
    }));
    const some = await read(packed(head, ...lines.slice(1), endOf(50, 50)));
    expect(codeOf(some, 'https://a.example/mcp', 'com.one')).toBe('authorized');
    const all = await read(packed(head, ...lines, endOf(51, 51)));
    expect(codeOf(all, 'https://a.example/mcp', 'com.one')).toBe('disputed');
  });

  it('no publisher that the registry has deleted, however often the event is delivered', async () => {
    const line = { ...publisher, properties: [app('com.one')], entries: [sells('https://a.example/mcp')] };
    const directory = await read(packed(head, line, endOf(1, 1)));
    const revoked = { event_type: 'authorization.revoked', payload: { publisher_domain: 'news.example' } };
    for (let delivery = 0; delivery < 2; delivery += 1) {
      expect(await directory.follow(feedOf(revoked, revoked))).toBe(1);
      expect(codeOf(directory, 'https://a.example/mcp', 'com.one')).toBe('unknown_publisher');
    }
  });

  it('the state before a page of the feed whose publishers cannot be read', async () => {
    const directory = await read(packed(head, publisher, end));
    const client = feedOf(
      { event_type: 'agent.discovered', payload: { agent_url: 'https://a.example/mcp', name: 'A' } },
      { event_type: 'authorization.granted', payload: { publisher_domain: 'broken.example' } },
    );
    await expect(directory.follow(client)).rejects.toThrow('broken.example: file is not a string');
    expect([directory.cursor, directory.agent('https://a.example/mcp')]).toEqual(['x', undefined]);
  });

  it('the order of the feed when it is followed twice at the same time', async () => {
    const directory = await read(packed(head, publisher, end));
    const cursors: unknown[] = [];
    const agent = { agent_url: 'https://a.example/mcp' };
    const client = feedOf({ event_type: 'agent.discovered', payload: agent });
    const watched = {
      ...client,
      pages: ((name: 'getFeed', query: { cursor: string }) => {
        cursors.push(query.cursor);
        return client.pages(name, query);
      }) as typeof client.pages,
    };
    expect(await Promise.all([directory.follow(watched), directory.follow(watched)])).toEqual([1, 1]);
    expect(cursors).toEqual(['x', 'y']);
  });
});

/** A registry with one page of events, whose publishers are gone, except that `broken.example` is not a publisher. */
function feedOf(...events: readonly object[]) {
  const fetch = async (url: string | URL | Request) => {
    const { pathname } = new URL(String(url));
    if (pathname.endsWith('/feed')) return Response.json({ events, cursor: 'y', has_more: false });
    if (pathname.endsWith('/broken.example'))
      return Response.json({
        kind: 'publisher',
        publisher_domain: 'broken.example',
        properties: [],
        entries: [],
      });
    const problem = { code: 'not_found', detail: 'there is no such publisher', status: 404 };
    return Response.json(problem, { status: 404, headers: { 'content-type': 'application/problem+json' } });
  };
  return createClient({ baseUrl: 'https://registry.example', fetch });
}

/** The parsed lines of a saved directory. */
async function savedLines(directory: LocalDirectory): Promise<readonly unknown[]> {
  const text = gunzipSync(await directory.save()).toString();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** The lines of a publisher as a long one has them, with so many properties or entries in each; other lines as they are. */
function inPieces(line: CopyLine, most: number): readonly string[] {
  if (line.kind !== 'publisher') return [JSON.stringify(line)];
  const { properties, entries, ...head } = line;
  const slices = <T>(items: readonly T[]) =>
    Array.from({ length: Math.ceil(items.length / most) }, (_, at) =>
      items.slice(at * most, (at + 1) * most),
    );
  const pieces = [
    { ...head, properties: [], entries: [] },
    ...[
      ...slices(entries).map((some) => ({ properties: [], entries: some })),
      ...slices(properties).map((some) => ({ properties: some, entries: [] })),
    ].map((piece) => ({ kind: 'continuation', publisher_domain: line.publisher_domain, ...piece })),
  ];
  return pieces.map((piece, at) =>
    JSON.stringify({ ...piece, ...(at < pieces.length - 1 && { continued: true }) }),
  );
}
