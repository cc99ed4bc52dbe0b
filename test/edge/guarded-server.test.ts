import type { RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { CutReason } from '../../src/edge/connections.ts';
import { call, get, guarded } from './support.ts';

const SMALL: RequestListener = (_request, response) => void response.end('ok');
const CLOSE = 'Connection: close\r\n';
/** More than the buffers of both sides hold. */
const LARGE = Buffer.alloc(16 * 1_048_576, 'a');

describe('a request that two readers could take for different ones', () => {
  it.each([
    ['two hosts', 'Host: x\r\nHost: y\r\n', 400, 'duplicate header host'],
    ['the same host twice', 'Host: x\r\nhOST: x\r\n', 400, 'duplicate header host'],
    ['two keys', 'Host: x\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n', 400, 'authorization'],
    ['two types', 'Host: x\r\nContent-Type: a/b\r\nContent-Type: c/d\r\n', 400, 'content-type'],
    ['two agents of a user', 'Host: x\r\nUser-Agent: a\r\nUser-Agent: b\r\n', 400, 'user-agent'],
    ['no host', '', 400, 'requires a Host'],
    ['a host that is none', 'Host: a b\r\n', 400, 'Host header is invalid'],
    ['a host with a path', 'Host: a/b\r\n', 400, 'Host header is invalid'],
    ['a hundred lines more', `Host: x\r\n${'a: b\r\n'.repeat(100)}`, 431, 'at most 100'],
    [
      'thousands of lines, the last one a second key',
      `Host: x\r\n${'a:b\r\n'.repeat(2_500)}`,
      431,
      'at most 100',
    ],
  ])('is refused: %s', async (_name, headers, status, detail) => {
    let seen = 0;
    const port = await guarded(() => (seen += 1));
    const answer = await (await call(port, `GET / HTTP/1.1\r\n${headers}\r\n`)).gone;
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toContain('application/problem+json');
    expect(answer).toContain(detail);
    expect(seen).toBe(0);
  });

  it.each(['Accept: a/b\r\nAccept: c/d\r\n', 'X-A: 1\r\nX-A: 2\r\n', 'Cookie: a=b\r\nCookie: c=d\r\n'])(
    'is not one with two lines of a list: %j',
    async (headers) => {
      const port = await guarded(SMALL);
      expect(await (await call(port, get('/', headers + CLOSE))).gone).toMatch(/^HTTP\/1.1 200 /);
    },
  );

  it('may leave its host away in HTTP/1.0', async () => {
    const port = await guarded(SMALL);
    expect(await (await call(port, 'GET / HTTP/1.0\r\n\r\n')).gone).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('requests that do not wait for their answers', () => {
  it('are answered in their order, one after the other', async () => {
    let underWay = 0;
    let most = 0;
    const port = await guarded(async (request, response) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await delay(1);
      response.end(`[${request.url}]`);
      response.once('finish', () => (underWay -= 1));
    });
    const paths = Array.from({ length: 17 }, (_, n) => `/${n}`);
    const bytes = paths.map((path, n) => get(path, n === 16 ? CLOSE : '')).join('');
    const answer = await (await call(port, bytes)).gone;
    expect(answer.match(/\[.*?\]/g)).toEqual(paths.map((path) => `[${path}]`));
    expect(most).toBe(1);
  });

  it('end with a refusal when more wait than may', async () => {
    const seen: (string | undefined)[] = [];
    const port = await guarded((request, response) => {
      seen.push(request.url);
      setImmediate(() => response.end('ok'));
    });
    const answer = await (await call(port, Array.from({ length: 60 }, (_, n) => get(`/${n}`)).join(''))).gone;
    expect(answer.match(/HTTP\/1.1 \d+/g)).toEqual([...Array(17).fill('HTTP/1.1 200'), 'HTTP/1.1 429']);
    expect(seen).toHaveLength(17);
  });
});

describe('a reader', () => {
  it('that sends 60 requests and never reads has one answer made, and is gone', async () => {
    let made = 0;
    const cut = Promise.withResolvers<CutReason>();
    const port = await guarded(
      (_request, response) => {
        made += 1;
        response.end(LARGE);
      },
      { bounds: { inactiveMs: 1_000 }, onCut: cut.resolve },
    );
    await call(port, get('/').repeat(60), { reads: false });
    expect(await cut.promise).toBe('slow_reader');
    expect(made).toBe(1);
  });

  it('that takes a little now and then is gone too, and is told apart', async () => {
    const cuts: CutReason[] = [];
    const port = await guarded((_request, response) => response.end(LARGE), {
      bounds: { sweepMs: 10, writingMs: 20, bytesPerSecond: LARGE.length * 10 },
      onCut: (reason) => cuts.push(reason),
    });
    const reader = await call(port, get('/'), { reads: false });
    while (cuts.length === 0) {
      reader.socket.read(1_000);
      await delay(5);
    }
    expect(cuts).toEqual(['slow_reader']);
  });

  it('that takes its time within the bound gets all of it', async () => {
    const port = await guarded((_request, response) => response.end(LARGE), { bounds: { sweepMs: 10 } });
    const answer = await (await call(port, get('/', CLOSE))).gone;
    expect(answer.length).toBeGreaterThan(LARGE.length);
  });
});

describe('a sender', () => {
  it.each([
    ['nothing', '', ''],
    ['a header that never ends', 'GET / HTTP/1.1\r\nHost: x\r\n', 'a: b\r\n'],
    ['a body that never ends', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\n', 'a'],
    [
      'chunks that never end',
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
      '1\r\na\r\n',
    ],
  ])('of %s, a little at a time, is gone', async (_name, begin, more) => {
    const port = await guarded((request) => void request.resume(), {
      bounds: { headersMs: 40, requestMs: 60, sweepMs: 10 },
    });
    const caller = await call(port, begin);
    const dripping = setInterval(() => caller.socket.write(more), 10);
    const answer = await caller.gone;
    clearInterval(dripping);
    expect(answer).toMatch(/^(?:HTTP\/1.1 408 |$)/);
  });
});

describe('an answer before the end of its request', () => {
  const REFUSED: RequestListener = (_request, response) =>
    void response.writeHead(413, { connection: 'close' }).end('too large');
  const post = (length: number) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;

  it('reaches a caller that reads nothing before all is sent', async () => {
    const port = await guarded(REFUSED);
    const { socket, gone } = await call(port, post(LARGE.length), { reads: false });
    await new Promise((sent) => socket.write(LARGE, sent));
    let text = '';
    socket.on('data', (chunk) => (text += chunk)).resume();
    await gone;
    expect(text).toMatch(/^HTTP\/1.1 413 [\s\S]*too large\r\n0\r\n\r\n$/);
  });

  it.each([
    ['for longer', { lingerMs: 20, lingerBytes: Number.POSITIVE_INFINITY }],
    ['more', { lingerMs: 60_000, lingerBytes: 100 }],
  ])('is the end of a caller that goes on %s than it may', async (_what, bounds) => {
    const port = await guarded(REFUSED, { bounds: { sweepMs: 10, ...bounds } });
    const { socket, gone } = await call(port, post(1_000_000), { allowHalfOpen: true });
    const dripping = setInterval(() => socket.write('a'.repeat(50)), 5);
    expect(await gone).toMatch(/^HTTP\/1.1 413 /);
    clearInterval(dripping);
  });
});

describe('connections', () => {
  it('of one address are bounded, and another address does not notice', async () => {
    const cuts: CutReason[] = [];
    const port = await guarded(SMALL, { bounds: { ofAddress: 2 }, onCut: (reason) => cuts.push(reason) });
    const [first] = [await call(port, ''), await call(port, '')];
    expect(await (await call(port, get('/', CLOSE))).gone).toBe('');
    expect(await (await call(port, get('/', CLOSE), { localAddress: '127.0.0.2' })).gone).toContain('ok');
    expect(cuts).toEqual(['too_many']);
    first?.socket.end();
    await first?.gone;
    expect(await (await call(port, get('/', CLOSE))).gone).toContain('ok');
  });

  it('are fewer for each address when half of all places are taken', async () => {
    const port = await guarded(SMALL, { bounds: { inAll: 8, ofAddress: 3, ofAddressInNeed: 1 } });
    for (const localAddress of ['127.0.0.1', '127.1.0.1', '127.1.0.1', '127.2.0.1'])
      await call(port, '', { localAddress });
    expect(await (await call(port, get('/', CLOSE))).gone).toBe('');
    expect(await (await call(port, get('/', CLOSE), { localAddress: '127.3.0.1' })).gone).toContain('ok');
  });

  it('of a proxy of ours are not counted', async () => {
    const port = await guarded(SMALL, { bounds: { ofAddress: 1 }, trustedProxies: ['127.0.0.0/8'] });
    await call(port, '');
    expect(await (await call(port, get('/', CLOSE))).gone).toContain('ok');
  });
});
