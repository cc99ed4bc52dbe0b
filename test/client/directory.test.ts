import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  type LocalDirectory,
  loadDirectory,
  openDirectory,
  readDirectory,
} from '../../src/client/directory/index.ts';
import { readLocalQuestion } from '../../src/client/directory/question.ts';
import { unpackSaved } from '../../src/client/directory/saved.ts';
import { createClient } from '../../src/client/index.ts';
import { maySell } from '../../src/discovery/may-sell.ts';
import type { CopyLine } from '../../src/domain/copy-lines.ts';
import {
  createRandom,
  openDirectoryWorld,
  PUBLISHERS,
  randomFile,
  randomQuestion,
} from './directory-world.ts';

/** All: `DIRECTORY_QUESTIONS=100000 vitest run test/client/directory.test.ts`. */
const QUESTIONS = Number(process.env.DIRECTORY_QUESTIONS ?? 600);
const SEED = Number(process.env.REGISTRY_SEED ?? 20_261_123);

type World = Awaited<ReturnType<typeof openDirectoryWorld>>;

/** Asks both the same; a no may have a reason of the declaration there, which no copy has. */
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
        const opened = openDirectory(directory.save(), options);
        expect(opened.cursor).toBe(directory.cursor);
        authorized += await compare(world, opened, count, seed + 200);
      }
      expect(authorized).toBeGreaterThan(QUESTIONS / 100);
    },
    60_000 + QUESTIONS * 20,
  );

  it('holds of a publisher in many lines what it holds of one in one line', async () => {
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
      expect(contentOf(directory.save())).toEqual(contentOf(whole.save()));
    }
  });

  it('has the agents of the search, as they change', async () => {
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
    const after = openDirectory(directory.save());
    for (const one of [directory, after]) {
      expect(one.agent('https://a.example/mcp')).toMatchObject({ publisher_count: 0 });
      expect(one.agent('https://b.example/mcp')).toMatchObject({ publisher_count: 2 });
    }
  });

  it.each([
    ['agent', { agent: 'nonsense' }, 'bad_agent_url'],
    ['publisher', { agent: 'https://a.example', publisher: 'a b' }, 'invalid_value'],
    ['country', { agent: 'https://a.example', publisher: 'a.example', country: 'Germany' }, 'invalid_value'],
  ])('refuses a question with no %s as the registry does', async (_what, question, code) => {
    const lines =
      '{"kind":"export","version":1,"cursor":"x","generated_at":"x","counts":{"agents":0,"publishers":0,"entries":0}}\n{"kind":"end","counts":{"agents":0,"publishers":0,"entries":0}}\n';
    const directory = await readDirectory(new Blob([gzipSync(lines)]).stream());
    expect(() => directory.isAuthorized(question)).toThrow(expect.objectContaining({ code }));
  });
});

describe('a local directory refuses', () => {
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

  it.each([
    ['a cut file', packed(head, publisher, end).subarray(0, -12), 'corrupt or truncated'],
    ['a cut export', packed(head, publisher), 'ends before its end line'],
    ['what is not packed', Buffer.from('{"kind":"export"}'), 'corrupt or truncated'],
    [
      'an export of a newer version',
      packed({ ...head, version: 2 }, end),
      'line 1 of the export: the export has version 2',
    ],
    ['lines without a head', packed(publisher, end), 'the head is not the first line'],
    ['two exports in one', packed(head, head, end), 'the head is not the first line'],
    ['lines behind the end', packed(head, publisher, end, publisher), 'a line follows the end line'],
    ['fewer lines than it counts', packed(head, end), 'its counts differ'],
    [
      'a publisher that ends before it goes on',
      packed(head, { ...publisher, continued: true }, end),
      'line 3 of the export: the lines of a publisher are incomplete',
    ],
    [
      'another publisher that goes on',
      packed(head, { ...publisher, continued: true }, { ...more, publisher_domain: 'other.example' }, end),
      'continues another publisher',
    ],
    [
      'what goes on with a publisher that ended',
      packed(head, publisher, more, end),
      'incomplete or out of order',
    ],
    [
      'what is no JSON',
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
      'bytes that are no UTF-8',
      gzipSync(Buffer.from([0x7b, 0xff, 0x0a])),
      'line 1 of the export: the line is not UTF-8',
    ],
  ])('%s', async (_what, bytes, reason) => {
    await expect(read(bytes)).rejects.toThrow(
      expect.objectContaining({ code: 'not_understood', message: expect.stringContaining(reason) }),
    );
  });

  it('more than its bounds, however small it is packed', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000, ' '));
    await expect(read(bomb, { maxLineBytes: 1_000_000 })).rejects.toThrow(
      'line 1 of the export: the line is longer',
    );
    const many = packed(head, ...Array.from({ length: 20_000 }, () => publisher));
    await expect(read(many, { maxBytes: 1_000_000 })).rejects.toThrow('longer than 1000000 bytes');
  });

  it('a limit that it does not know: the entry authorises nothing', async () => {
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
    const saved = (await read(packed(head, publisher, end))).save();
    expect(() => openDirectory(saved.subarray(0, -4))).toThrow('it is truncated');
    expect(() => openDirectory(saved.subarray(1))).toThrow('not a directory of this version');
    expect(openDirectory(saved).cursor).toBe('x');
  });

  it('a saved directory with one bit that is another', async () => {
    const saved = (await read(packed(head, publisher, end))).save();
    for (let bit = 0; bit < saved.length * 8; bit += 7) {
      const [byte, mask] = [bit >> 3, 1 << (bit & 7)];
      saved[byte] = (saved[byte] ?? 0) ^ mask;
      expect(() => openDirectory(saved), `bit ${bit}`).toThrow(
        expect.objectContaining({ code: 'not_understood' }),
      );
      saved[byte] = (saved[byte] ?? 0) ^ mask;
    }
    const behind = new Uint8Array(saved.length + 1);
    behind.set(saved, 1);
    expect(openDirectory(behind.subarray(1)).cursor).toBe('x');
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
  ])('a page of the feed that is %s: it keeps nothing of it', async (body) => {
    const directory = await read(packed(head, publisher, end));
    const fetch = async () => new Response(body, { headers: { 'content-type': 'application/json' } });
    const client = createClient({ baseUrl: 'https://registry.example', fetch });
    await expect(directory.follow(client)).rejects.toThrow(
      expect.objectContaining({ code: 'not_understood' }),
    );
    expect(directory.cursor).toBe('x');
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
  ])('a question that is none: %j', async (question) => {
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

/** All that a saved directory holds; its hashes have a key of their own. */
function contentOf(saved: Uint8Array) {
  const { packed, ...head } = unpackSaved(saved);
  return { ...head, agents: [...packed.agents()], publishers: [...packed.publishers.lines()] };
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
