import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, test } from 'vitest';
import { FetchGuardError } from '../../../src/crawl/fetch/failure.ts';
import type { FetcherOptions } from '../../../src/crawl/fetch/fetcher.ts';
import type { GuardedFetch } from '../../../src/ports/fetcher.ts';
import { fetcherFor, serve, visiting, type Web } from './web.ts';

const webs: Web[] = [];
afterEach(async () => {
  await Promise.all(webs.splice(0).map((web) => web.close()));
});

async function web(listener: RequestListener, options?: Parameters<typeof serve>[1]): Promise<Web> {
  const started = await serve(listener, options);
  webs.push(started);
  return started;
}

function calling<T>(
  server: Web,
  work: (fetch: GuardedFetch) => Promise<T>,
  options?: Partial<FetcherOptions>,
  deadlineMs?: number,
): Promise<T> {
  return visiting(fetcherFor(server, options), (visit) => work(visit.fetch), deadlineMs);
}

test('a call carries method, headers and body, and the answer is a Response', async () => {
  const server = await web((request, response) => {
    response.writeHead(201, 'Made', { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] });
    request.pipe(response);
  });
  await calling(server, async (fetch) => {
    const headers = {
      authorization: 'Bearer t',
      'content-type': 'application/json',
      host: 'evil.example',
      'user-agent': 'other',
    };
    const response = await fetch('https://news.example/mcp?x=1#y', {
      method: 'POST',
      headers,
      body: '{"a":1}',
    });
    expect(response).toMatchObject({
      status: 201,
      statusText: 'Made',
      ok: true,
      url: 'https://news.example/mcp?x=1',
      redirected: false,
    });
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(await response.json()).toEqual({ a: 1 });
  });
  expect(server.requests[0]?.headers).toMatchObject({
    host: 'news.example',
    authorization: 'Bearer t',
    'user-agent': 'agent-registry/0.1 (+https://registry.example/us)',
    'content-length': '7',
  });
});

test.each([
  [new URLSearchParams({ a: '1' }), 'a=1'],
  [new TextEncoder().encode('bytes'), 'bytes'],
  [new Blob(['blob']), 'blob'],
])('a body of any kind arrives: %s', async (body, text) => {
  const server = await web((request, response) => request.pipe(response));
  expect(
    await calling(server, async (fetch) =>
      (await fetch('https://news.example/', { method: 'POST', body })).text(),
    ),
  ).toBe(text);
});

test('an event stream is readable while it is still open, and can be left', async () => {
  let closed: () => void = () => {};
  const leaving = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const server = await web((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    response.once('close', closed);
  });
  await calling(server, async (fetch) => {
    const reader = (await fetch('https://news.example/sse')).body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 1\n\n');
    await reader?.cancel();
    await leaving;
  });
});

test('a compressed event stream is decoded as it comes', async () => {
  const server = await web((_request, response) => {
    response
      .writeHead(200, { 'content-encoding': 'gzip', 'content-length': gzipSync('data: 1\n\n').length })
      .end(gzipSync('data: 1\n\n'));
  });
  await calling(server, async (fetch) => {
    const response = await fetch('https://news.example/sse');
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(await response.text()).toBe('data: 1\n\n');
  });
});

test('two calls run at the same time over two connections, a third waits for one of them', async () => {
  const server = await web((request, response) => {
    if (request.url === '/stream') response.writeHead(200).write('open');
    else response.end(request.url);
  });
  await calling(server, async (fetch) => {
    await fetch('https://news.example/stream');
    const texts = ['/a', '/b', '/c'].map(async (path) => (await fetch(`https://news.example${path}`)).text());
    expect(await Promise.all(texts)).toEqual(['/a', '/b', '/c']);
  });
  expect(server.connections()).toBe(2);
});

test('a visit to several origins keeps to two connections', async () => {
  const open = new Set<object>();
  let most = 0;
  const server = await web((request, response) => {
    open.add(request.socket.once('close', () => open.delete(request.socket)));
    most = Math.max(most, open.size);
    response.end('x');
  });
  await calling(server, async (fetch) => {
    for (const name of ['a', 'b', 'c', 'd', 'a']) await (await fetch(`http://${name}.news.example/`)).text();
  });
  expect({ requests: server.seen.length, most: most <= 3 }).toEqual({ requests: 5, most: true });
});

describe('credentials after a redirect', () => {
  const secrets = {
    authorization: 'Bearer t',
    cookie: 'c=1',
    'x-api-key': 'k',
    'mcp-session-id': 's',
    signature: 'sig1=:x:',
  };
  const listener: RequestListener = (request, response) => {
    const target =
      request.headers.host === 'news.example'
        ? { '/away': 'https://agent.news.example/end', '/same': '/end' }[request.url ?? '']
        : undefined;
    if (target === undefined) response.end(request.method);
    else response.writeHead(307, { location: target }).end();
  };
  const init = {
    method: 'POST',
    body: '{}',
    headers: { ...secrets, 'content-type': 'application/json', 'mcp-protocol-version': '1' },
  };

  it('are not sent to another origin, even in the same domain', async () => {
    const server = await web(listener);
    expect(
      await calling(server, async (fetch) => (await fetch('https://news.example/away', init)).text()),
    ).toBe('POST');
    const sent = server.requests[1]?.headers ?? {};
    expect(Object.keys(sent).filter((name) => name in secrets)).toEqual([]);
    expect(sent).toMatchObject({
      host: 'agent.news.example',
      'content-type': 'application/json',
      'mcp-protocol-version': '1',
    });
  });

  it('stay on the same origin', async () => {
    const server = await web(listener);
    await calling(server, async (fetch) => {
      const response = await fetch('https://news.example/same', init);
      expect(response).toMatchObject({ redirected: true, url: 'https://news.example/end' });
    });
    expect(server.requests[1]?.headers).toMatchObject(secrets);
  });
});

describe('a redirect of a call', () => {
  const to =
    (status: number, location: string): RequestListener =>
    (request, response) => {
      if (request.url === '/end') response.end(`${request.method} ${request.headers['content-type']}`);
      else response.writeHead(status, { location }).end();
    };

  it.each([
    [301, 'GET undefined'],
    [302, 'GET undefined'],
    [303, 'GET undefined'],
    [307, 'POST text/plain'],
    [308, 'POST text/plain'],
  ])('of status %i makes the request %s', async (status, expected) => {
    const server = await web(to(status, '/end'));
    const init = { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } };
    expect(await calling(server, async (fetch) => (await fetch('https://news.example/', init)).text())).toBe(
      expected,
    );
  });

  it('that leaves the domain or https, runs in a circle or has no end is a failure', async () => {
    for (const location of ['https://evil.example/', 'http://news.example/end', '/'])
      await expect(
        calling(await web(to(302, location)), (fetch) => fetch('https://news.example/')),
      ).rejects.toMatchObject({
        failure: { code: 'redirect' },
      });
    const endless = await web((request, response) =>
      response.writeHead(302, { location: `${request.url}x` }).end(),
    );
    await expect(calling(endless, (fetch) => fetch('https://news.example/'))).rejects.toMatchObject({
      failure: { code: 'redirect', detail: 'more than 5 redirects' },
    });
  });

  it('is handed to a caller who wants to see it, or fails for one who wants none', async () => {
    const server = await web(to(302, '/end'));
    await calling(server, async (fetch) => {
      expect(await fetch('https://news.example/', { redirect: 'manual' })).toMatchObject({ status: 302 });
      await expect(fetch('https://news.example/', { redirect: 'error' })).rejects.toMatchObject({
        failure: { code: 'redirect' },
      });
    });
  });
});

describe('the byte cap of a call', () => {
  const options = { maxResponseBytes: 1_000 };
  it.each([
    ['one chunk', ((_request, response) => response.end(Buffer.alloc(1_001))) as RequestListener],
    [
      'a stream',
      ((_request, response) =>
        void setInterval(() => response.write(Buffer.alloc(100)), 2).unref()) as RequestListener,
    ],
    [
      'a bomb',
      ((_request, response) =>
        response
          .setHeader('content-encoding', 'gzip')
          .end(gzipSync(Buffer.alloc(99_000)))) as RequestListener,
    ],
  ])('ends %s with an error and never with a short body', async (_name, listener) => {
    const server = await web(listener);
    const reading = calling(server, async (fetch) => (await fetch('https://news.example/')).text(), options);
    await expect(reading).rejects.toMatchObject({ name: 'FetchGuardError', failure: { code: 'too_large' } });
  });
});

test('broken compressed data is an encoding failure', async () => {
  const server = await web((_request, response) =>
    response.setHeader('content-encoding', 'gzip').end('not gzip'),
  );
  await expect(
    calling(server, async (fetch) => (await fetch('https://news.example/')).text()),
  ).rejects.toMatchObject({
    failure: { code: 'encoding' },
  });
});

describe('a call ends', () => {
  it('with the deadline of the visit, before and after its head', async () => {
    const hanging = await web(() => {});
    await expect(calling(hanging, (fetch) => fetch('https://news.example/'), {}, 150)).rejects.toMatchObject({
      failure: { code: 'timeout' },
    });
    const dripping = await web(
      (_request, response) => void setInterval(() => response.write('x'), 10).unref(),
    );
    const reading = calling(
      dripping,
      async (fetch) => (await fetch('https://news.example/')).text(),
      {},
      200,
    );
    await expect(reading).rejects.toMatchObject({ failure: { code: 'timeout' } });
  });

  it("with the caller's own signal, as fetch does", async () => {
    const server = await web(() => {});
    await calling(server, async (fetch) => {
      await expect(fetch('https://news.example/', { signal: AbortSignal.abort() })).rejects.toMatchObject({
        name: 'AbortError',
      });
      await expect(fetch('https://news.example/', { signal: AbortSignal.timeout(50) })).rejects.toMatchObject(
        { name: 'TimeoutError' },
      );
      const again = await web((_request, response) => response.end('fine'));
      expect(again.connections()).toBe(0);
    });
  });

  it('when the work of the visit is done', async () => {
    const server = await web((_request, response) => void response.write('open'));
    const response = await calling(server, (fetch) => fetch('https://news.example/'));
    await expect(response.text()).rejects.toMatchObject({
      failure: { code: 'interrupted', detail: 'the visit is over' },
    });
  });
});

test('answers without a body, and statuses that http does not have', async () => {
  const server = await web(
    (request) =>
      void request.socket.end(
        `HTTP/1.1 ${request.url?.slice(1)} x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
      ),
  );
  await calling(server, async (fetch) => {
    expect(await (await fetch('https://news.example/204')).text()).toBe('');
    expect((await fetch('https://news.example/205')).body).toBeNull();
    await expect(fetch('https://news.example/999')).rejects.toBeInstanceOf(FetchGuardError);
  });
});

test('the caller sees what the guard refuses as a FetchGuardError', async () => {
  const server = await web((_request, response) => response.end());
  await calling(server, async (fetch) => {
    for (const url of ['ftp://news.example/', 'https://u:p@news.example/', 'nonsense'])
      await expect(fetch(url)).rejects.toMatchObject({
        name: 'FetchGuardError',
        failure: { code: 'blocked' },
      });
  });
  expect(server.connections()).toBe(0);
});
