import { type AddressInfo, createConnection } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { RegistryError } from '../../src/errors.ts';
import { bareDocument } from './support/documents.ts';
import { openRegistry, sharedRegistry } from './support/registry.ts';

const LIST = '/api/registry/agents';
const empty = sharedRegistry(() => openRegistry());

describe('what no operation takes', () => {
  it('is 404 for an unknown path', async () => {
    const { get } = await empty();
    const response = await get('/api/registry/nothing');
    const text = `${JSON.stringify(response.json(), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot('../golden/problem.json');
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'] as const)(
    'is 405 for %s with what is allowed',
    async (method) => {
      const { server } = await empty();
      const response = await server.inject({
        method: method as 'POST',
        url: LIST,
        headers: { 'content-type': 'text/xml' },
        payload: method === 'TRACE' ? '' : '<a/>',
      });
      expect(response.statusCode).toBe(405);
      expect(response.headers.allow).toBe('GET, HEAD, OPTIONS');
      expect(response.json()).toMatchObject({
        code: 'method_not_allowed',
        valid_values: ['GET', 'HEAD', 'OPTIONS'],
      });
    },
  );

  const badge = `${LIST}/${encodeURIComponent('https://a.example/mcp')}/badge`;
  it.each([
    [`${badge}/juggling.svg`, 404],
    [`${badge}/juggling/token`, 404],
    [`${badge}/.svg`, 404],
    [`${badge}//token`, 404],
    [`${badge}/media-buy.svg.svg`, 404],
    [`${badge}/media-buy.svg`, 405],
    [`${badge}/media-buy/token`, 405],
  ])('is known or unknown by every method alike: DELETE %s is %d', async (url, status) => {
    const { server } = await empty();
    expect((await server.inject({ method: 'DELETE', url })).statusCode).toBe(status);
  });

  it('tells a browser that it may ask with a key', async () => {
    const { server } = await empty();
    const response = await server.inject({ method: 'OPTIONS', url: `${LIST}/x/compliance` });
    expect([response.statusCode, response.body]).toEqual([204, '']);
    expect(response.headers).toMatchObject({
      allow: 'GET, HEAD, OPTIONS',
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'Authorization, Content-Type, If-None-Match, Mcp-Protocol-Version',
    });
  });
});

describe('every answer', () => {
  it.each([LIST, '/nothing', '/%zz', `${LIST}?limit=0`, '/healthz'])(
    'of %s carries the common headers',
    async (path) => {
      const { get } = await empty();
      const { headers } = await get(path);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'access-control-allow-origin': '*',
      });
      expect(headers['x-request-id']).toMatch(/^[0-9a-f]{12}-\w+$/);
      expect(headers).not.toHaveProperty('x-powered-by');
    },
  );
});

describe('a request with a body', () => {
  it.each([
    ['text/xml', '<a/>', 415, 'unsupported_media_type'],
    ['application/json', '{', 400, 'bad_request'],
    ['application/json', ' ', 400, 'bad_request'],
    ['application/json', `"${'x'.repeat(1_048_577)}"`, 413, 'body_too_large'],
  ])('of %s is refused as a problem when it is wrong', async (type, payload, status, code) => {
    const { server } = await openRegistry();
    server.post('/echo', async (request) => ({ body: request.body }));
    const response = await server.inject({
      method: 'POST',
      url: '/echo',
      headers: { 'content-type': type },
      payload,
    });
    expect([response.statusCode, response.json().code]).toEqual([status, code]);
  });

  it.each([
    ['/lab', 'url=', 'text/html'],
    ['/sign-in', 'key=', 'text/html'],
    ['/api/registry/resolve', '{"', 'application/problem+json'],
  ])('that never comes whole is late, and our store is not blamed for it: %s', async (path, begun, type) => {
    const { server } = await openRegistry([], { answerWithinMs: 50 });
    await server.listen({ host: '127.0.0.1', port: 0 });
    const form = path.startsWith('/api/') ? 'application/json' : 'application/x-www-form-urlencoded';
    const origin = `http://127.0.0.1:${portOf(server)}`;
    const head = [
      ...[`POST ${path} HTTP/1.1`, `Host: ${new URL(origin).host}`, `Origin: ${origin}`],
      ...[`Accept: ${type}`, `Content-Type: ${form}`, 'Content-Length: 5000'],
    ];
    const answer = await exchange(portOf(server), `${head.join('\r\n')}\r\n\r\n${begun}`, /in time/);
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(answer.toLowerCase()).toContain(`content-type: ${type}`);
    expect(answer).not.toContain('its store');
  });
});

describe('a fault on our side', () => {
  it('leaks nothing and carries the request id', async () => {
    const { server, get } = await openRegistry();
    server.get('/boom', async () => {
      throw new Error('the password is hunter2');
    });
    const response = await get('/boom');
    expect(response.statusCode).toBe(500);
    expect(response.body).not.toContain('hunter2');
    expect(response.json()).toMatchObject({ code: 'internal', request_id: response.headers['x-request-id'] });
  });

  it('is 503 with a time to come back when the store cannot be read', async () => {
    const { server, get } = await openRegistry();
    server.get('/locked', async () => {
      throw new RegistryError('store_locked', 'the store /secret/path is locked', { retryable: true });
    });
    const response = await get('/locked');
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '5']);
    expect(response.body).not.toContain('/secret/path');
  });

  it('is 503 when the store hangs, and answers again when it does', async () => {
    const { get, index } = await openRegistry([bareDocument('https://a.example/')], {
      answerWithinMs: 3_600_000,
    });
    const { version } = index;
    const asked = Promise.withResolvers<void>();
    Object.assign(index, { version: () => new Promise(() => asked.resolve()) });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const answer = get(LIST);
    await asked.promise;
    vi.advanceTimersByTime(3_600_000);
    const response = await answer;
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '5']);
    expect(response.json()).toMatchObject({ code: 'unavailable' });
    Object.assign(index, { version });
    expect((await get(LIST)).json()).toMatchObject({ count: 1 });
  });

  it('is logged once when a handler is late, and what the handler says in the end is not', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    const { server, get } = await openRegistry([], { answerWithinMs: 50 }, { logger });
    const shouldContinue = Promise.withResolvers<void>();
    const late = async (_request: unknown, reply: FastifyReply) => {
      await shouldContinue.promise;
      return reply.send({ late: true });
    };
    const failing = async () => {
      await shouldContinue.promise;
      throw new Error('too late');
    };
    server.get('/late', late);
    server.get('/failing', failing);
    const answers = [await get('/late'), await get('/failing')];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([503, 503]);
    shouldContinue.resolve();
    await setImmediate();
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['request failed']);
  });

  describe.each(['index_unavailable', 'index_missing', 'store_unavailable'] as const)('%s', (code) => {
    const away = () => Promise.reject(new RegistryError(code, 'https://user:pass@host:9200 does not answer'));

    it.each(['search', 'version'] as const)(
      'in %s is 503 with a time to come back, nothing of an answer, and nothing kept',
      async (part) => {
        const { get, index } = await openRegistry([bareDocument('https://a.example/')]);
        const healthy = index[part];
        Object.assign(index, { [part]: away });
        const response = await get(`${LIST}?total=true`);
        expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '5']);
        expect(response.headers['cache-control']).toBe('no-store');
        expect(response.json()).toMatchObject({ code: 'unavailable', status: 503 });
        expect(response.body).not.toMatch(/pass|a\.example/);
        Object.assign(index, { [part]: healthy });
        expect((await get(`${LIST}?total=true`)).json()).toMatchObject({ count: 1, total: 1 });
      },
    );

    it('is counted, with the engine that it comes from', async () => {
      const { get, index, metrics } = await openRegistry([bareDocument('https://a.example/')]);
      Object.assign(index, { search: away });
      await get(LIST);
      const engine = code.split('_')[0];
      const counted = `registry_engine_faults_total{engine="${engine}",code="${code}"} 1`;
      expect(await metrics.text()).toContain(counted);
    });
  });

  it('is 503 when the index has no live generation', async () => {
    const { get, records } = await openRegistry([bareDocument('https://a.example/')]);
    records.database.exec("UPDATE index_generation SET state = 'previous'");
    expect((await get(LIST)).statusCode).toBe(503);
    records.database.exec("UPDATE index_generation SET state = 'live'");
    expect((await get(LIST)).json()).toMatchObject({ count: 1 });
  });
});

describe('bytes that are no request', () => {
  it.each([
    ['no HTTP at all', 'HELO there\r\n\r\n', 400, 'bad_request'],
    ['a broken header', 'GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n', 400, 'bad_request'],
    ['a space in the path', 'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'bad_request'],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na',
      400,
      'bad_request',
    ],
    ['no host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'bad_request'],
    [
      'a header without end',
      `GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(40_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    [
      'a path with bytes that are no UTF-8',
      'GET /%ff HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      400,
      'bad_encoding',
    ],
    [
      'an expectation nobody knows',
      'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: magic\r\nConnection: close\r\n\r\n',
      417,
      'expectation_failed',
    ],
  ])('%s: a problem, and the next caller is served', async (_what, bytes, status, code) => {
    const { server, get } = await openRegistry();
    await server.listen({ host: '127.0.0.1', port: 0 });
    const answer = await exchange(portOf(server), bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer.toLowerCase()).toContain('content-type: application/problem+json');
    expect(answer).toContain(`"code":"${code}"`);
    expect((await get('/healthz')).statusCode).toBe(200);
  });

  it('takes the absolute form of a target', async () => {
    const { server } = await openRegistry();
    await server.listen({ host: '127.0.0.1', port: 0 });
    const target = 'GET http://x/healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    expect(await exchange(portOf(server), target)).toMatch(/^HTTP\/1.1 200 /);
  });
});

function portOf(server: FastifyInstance): number {
  return (server.server.address() as AddressInfo).port;
}

/** What is answered until the connection is closed, or until it has `enough`. */
function exchange(port: number, bytes: string, enough?: RegExp): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = createConnection({ host: '127.0.0.1', port }, () => socket.write(bytes));
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (enough?.test(Buffer.concat(chunks).toString())) socket.destroy();
    });
    // it may be closed before all bytes are sent: what counts is what was answered
    socket.on('error', () => {});
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
  });
}
