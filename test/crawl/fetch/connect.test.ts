import { Socket } from 'node:net';
import { afterEach, describe, expect, it, test, vi } from 'vitest';
import { type Connector, type Dial, dialRoute, systemConnector } from '../../../src/crawl/fetch/connect.ts';
import { parseConnectTo } from '../../../src/crawl/fetch/connect-to.ts';
import { FetchGuardError } from '../../../src/crawl/fetch/failure.ts';
import { createFetcher } from '../../../src/crawl/fetch/fetcher.ts';
import { fetcherFor, getOne, serve, TEST_USER_AGENT, visiting, type Web } from './web.ts';

const webs: Web[] = [];
afterEach(async () => {
  await Promise.all(webs.splice(0).map((web) => web.close()));
});

async function web(options?: Parameters<typeof serve>[1]): Promise<Web> {
  const started = await serve((_request, response) => response.end('{}'), options);
  webs.push(started);
  return started;
}

/** Public addresses led to a server on loopback; the socket says the peer that `peer` says. */
function worldOf(server: Web, dead: readonly string[], peer: (dial: Dial) => string) {
  const dials: string[] = [];
  const connector: Connector = (dial) => {
    dials.push(dial.address);
    if (dead.includes(dial.address)) {
      const error = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      return new Socket().destroy(error);
    }
    const socket = systemConnector({ address: '127.0.0.1', port: server.port });
    return Object.defineProperty(socket, 'remoteAddress', { get: () => peer(dial) });
  };
  const resolver = async () => ['93.184.216.34', '2606:4700:4700::1111', '1.1.1.1'];
  return { dials, fetcher: fetcherFor(undefined, { connector, resolver }) };
}

function callText(fetcher: ReturnType<typeof fetcherFor>): Promise<string> {
  return visiting(fetcher, async (visit) => (await visit.fetch('http://news.example/mcp')).text());
}

test('the first vetted address is dialled and no other', async () => {
  const { fetcher, dials } = worldOf(await web(), [], (dial) => dial.address);
  expect(await callText(fetcher)).toBe('{}');
  expect(dials).toEqual(['93.184.216.34']);
});

test('an address that refuses gives way to the next vetted one', async () => {
  const { fetcher, dials } = worldOf(await web(), ['93.184.216.34'], (dial) => dial.address);
  expect(await callText(fetcher)).toBe('{}');
  expect(dials).toEqual(['93.184.216.34', '2606:4700:4700::1111']);
});

test('when all refuse, the failure is refused, and a call dials the dead host once more in the visit', async () => {
  const all = ['93.184.216.34', '2606:4700:4700::1111', '1.1.1.1'];
  const { fetcher, dials } = worldOf(await web(), all, (dial) => dial.address);
  await visiting(fetcher, async (visit) => {
    for (const path of ['a', 'b', 'c'])
      await expect(visit.fetch(`http://news.example/${path}`)).rejects.toMatchObject({
        failure: { code: 'refused', detail: 'the connection was refused (ECONNREFUSED)' },
      });
  });
  expect(dials).toEqual([...all, ...all]);
});

test.each([
  ['a host that refused is dialled once more for a call, and reached when it is back', 'refused'],
  ['a name that could not be looked up is asked for once more for a call', 'dns'],
])('%s', async (_name, first) => {
  const server = await web();
  let isDown = true;
  const connector: Connector = () =>
    isDown && first === 'refused'
      ? new Socket().destroy(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))
      : Object.defineProperty(systemConnector({ address: '127.0.0.1', port: server.port }), 'remoteAddress', {
          get: () => '1.1.1.1',
        });
  const resolver = async () => {
    if (isDown && first === 'dns') throw FetchGuardError.temporary('the name server failed (ESERVFAIL)');
    return ['1.1.1.1'];
  };
  const texts = await visiting(fetcherFor(undefined, { connector, resolver }), async (visit) => {
    await expect(visit.fetch('http://news.example/mcp')).rejects.toMatchObject({ failure: { code: first } });
    isDown = false;
    return (await visit.fetch('http://news.example/mcp')).text();
  });
  expect(texts).toBe('{}');
});

test('an address that does not answer gives way to the next one after a while', async () => {
  vi.useFakeTimers();
  const dials: string[] = [];
  const connector: Connector = ({ address }) => {
    dials.push(address);
    const socket = new Socket();
    if (dials.length > 1) queueMicrotask(() => socket.emit('connect'));
    return socket;
  };
  const route = { addresses: ['93.184.216.34', '1.1.1.1'], port: 80, comparePeer: false };
  const dialling = dialRoute(route, 'news.example', connector, new Set());
  await vi.advanceTimersByTimeAsync(60_000);
  const socket = await dialling;
  await vi.advanceTimersByTimeAsync(600_000); // a timer that was forgotten would end it, or dial again
  expect({ dials, destroyed: socket.destroyed }).toEqual({
    dials: ['93.184.216.34', '1.1.1.1'],
    destroyed: false,
  });
  vi.useRealTimers();
});

test('a peer with another address than the vetted one gets no request', async () => {
  const server = await web();
  const { fetcher } = worldOf(server, [], () => '127.0.0.1');
  await expect(callText(fetcher)).rejects.toMatchObject({
    failure: {
      code: 'blocked',
      detail: 'the connection reached another address than the vetted 93.184.216.34',
    },
  });
  expect(server.seen).toEqual([]);
});

test('a peer printed as mapped is the same peer', async () => {
  const { fetcher } = worldOf(await web(), [], (dial) => `::ffff:${dial.address}`);
  expect(await callText(fetcher)).toBe('{}');
});

describe('a mapped host', () => {
  it('is asked under its logical name, over plain http or tls, with no look-up', async () => {
    for (const tls of [false, true]) {
      const server = await web({ tls });
      const fetcher = fetcherFor(server, { resolver: () => Promise.reject(new Error('a look-up was made')) });
      const capture = await getOne(fetcher);
      expect(capture).toMatchObject({ ok: true, status: 200, finalUrl: 'https://news.example/file' });
      expect(server.seen).toEqual(['GET news.example /file']);
    }
  });

  it('keeps its logical port in the host header and its https rule', async () => {
    const server = await web();
    const fetcher = fetcherFor(server);
    await getOne(fetcher, { url: 'https://news.example:8443/file' });
    expect(server.seen).toEqual(['GET news.example:8443 /file']);
    expect(await getOne(fetcher, { url: 'http://news.example/file' })).toMatchObject({
      failure: { code: 'blocked' },
    });
  });

  it('may lead to a target with a name', async () => {
    const server = await web();
    const fetcher = fetcherFor(undefined, {
      connectTo: parseConnectTo([`news.example=http://localhost:${server.port}`]),
    });
    expect(await getOne(fetcher)).toMatchObject({ ok: true, status: 200 });
  });
});

describe('a certificate', () => {
  it('of an unknown authority is a tls failure, whatever the environment says', async () => {
    const server = await web({ tls: true });
    const connectTo = parseConnectTo([`*=${server.origin}`]);
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      const fetcher = createFetcher({ clock: { now: Date.now }, userAgent: TEST_USER_AGENT, connectTo });
      expect(await getOne(fetcher)).toMatchObject({ ok: false, failure: { code: 'tls' } });
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
    expect(server.seen).toEqual([]);
  });

  it('for another name is a tls failure', async () => {
    const capture = await getOne(fetcherFor(await web({ tls: true })), { url: 'https://other.example/file' });
    expect(capture).toMatchObject({
      failure: {
        code: 'tls',
        detail: 'the certificate is for another host name (ERR_TLS_CERT_ALTNAME_INVALID)',
      },
    });
  });

  it.each([
    ['news.example', true],
    ['www.news.example', true],
    ['a.www.news.example', false],
    ['localhost', true],
    ['127.0.0.1', true],
    ['127.0.0.2', false],
    ['[::1]', false],
    ['newsxexample', false],
    ['bench.example', false],
    ['one.bench.example', true],
  ])('fits %s: %j', async (host, fits) => {
    const capture = await getOne(fetcherFor(await web({ tls: true })), { url: `https://${host}/file` });
    expect(capture.ok).toBe(fits);
  });

  it('file without a certificate is a usage error', () => {
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
    for (const ca of ['', 'not pem', broken])
      expect(() => fetcherFor(undefined, { ca })).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});

describe('the groups of a handshake', () => {
  it('have a key for later days where something may be secret, and none for a file', async () => {
    const fetcher = fetcherFor(await web({ tls: true, ecdhCurve: 'X25519MLKEM768' }));
    await visiting(fetcher, async (visit) => {
      expect((await visit.fetch('https://news.example/mcp')).status).toBe(200);
      const file = { url: 'https://news.example/file', maxBytes: 100, redirects: { allow: 'none' } } as const;
      expect(await visit.get(file)).toMatchObject({ failure: { code: 'tls' } });
    });
  });

  it.each(['X25519', 'prime256v1', 'secp384r1', 'secp521r1', 'X448'])(
    'have %s for a file and for a call',
    async (ecdhCurve) => {
      const fetcher = fetcherFor(await web({ tls: true, ecdhCurve }));
      expect(await getOne(fetcher)).toMatchObject({ status: 200 });
      const status = visiting(
        fetcher,
        async (visit) => (await visit.fetch('https://news.example/mcp')).status,
      );
      expect(await status).toBe(200);
    },
  );
});

test('a server that does not speak tls is a tls failure', async () => {
  const server = await web();
  const fetcher = fetcherFor(undefined, {
    connectTo: parseConnectTo([`*=https://127.0.0.1:${server.port}`]),
  });
  expect(await getOne(fetcher)).toMatchObject({ ok: false, failure: { code: 'tls' } });
});
