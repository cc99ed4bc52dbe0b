import { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { Dial } from '../../../src/crawl/fetch/connect.ts';
import { parseConnectTo } from '../../../src/crawl/fetch/connect-to.ts';
import { FetchGuardError } from '../../../src/crawl/fetch/failure.ts';
import { ProvenOrigin } from '../../../src/domain/proven-origin.ts';
import { LOOPBACK_SPELLINGS, PRIVATE_SPELLINGS } from './addresses.ts';
import { fetcherFor, getOne, serve, visiting, type Web } from './web.ts';

let web: Web;
beforeAll(async () => {
  web = await serve((_request, response) => response.end('reached'));
});
afterAll(() => web.close());

/** A world in which every name has the given addresses and no connection may be tried. */
function closedWorld(addresses: readonly string[]) {
  const dials: Dial[] = [];
  const connector = (dial: Dial) => {
    dials.push(dial);
    return new Socket().destroy(new Error('a connection was tried'));
  };
  const asked: string[] = [];
  const resolver = async (host: string) => {
    asked.push(host);
    return addresses;
  };
  return {
    dials,
    asked,
    fetcher: fetcherFor(undefined, {
      connector,
      resolver,
      rates: { 'news.example': { requestsPerSecond: 1_000 } },
    }),
  };
}

async function callFailure(fetcher: ReturnType<typeof fetcherFor>, url: string): Promise<unknown> {
  return visiting(fetcher, (visit) => visit.fetch(url)).then(
    () => 'answered',
    (error: unknown) => (error instanceof FetchGuardError ? error.failure.code : error),
  );
}

describe('a listener on loopback sees no connection', () => {
  it.each(LOOPBACK_SPELLINGS)('https and http to %s', async (host) => {
    const fetcher = fetcherFor(undefined);
    const capture = await getOne(fetcher, { url: `https://${host}:${web.port}/file` });
    expect(capture).toMatchObject({ ok: false, failure: { code: 'blocked' } });
    expect(await callFailure(fetcherFor(undefined), `http://${host}:${web.port}/mcp`)).toBe('blocked');
    expect(web.connections()).toBe(0);
  });
});

describe('a private address in any spelling is not even tried', () => {
  it.each(PRIVATE_SPELLINGS)('%s', async (host) => {
    const world = closedWorld([]);
    const capture = await getOne(world.fetcher, { url: `https://${host}/file` });
    expect(capture).toMatchObject({ ok: false, failure: { code: 'blocked' } });
    expect(await callFailure(closedWorld([]).fetcher, `http://${host}:8080/mcp`)).toBe('blocked');
    expect(world).toMatchObject({ dials: [], asked: [] });
  });
});

describe('a name is not dialled when one of its addresses is bad', () => {
  it.each([
    [['10.0.0.1']],
    [['93.184.216.34', '10.0.0.1']],
    [['127.0.0.1', '93.184.216.34']],
    [['2606:4700:4700::1111', 'fe80::1']],
    [['93.184.216.34', '::ffff:93.184.216.34']],
    [['93.184.216.34', 'fe80::1%eth0']],
  ])('%j', async (addresses) => {
    const { fetcher, dials } = closedWorld(addresses);
    const capture = await getOne(fetcher);
    expect(capture).toMatchObject({ ok: false, failure: { code: 'blocked' } });
    expect(dials).toEqual([]);
  });
});

test('a name is looked up once in a visit, though robots.txt and two files are asked', async () => {
  const { fetcher, asked } = closedWorld(['10.0.0.1']);
  await visiting(fetcher, async (visit) => {
    for (const path of ['a', 'b'])
      await visit.get({ url: `https://news.example/${path}`, maxBytes: 9, redirects: { allow: 'none' } });
  });
  expect(asked).toEqual(['news.example']);
});

describe('a url that the guard does not accept', () => {
  it.each([
    ['http://news.example/file', 'the scheme http is not allowed here'],
    ['ftp://news.example/file', 'the scheme ftp is not allowed here'],
    ['file:///etc/passwd', 'the scheme file is not allowed here'],
    ['https://user@news.example/file', 'a user name or password in the URL is not accepted'],
    ['https://user:secret@news.example/file', 'a user name or password in the URL is not accepted'],
    ['https://news.example:22/file', 'the port 22 is not allowed'],
    ['https://news.example:25/file', 'the port 25 is not allowed'],
    [`https://${'h.'.repeat(124)}example/file`, 'the host is not a valid name or address'],
    ['https://news..example/file', 'the host is not a valid name or address'],
    ['https://news.example../file', 'the host is not a valid name or address'],
    ['https://news.example:6667/file', 'the port 6667 is not allowed'],
    ['not a url', 'the URL is not valid'],
    ['https://', 'the URL is not valid'],
    ['https://[fe80::1%25eth0]/', 'the URL is not valid'],
    ['https://1.2.3.4.5/', 'the URL is not valid'],
  ])('%s', async (url, detail) => {
    const { fetcher, dials, asked } = closedWorld(['93.184.216.34']);
    expect(await getOne(fetcher, { url })).toMatchObject({ ok: false, failure: { code: 'blocked', detail } });
    expect({ dials, asked }).toEqual({ dials: [], asked: [] });
  });
});

test('only the opened origin is open, only in its visit, and only for calls', async () => {
  const fetcher = fetcherFor(undefined);
  const other = await serve((_request, response) => response.end('other'));
  const options = { host: '127.0.0.1', deadlineMs: 5_000, openOrigin: `${web.origin}/mcp` };
  await fetcher.visit(options, async (visit) => {
    expect(await (await visit.fetch(`${web.origin}/mcp`)).text()).toBe('reached');
    await expect(visit.fetch(`${other.origin}/mcp`)).rejects.toMatchObject({ failure: { code: 'blocked' } });
    await expect(visit.fetch(`http://localhost:${web.port}/mcp`)).rejects.toMatchObject({
      failure: { code: 'blocked' },
    });
  });
  expect(await callFailure(fetcher, `${web.origin}/mcp`)).toBe('blocked');
  expect(other.connections()).toBe(0);
  await other.close();
});

test('what is named elsewhere is one origin more, under the same guard, and opens nothing else', async () => {
  const fetcher = fetcherFor(undefined, { connectTo: parseConnectTo([`*.example=${web.origin}`]) });
  const origin = ProvenOrigin.of('https://a.example/mcp');
  await fetcher.visit({ host: 'a.example', deadlineMs: 5_000, origin }, async ({ fetch, elsewhere }) => {
    const auth = elsewhere(ProvenOrigin.of('https://auth.example/token'));
    expect(await (await auth('https://auth.example/mcp')).text()).toBe('reached');
    expect(await (await fetch('https://a.example/mcp')).text()).toBe('reached');
    const refused = [
      fetch('https://auth.example/mcp'),
      auth('https://a.example/mcp'),
      auth('https://other.example/mcp'),
      auth('https://auth.example:8443/mcp'),
      auth('http://auth.example/mcp'),
    ];
    for (const one of refused) await expect(one).rejects.toMatchObject({ failure: { code: 'origin' } });
    for (const address of ['10.0.0.1', '127.0.0.1', '169.254.169.254', '[::1]'])
      await expect(
        elsewhere(ProvenOrigin.of(`https://${address}/`))(`https://${address}/`),
      ).rejects.toMatchObject({ failure: { code: 'blocked' } });
  });
});

test('localhost can be opened, on whichever loopback address it listens', async () => {
  const fetcher = fetcherFor(undefined);
  const origin = `http://localhost:${web.port}`;
  const text = await fetcher.visit(
    { host: 'localhost', deadlineMs: 5_000, openOrigin: origin },
    async (visit) => (await visit.fetch(`${origin}/mcp`)).text(),
  );
  expect(text).toBe('reached');
});

test.each([
  'http://10.0.0.1',
  'http://169.254.169.254',
  'http://news.example',
  'http://localhost.evil.example',
  'ftp://127.0.0.1',
])('an origin that is not loopback opens nothing: %s', async (openOrigin) => {
  const { fetcher, dials } = closedWorld(['10.0.0.1']);
  await fetcher.visit({ host: 'news.example', deadlineMs: 5_000, openOrigin }, async (visit) => {
    await expect(visit.fetch(`${openOrigin}/mcp`)).rejects.toMatchObject({ failure: { code: 'blocked' } });
  });
  expect(dials).toEqual([]);
});

test('a redirect to a private or loopback address is not followed', async () => {
  const targets = [
    `http://127.0.0.1:${web.port}/`,
    'https://10.0.0.1/',
    'https://[::1]/',
    'https://169.254.169.254/latest',
  ];
  const opened = await serve((request, response) => {
    response.writeHead(302, { location: targets[Number(request.url?.slice(1))] ?? '' }).end();
  });
  const before = web.connections();
  const { fetcher, dials } = closedWorldBut(opened);
  for (const index of targets.keys())
    expect(await callFailure(fetcher, `https://news.example/${index}`)).toMatch(/^(redirect|blocked)$/);
  expect({ dials, connections: web.connections() }).toEqual({ dials: [], connections: before });
  await opened.close();
});

/** news.example is mapped to the web, everything else is closed. */
function closedWorldBut(mapped: Web) {
  const dials: Dial[] = [];
  const connector = (dial: Dial) => {
    if (dial.port !== mapped.port) dials.push(dial);
    return new Socket().connect(dial.port, dial.address);
  };
  const connectTo = [{ pattern: 'news.example', target: new URL(mapped.origin) }];
  return { dials, fetcher: fetcherFor(undefined, { connector, connectTo }) };
}

test('a redirect inside the domain to a name with a private address is blocked', async () => {
  const opened = await serve((_request, response) => {
    response.writeHead(302, { location: 'https://inside.news.example/file' }).end();
  });
  const connectTo = [{ pattern: 'news.example', target: new URL(opened.origin) }];
  const fetcher = fetcherFor(undefined, { connectTo, resolver: async () => ['10.0.0.1'] });
  const capture = await getOne(fetcher, { redirects: { allow: 'same_registrable_domain', max: 3 } });
  expect(capture).toMatchObject({
    ok: false,
    finalUrl: 'https://inside.news.example/file',
    trail: [{ url: 'https://news.example/file', status: 302, location: 'https://inside.news.example/file' }],
    failure: {
      code: 'blocked',
      detail: 'inside.news.example is not contacted: 10.0.0.1 is a private address',
    },
  });
  await opened.close();
});

test('proxy variables of the environment play no part', async () => {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
  const before = new Map(names.map((name) => [name, process.env[name]]));
  const connections = web.connections();
  for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : web.origin;
  try {
    const { fetcher, dials } = closedWorld(['93.184.216.34']);
    await getOne(fetcher);
    expect(dials[0]).toMatchObject({ address: '93.184.216.34', port: 443 });
    expect(web.connections()).toBe(connections);
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
});

describe('a forbidden address waits for nobody', () => {
  const file = (url: string) => ({ url, maxBytes: 100, redirects: { allow: 'none' } }) as const;

  it('is refused while another visit has its turn', async () => {
    const { fetcher, dials } = closedWorld([]);
    const bounds = { host: '10.0.0.1', deadlineMs: 15_000 };
    const first = Promise.withResolvers<void>();
    const held = fetcher.visit(bounds, () => first.promise);
    const second = fetcher.visit({ ...bounds, host: '[::1]' }, (visit) => visit.get(file('https://[::1]/')));
    const third = fetcher.visit(bounds, (visit) => visit.get(file('https://10.0.0.1/')));
    expect(await Promise.all([second, third])).toMatchObject([
      { ok: false, failure: { code: 'blocked' } },
      { ok: false, failure: { code: 'blocked' } },
    ]);
    first.resolve();
    await held;
    expect(dials).toEqual([]);
  });

  it('is refused before a request to a foreign domain books its turn', async () => {
    const { fetcher, asked } = closedWorld([]);
    const results = await visiting(fetcher, async (visit) => {
      const one = await visit.get(file('https://192.168.0.1/'));
      return [one, await visit.get(file('https://192.168.0.1/again'))];
    });
    for (const result of results) expect(result).toMatchObject({ ok: false, failure: { code: 'blocked' } });
    expect(asked).toEqual([]);
  });
});
