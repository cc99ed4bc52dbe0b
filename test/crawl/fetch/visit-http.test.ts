import type { RequestListener } from 'node:http';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, test } from 'vitest';
import { type Connector, systemConnector } from '../../../src/crawl/fetch/connect.ts';
import { parseConnectTo } from '../../../src/crawl/fetch/connect-to.ts';
import type { FetcherOptions } from '../../../src/crawl/fetch/fetcher.ts';
import type { Visit } from '../../../src/ports/fetcher.ts';
import { fetcherFor, serve, visiting, type Web } from './web.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
});

async function web(listener: RequestListener, options?: Parameters<typeof serve>[1]): Promise<Web> {
  const started = await serve(listener, options);
  ends.push(() => started.close());
  return started;
}

/** Every socket that a fetcher opens, and how many were open at once at most. */
function countingConnector() {
  const sockets: Socket[] = [];
  let most = 0;
  const connector: Connector = (dial) => {
    const socket = systemConnector(dial);
    sockets.push(socket);
    most = Math.max(most, sockets.filter((one) => !one.destroyed).length);
    return socket;
  };
  return { connector, sockets, most: () => most };
}

const file = (path: string, host = 'news.example') =>
  ({ url: `https://${host}${path}`, maxBytes: 1 << 20, redirects: { allow: 'none' } }) as const;

test('the files of a visit come over one connection', async () => {
  const server = await web((_request, response) => response.end('{}'), { robots: true });
  await visiting(fetcherFor(server), async (visit) => {
    for (const path of ['/a', '/b', '/c']) expect(await visit.get(file(path))).toMatchObject({ ok: true });
  });
  expect(server.seen).toHaveLength(4);
  expect(server.connections()).toBe(1);
});

test('a visit never has more than two connections, over all its origins', async () => {
  const server = await web((request, response) => {
    if (request.url === '/stream') response.writeHead(200).write('open');
    else response.end(request.headers.host);
  });
  const { connector, most } = countingConnector();
  const fetcher = fetcherFor(server, { connector });
  const texts = await visiting(fetcher, async ({ fetch }) => {
    await (await fetch('http://a.news.example/')).text();
    const open = fetch('http://a.news.example/stream');
    const asked = ['a', 'b', 'c', 'a'].map(async (name) =>
      (await fetch(`http://${name}.news.example/`)).text(),
    );
    const answers = await Promise.all(asked);
    await (await open).body?.cancel();
    return answers;
  });
  expect(texts).toEqual(['a', 'b', 'c', 'a'].map((name) => `${name}.news.example`));
  expect(most()).toBe(2);
});

test('answers that nobody reads do not keep their connections', async () => {
  const server = await web((request, response) => response.end(request.url));
  const statuses = await visiting(fetcherFor(server), async ({ fetch }) => {
    const paths = ['/a', '/b', '/c', '/d'];
    return Promise.all(paths.map(async (path) => (await fetch(`https://news.example${path}`)).status));
  });
  expect(statuses).toEqual([200, 200, 200, 200]);
});

test('calls that are aborted while they connect leave the connections to others', async () => {
  const server = await web((_request, response) => response.end('{}'));
  const { port } = new URL(server.origin);
  const silent = '93.184.216.35';
  const connector: Connector = (dial) => {
    if (dial.address === silent) return new Socket(); // never connects, and never leaves this machine
    const socket = systemConnector({ address: '127.0.0.1', port: Number(port) });
    return Object.defineProperty(socket, 'remoteAddress', { get: () => dial.address });
  };
  const resolver = async (host: string) => [host.startsWith('silent') ? silent : '93.184.216.34'];
  const fetcher = fetcherFor(undefined, { connector, resolver });
  const statuses = await visiting(fetcher, async ({ fetch }) => {
    for (const path of ['/a', '/b']) {
      const given = new AbortController();
      const call = fetch(`http://silent.news.example${path}`, { signal: given.signal }).catch(
        () => 'aborted',
      );
      setTimeout(() => given.abort(), 50);
      expect(await call).toBe('aborted');
    }
    return (await fetch('http://good.news.example/')).status;
  });
  expect(statuses).toBe(200);
});

test('an answer is read to its end after the visit, when all of it had arrived', async () => {
  const server = await web((_request, response) => response.end('whole'));
  const response = await visiting(fetcherFor(server), async ({ fetch }) => {
    const answer = await fetch('https://news.example/');
    await (await fetch('https://news.example/again')).text();
    return answer;
  });
  expect(await response.text()).toBe('whole');
});

test('a stream that is left during a read is closed', async () => {
  const closed = Promise.withResolvers<void>();
  const server = await web((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    response.once('close', closed.resolve);
  });
  await visiting(fetcherFor(server), async ({ fetch }) => {
    const reader = (await fetch('https://news.example/sse')).body?.getReader();
    const read = reader?.read();
    await reader?.cancel();
    expect(await read).toEqual({ done: true, value: undefined });
    await closed.promise;
  });
});

test('compressed data that never becomes a body ends at the limit of received bytes', async () => {
  const empty = gzipSync('');
  const server = await web((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    const more = () => {
      while (!response.destroyed && response.write(Buffer.concat(Array.from({ length: 500 }, () => empty))));
    };
    response.on('drain', more);
    more();
  });
  const reading = visiting(fetcherFor(server, { maxResponseBytes: 100_000 }), async ({ fetch }) =>
    (await fetch('https://news.example/')).text(),
  );
  await expect(reading).rejects.toMatchObject({
    failure: { code: 'too_large', detail: 'the body is larger than 100000 bytes' },
  });
});

test('a body that waits for room ends with its visit', async () => {
  const server = await web((_request, response) => response.end(Buffer.alloc(200_000)));
  const stop = new AbortController();
  const room = {
    take: () => {
      setImmediate(() => stop.abort());
      return new Promise<void>(() => {});
    },
    give: () => {},
  };
  const options = { host: 'news.example', deadlineMs: 5_000, room, signal: stop.signal };
  expect(await fetcherFor(server).visit(options, (visit) => visit.get(file('/file')))).toMatchObject({
    failure: { code: 'interrupted' },
  });
});

test('a body that waits for room many times leaves no listener behind', async () => {
  const server = await web((_request, response) => response.end(Buffer.alloc(20 << 20)));
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on('warning', onWarning);
  let turns = 0;
  const room = {
    take: async () => {
      turns += 1;
    },
    give: () => {},
  };
  const options = { host: 'news.example', deadlineMs: 15_000, room };
  const capture = await fetcherFor(server).visit(options, (visit) =>
    visit.get({ ...file('/file'), maxBytes: 20 << 20 }),
  );
  process.off('warning', onWarning);
  expect(capture).toMatchObject({ ok: true, status: 200 });
  expect(turns).toBeGreaterThan(10);
  expect(warnings).toEqual([]);
});

describe('a visit that is stopped leaves no connection', () => {
  interface World {
    readonly options: Partial<FetcherOptions>;
    /** Resolves in the phase in which the visit is to be stopped. */
    readonly reached: Promise<unknown>;
    /** Connections that the other side still has. */
    readonly open: () => number;
  }

  /** Servers on loopback that count the connections they have. */
  async function tcp(scheme: string, answer: (socket: Socket) => void): Promise<World> {
    const open = new Set<Socket>();
    const reached = Promise.withResolvers<void>();
    const server = createServer((socket) => {
      open.add(socket.on('error', () => {}).on('close', () => open.delete(socket)));
      socket.once('data', () => {
        answer(socket);
        setTimeout(reached.resolve, 20); // the answer is on its way to the visit
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ends.push(() => new Promise((resolve) => server.close(resolve)));
    const { port } = server.address() as AddressInfo;
    const connectTo = parseConnectTo([`*=${scheme}://127.0.0.1:${port}`]);
    return { options: { connectTo }, reached: reached.promise, open: () => open.size };
  }

  function unconnected(): World {
    const reached = Promise.withResolvers<void>();
    const sockets: Socket[] = [];
    const connector: Connector = () => {
      reached.resolve();
      const socket = new Socket();
      sockets.push(socket);
      return socket;
    };
    return {
      options: { connector, resolver: async () => ['93.184.216.34'] },
      reached: reached.promise,
      open: () => sockets.filter((socket) => !socket.destroyed).length,
    };
  }

  function unresolved(): World {
    const reached = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<readonly string[]>();
    const resolver = (): Promise<readonly string[]> => {
      reached.resolve();
      return answer.promise;
    };
    let dials = 0;
    const connector: Connector = () => {
      dials += 1;
      return new Socket();
    };
    const open = (): number => {
      answer.resolve(['93.184.216.34']);
      return dials;
    };
    return { options: { resolver, connector }, reached: reached.promise, open };
  }

  const head = (...headers: string[]) => ['HTTP/1.1 200 OK', ...headers, '', ''].join('\r\n');
  const phases: readonly (readonly [string, () => World | Promise<World>])[] = [
    ['the look-up', unresolved],
    ['the connection', unconnected],
    ['the handshake', () => tcp('https', () => {})],
    ['the wait for an answer', () => tcp('http', () => {})],
    ['the head', () => tcp('http', (socket) => socket.write('HTTP/1.1 200 OK\r\nx: '))],
    ['the body', () => tcp('http', (socket) => socket.write(`${head('content-length: 100')}{`))],
    [
      'a compressed body',
      () =>
        tcp('http', (socket) => {
          socket.write(head('content-length: 100000', 'content-encoding: gzip'));
          socket.write(gzipSync(Buffer.alloc(50_000)).subarray(0, 40));
        }),
    ],
    [
      'an answer that is complete',
      () => tcp('http', (socket) => socket.write(`${head('content-length: 2')}{}`)),
    ],
  ];
  const works: readonly (readonly [string, (visit: Visit) => Promise<unknown>])[] = [
    ['of a file', (visit) => visit.get(file('/file'))],
    ['of a call', async (visit) => (await visit.fetch('https://news.example/mcp')).text()],
    ['of three calls', (visit) => Promise.all([1, 2, 3].map(() => visit.fetch('https://news.example/mcp')))],
  ];
  const cases = phases.flatMap(([phase, world]) =>
    works.flatMap(([what, work]) =>
      (['by its signal', 'by the end of its work'] as const).map(
        (how) => [phase, what, how, world, work] as const,
      ),
    ),
  );

  it.each(cases)('during %s %s, %s', async (_phase, _what, how, world, work) => {
    const { options, reached, open } = await world();
    const stop = new AbortController();
    const bounds = { host: 'news.example', deadlineMs: 15_000, signal: stop.signal };
    await fetcherFor(undefined, options).visit(bounds, async (visit) => {
      const done = work(visit).catch((error: unknown) => error);
      await reached;
      if (how === 'by the end of its work') return;
      stop.abort();
      await done;
    });
    await expect.poll(open).toBe(0);
  });

  it.each(phases.slice(0, 7))("of a call by the caller's signal, during %s", async (_phase, world) => {
    const { options, reached, open } = await world();
    await visiting(fetcherFor(undefined, options), async ({ fetch }) => {
      const stop = new AbortController();
      const done = fetch('https://news.example/mcp', { signal: stop.signal })
        .then((response) => response.text())
        .catch((error: unknown) => error);
      await reached;
      stop.abort();
      expect(await done).toBeInstanceOf(Error);
    });
    await expect.poll(open).toBe(0);
  });
});
