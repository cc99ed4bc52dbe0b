import type { RequestListener, ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, test } from 'vitest';
import { parseConnectTo } from '../../../src/crawl/fetch/connect-to.ts';
import { NOBODY } from '../../calling/support/serve.ts';
import { fetcherFor, getOne, serve, visiting, type Web } from './web.ts';

const webs: Web[] = [];
afterEach(async () => {
  await Promise.all(webs.splice(0).map((web) => web.close()));
});

async function web(listener: RequestListener, options?: Parameters<typeof serve>[1]): Promise<Web> {
  const started = await serve(listener, options);
  webs.push(started);
  return started;
}

const JSON_TEXT = '{"authorized_agents":[]}';
const JSON_HASH = '42e0c2f0bd56085c693613927dd4deeed1db7bf766bb788ba6bd76c48b020af1';

test('an answer is a fact: status, kept headers, decoded body and its hash', async () => {
  const server = await web((_request, response) => {
    const headers = {
      'content-type': 'application/json',
      etag: '"1"',
      'x-other': 'no',
      'content-encoding': 'gzip',
    };
    response.writeHead(200, {
      ...headers,
      'retry-after': '5',
      'cache-control': 'max-age=60',
      date: 'Sat, 01 Aug 2026 00:00:00 GMT',
    });
    response.end(gzipSync(JSON_TEXT));
  });
  const capture = await getOne(fetcherFor(server, { clock: { now: () => 77 } }));
  expect(capture).toEqual({
    ok: true,
    requestedUrl: 'https://news.example/file',
    finalUrl: 'https://news.example/file',
    trail: [],
    at: 77,
    durationMs: 0,
    status: 200,
    headers: {
      'content-type': 'application/json',
      etag: '"1"',
      'cache-control': 'max-age=60',
      'retry-after': '5',
      date: 'Sat, 01 Aug 2026 00:00:00 GMT',
    },
    body: Buffer.from(JSON_TEXT),
    bodyHash: JSON_HASH,
  });
});

test('the request says honestly who asks', async () => {
  const server = await web((_request, response) => response.end('{}'));
  await getOne(fetcherFor(server), { accept: 'application/json' });
  expect(server.requests[0]?.headers).toEqual({
    host: 'news.example',
    connection: 'keep-alive',
    accept: 'application/json',
    'user-agent': 'agent-registry/0.1 (+https://registry.example/us)',
    'accept-encoding': 'gzip, deflate, br, zstd',
  });
});

describe('a conditional request', () => {
  const validator = {
    url: 'https://news.example/file',
    etag: '"1"',
    lastModified: 'Sat, 01 Aug 2026 00:00:00 GMT',
    bodyHash: 'x',
  };

  it('sends both validators, and a 304 has no body', async () => {
    const server = await web((request, response) => {
      expect(request.headers['if-modified-since']).toBe('Sat, 01 Aug 2026 00:00:00 GMT');
      response.writeHead(request.headers['if-none-match'] === '"1"' ? 304 : 200, { etag: '"1"' }).end();
    });
    expect(await getOne(fetcherFor(server), { validator })).toMatchObject({
      status: 304,
      body: new Uint8Array(),
      bodyHash: '',
    });
  });

  it('is made for the url that the validators belong to only', async () => {
    const server = await web((_request, response) => response.end('{}'));
    await getOne(fetcherFor(server), { url: 'https://news.example/other', validator });
    expect(server.requests[0]?.headers['if-none-match']).toBeUndefined();
  });

  it('leaves out a validator that would not be a header value', async () => {
    const server = await web((_request, response) => response.end('{}'));
    expect(
      await getOne(fetcherFor(server), { validator: { ...validator, etag: '"1"\r\nx: y' } }),
    ).toMatchObject({ status: 200 });
    expect(server.requests[0]?.headers).not.toHaveProperty('if-none-match');
  });
});

describe('the byte cap', () => {
  const cases: readonly (readonly [string, (response: ServerResponse) => void])[] = [
    ['a body that is announced', (response) => response.end(Buffer.alloc(2_000, 'a'))],
    [
      'a body in chunks without an end',
      (response) => void setInterval(() => response.write(Buffer.alloc(400)), 5).unref(),
    ],
    [
      'a gzip body that grows',
      (response) => response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(90_000))),
    ],
    [
      'a brotli body that grows',
      (response) =>
        response.setHeader('content-encoding', 'br').end(brotliCompressSync(Buffer.alloc(90_000))),
    ],
  ];
  it.each(cases)('ends %s', async (_name, answer) => {
    const server = await web((_request, response) => answer(response));
    const capture = await getOne(fetcherFor(server), { maxBytes: 1_000 });
    expect(capture).toMatchObject({
      ok: false,
      failure: { code: 'too_large', detail: 'the body is larger than 1000 bytes' },
    });
  });

  it('ends a bomb by its ratio, long before the cap', async () => {
    const server = await web((_request, response) =>
      response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(19 << 20))),
    );
    const capture = await getOne(fetcherFor(server), { maxBytes: 20 << 20 });
    expect(capture).toMatchObject({
      ok: false,
      failure: { code: 'too_large', detail: 'the body expands more than 100 times' },
    });
  });

  it('ends a body by its announced length, before a byte of it came', async () => {
    const server = await web((_request, response) =>
      response.writeHead(200, { 'content-length': 2_000 }).flushHeaders(),
    );
    expect(await getOne(fetcherFor(server), { maxBytes: 1_000 })).toMatchObject({
      failure: { code: 'too_large' },
    });
  });

  it('lets a body of exactly the cap pass', async () => {
    const server = await web((_request, response) => response.end(Buffer.alloc(1_000)));
    expect(await getOne(fetcherFor(server), { maxBytes: 1_000 })).toMatchObject({ ok: true, status: 200 });
  });

  it('keeps the beginning of a huge error page, so that a 404 stays one', async () => {
    const server = await web((_request, response) =>
      response.writeHead(404, { 'content-encoding': 'odd' }).end(Buffer.alloc(500_000)),
    );
    const capture = await getOne(fetcherFor(server));
    expect(capture).toMatchObject({ ok: true, status: 404 });
    expect(capture.ok && capture.body.length).toBe(64 << 10);
  });
});

test.each([
  ['gzip, br', 'the response has more than one content encoding (gzip, br)'],
  ['compress', 'the response has an unknown content encoding (compress)'],
])('an encoding that is not one known layer is a failure: %s', async (encoding, detail) => {
  const server = await web((_request, response) => response.setHeader('content-encoding', encoding).end('x'));
  expect(await getOne(fetcherFor(server))).toMatchObject({
    ok: false,
    failure: { code: 'encoding', detail },
  });
});

describe('the deadline of the visit', () => {
  it.each([
    ['a hanging answer', () => {}],
    ['a hanging body', (response: ServerResponse) => void response.write('{')],
    [
      'a dripping body',
      (response: ServerResponse) => void setInterval(() => response.write(' '), 10).unref(),
    ],
  ])('ends %s', async (_name, answer) => {
    const server = await web((_request, response) => answer(response));
    const capture = await getOne(fetcherFor(server), {}, 250);
    expect(capture).toMatchObject({
      ok: false,
      failure: { code: 'timeout', detail: 'the visit exceeded its deadline of 250 ms' },
    });
  });

  it('ends a hanging look-up and a hanging connection', async () => {
    const never = new Promise<never>(() => {});
    expect(await getOne(fetcherFor(undefined, { resolver: () => never }), {}, 100)).toMatchObject({
      failure: { code: 'timeout' },
    });
  });

  it('a robots.txt that hangs leaves time for the file', async () => {
    const server = await web(
      (request, response) => (request.url === '/robots.txt' ? undefined : response.end(JSON_TEXT)),
      { robots: true },
    );
    expect(await getOne(fetcherFor(server), {}, 3_000)).toMatchObject({ ok: true, status: 200 });
  });
});

describe('an answer that is none', () => {
  it.each([
    ['garbage', 'SSH-2.0-OpenSSH_9.6\r\n', 'protocol'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', 'protocol'],
    ['nothing', '', 'refused'],
    ['half a body', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nab', 'refused'],
  ])('%s', async (_name, bytes, code) => {
    const server = await web((request) => void request.socket.end(bytes));
    expect(await getOne(fetcherFor(server))).toMatchObject({ ok: false, failure: { code } });
  });

  it('headers without an end', async () => {
    const server = await web(
      (request) => void request.socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`),
    );
    expect(await getOne(fetcherFor(server))).toMatchObject({ ok: false, failure: { code: 'protocol' } });
  });
});

describe('redirects', () => {
  const listener: RequestListener = (request, response) => {
    const host = request.headers.host;
    if (host === 'news.example')
      response.writeHead(301, { location: 'https://www.news.example/file' }).end('moved');
    else if (request.url === '/file') response.writeHead(302, { location: '/final' }).end();
    else response.end(JSON_TEXT);
  };

  it('are followed hop by hop inside the registrable domain, with the trail', async () => {
    const server = await web(listener, { tls: true });
    const capture = await getOne(fetcherFor(server), {
      redirects: { allow: 'same_registrable_domain', max: 3 },
    });
    expect(capture).toMatchObject({
      ok: true,
      requestedUrl: 'https://news.example/file',
      finalUrl: 'https://www.news.example/final',
      trail: [
        { url: 'https://news.example/file', status: 301, location: 'https://www.news.example/file' },
        { url: 'https://www.news.example/file', status: 302, location: '/final' },
      ],
      bodyHash: JSON_HASH,
    });
  });

  it('beyond the number allowed, or where none is allowed, are a failure that keeps the trail', async () => {
    const fetcher = fetcherFor(await web(listener));
    expect(await getOne(fetcher, { redirects: { allow: 'same_registrable_domain', max: 1 } })).toMatchObject({
      ok: false,
      trail: [{ status: 301 }, { status: 302 }],
      failure: { code: 'redirect', detail: 'more than 1 redirects' },
    });
    expect(await getOne(fetcherFor(await web(listener)))).toMatchObject({
      ok: false,
      failure: { code: 'redirect' },
    });
  });
});

describe('robots.txt', () => {
  it.each([
    ['never answers', () => new Promise<undefined>(() => {})],
    ['fails', () => Promise.reject(new Error('the database is away'))],
  ])('is asked of the site when the cache of its rules %s', async (_name, find) => {
    const server = await web(
      (request, response) => response.end(request.url === '/robots.txt' ? '' : JSON_TEXT),
      { robots: true },
    );
    const fetcher = fetcherFor(server, { robots: { find, keep: () => {} } });
    expect(await getOne(fetcher, {}, 3_000)).toMatchObject({ ok: true, status: 200 });
    expect(server.seen.map((request) => request.split(' ')[2])).toEqual(['/robots.txt', '/file']);
  });

  const FORBIDDEN = 'User-agent: agent-registry\nDisallow: /file\nCrawl-delay: 2';

  function site(answer: (response: ServerResponse) => void): Promise<Web> {
    return web(
      (request, response) => (request.url === '/robots.txt' ? answer(response) : response.end(JSON_TEXT)),
      { robots: true },
    );
  }

  it.each([
    ['names us', (response: ServerResponse) => response.end(FORBIDDEN), { failure: { code: 'robots' } }],
    [
      'forbids all to everybody',
      (response: ServerResponse) => response.end('User-agent: *\nDisallow: /'),
      { status: 200 },
    ],
    ['is missing', (response: ServerResponse) => response.writeHead(404).end(FORBIDDEN), { status: 200 }],
    ['fails', (response: ServerResponse) => response.writeHead(503).end(FORBIDDEN), { status: 200 }],
    ['breaks off', (response: ServerResponse) => response.destroy(), { status: 200 }],
    [
      'is a broken encoding',
      (response: ServerResponse) => response.setHeader('content-encoding', 'br').end('x'),
      { status: 200 },
    ],
    [
      'is compressed',
      (response: ServerResponse) => response.setHeader('content-encoding', 'gzip').end(gzipSync(FORBIDDEN)),
      { failure: { code: 'robots' } },
    ],
    [
      'is huge and names us at its start',
      (response: ServerResponse) => response.end(`${FORBIDDEN}\n${'#\n'.repeat(400_000)}`),
      { failure: { code: 'robots' } },
    ],
    [
      'is huge and names us beyond 512 KiB',
      (response: ServerResponse) => response.end(`${'#\n'.repeat(400_000)}${FORBIDDEN}`),
      { status: 200 },
    ],
    [
      'redirects away',
      (response: ServerResponse) =>
        response.writeHead(302, { location: 'https://evil.example/robots.txt' }).end(),
      { status: 200 },
    ],
  ])('that %s', async (_name, answer, expected) => {
    expect(await getOne(fetcherFor(await site(answer)))).toMatchObject(expected);
  });

  it('is read once a day for an origin, and holds for files only', async () => {
    let now = 1_000_000;
    const server = await site((response) => response.end('User-agent: agent-registry\nDisallow: /mcp'));
    const fetcher = fetcherFor(server, { clock: { now: () => now } });
    await getOne(fetcher);
    await getOne(fetcher, { url: 'https://news.example/other' });
    now += 24 * 3_600_000;
    expect(await getOne(fetcher, { url: 'https://news.example/mcp' })).toMatchObject({
      failure: { code: 'robots' },
    });
    expect(
      await visiting(fetcher, async (visit) => (await visit.fetch('https://news.example/mcp')).status),
    ).toBe(200);
    const paths = server.seen.map((line) => line.split(' ').at(-1));
    expect(paths).toEqual(['/robots.txt', '/file', '/other', '/robots.txt', '/mcp']);
  });

  it('is asked on the origin that a redirect leads to', async () => {
    const server = await web(
      (request, response) => {
        if (request.url === '/robots.txt')
          response.end(request.headers.host === 'www.news.example' ? FORBIDDEN : '');
        else response.writeHead(301, { location: 'https://www.news.example/file' }).end();
      },
      { robots: true },
    );
    const capture = await getOne(fetcherFor(server), {
      redirects: { allow: 'same_registrable_domain', max: 3 },
    });
    expect(capture).toMatchObject({
      ok: false,
      finalUrl: 'https://www.news.example/file',
      failure: { code: 'robots' },
    });
  });
});

test('a request on a connection that the server has just closed is made once more', async () => {
  const server = await web((request, response) => {
    // Closes after each answer without saying so.
    response.shouldKeepAlive = true;
    response.end('{}', () => request.socket.destroy());
  });
  const captures = await visiting(fetcherFor(server), async (visit) => {
    const get = (path: string) =>
      visit.get({ url: `https://news.example/${path}`, maxBytes: 99, redirects: { allow: 'none' } });
    return [await get('a'), await get('b'), await get('c')];
  });
  expect(captures.map((capture) => capture.ok)).toEqual([true, true, true]);
});

test('a host that nobody listens for is refused', async () => {
  const fetcher = fetcherFor(undefined, { connectTo: parseConnectTo([`*=${NOBODY}`]) });
  expect(await getOne(fetcher)).toMatchObject({
    failure: { code: 'refused', detail: 'the connection was refused (ECONNREFUSED)' },
  });
});

test('a name without an address is a dns failure', async () => {
  const resolver = () =>
    Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }));
  expect(await getOne(fetcherFor(undefined, { resolver }))).toMatchObject({
    failure: { code: 'dns', detail: 'the host name has no address (ENOTFOUND)' },
  });
  expect(await getOne(fetcherFor(undefined, { resolver: async () => [] }))).toMatchObject({
    failure: { code: 'dns' },
  });
});

test.each([
  [16, { ok: true, status: 200 }],
  [
    17,
    {
      failure: { code: 'protocol', detail: 'more than 16 interim responses' },
    },
  ],
])('%i interim answers, which no bound on bytes would end', async (count, expected) => {
  const server = await web((_request, response) => {
    response.socket?.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(count));
    response.end(JSON_TEXT);
  });
  expect(await getOne(fetcherFor(server))).toMatchObject(expected);
});

describe('a large body', () => {
  const text = JSON.stringify({ texts: Array.from({ length: 60_000 }, (_, at) => `${at * 7_919}.example`) });

  it.each([
    ['as it is', (sent: string) => ({ sent: Buffer.from(sent), headers: {} })],
    ['packed', (sent: string) => ({ sent: gzipSync(sent), headers: { 'content-encoding': 'gzip' } })],
  ])(
    'waits for room, %s, while the deadline stands still, and holds no more than it is',
    async (_how, packed) => {
      const { sent, headers } = packed(text);
      const server = await web((_request, response) => response.writeHead(200, headers).end(sent));
      const held = { bytes: 0, asked: 0 };
      const room = {
        take: async (bytes: number): Promise<void> => {
          held.asked += 1;
          if (held.asked === 1) await new Promise((resolve) => setTimeout(resolve, 2_100));
          held.bytes += bytes;
        },
        give: (bytes: number): void => {
          held.bytes -= bytes;
        },
      };
      const capture = await fetcherFor(server).visit(
        { host: 'news.example', deadlineMs: 2_000, room },
        (visit) =>
          visit.get({ url: 'https://news.example/file', maxBytes: 5 << 20, redirects: { allow: 'none' } }),
      );
      expect(capture).toMatchObject({ ok: true, body: Buffer.from(text) });
      expect(held.asked).toBeGreaterThan(0);
      expect(held.bytes).toBeGreaterThanOrEqual(text.length - (64 << 10));
      expect(held.bytes).toBeLessThan(text.length + (2 << 20));
    },
  );

  it('that is small asks for nothing', async () => {
    const server = await web((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(JSON_TEXT)),
    );
    const room = { take: () => Promise.reject(new Error('asked')), give: () => {} };
    const options = { host: 'news.example', deadlineMs: 5_000, room };
    const capture = await fetcherFor(server).visit(options, (visit) =>
      visit.get({ url: 'https://news.example/file', maxBytes: 5 << 20, redirects: { allow: 'none' } }),
    );
    expect(capture).toMatchObject({ ok: true, body: Buffer.from(JSON_TEXT) });
  });
});
