import { describe, expect, it } from 'vitest';
import { later } from '../budgets/later.ts';
import { openRegistry } from './support/registry.ts';

const LIST = '/api/registry/agents';
const TWO = { max: 2, windowMs: 60_000 };

describe('the rate limit', () => {
  it('answers 429 with the time to come back, and tells before how much is left', async () => {
    later(0); // the window does not go on meanwhile
    const { get } = await openRegistry([], { rateLimit: TWO });
    const first = await get(LIST);
    expect(first.headers).toMatchObject({ 'ratelimit-limit': '2', 'ratelimit-remaining': '1' });
    await get(`${LIST}/x/compliance`);
    const third = await get(LIST);
    expect(third.statusCode).toBe(429);
    expect(third.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(third.headers).toMatchObject({
      'retry-after': '60',
      'ratelimit-reset': '60',
      'ratelimit-remaining': '0',
    });
    expect(third.json()).toMatchObject({ code: 'rate_limited', status: 429 });
  });

  it('counts what leads nowhere, and wrong keys, against the address', async () => {
    const { get } = await openRegistry([], { rateLimit: TWO });
    expect((await get('/nothing')).statusCode).toBe(404);
    expect((await get(LIST, { authorization: 'Bearer wrong' })).statusCode).toBe(401);
    expect((await get(LIST)).statusCode).toBe(429);
  });

  it('never counts the probes of an operator among other requests', async () => {
    const { get } = await openRegistry([], { rateLimit: TWO });
    for (const path of ['/healthz', '/readyz', '/healthz', '/readyz'])
      expect((await get(path)).statusCode).toBe(200);
  });

  it('holds for every route that there is, and the probes have one of their own', async () => {
    const { server, get } = await openRegistry([], { rateLimit: TWO });
    await server.ready();
    const methods = routesOf(server.printRoutes({ commonPrefix: false }));
    expect(methods.length).toBeGreaterThan(20);
    const ask = (method: string, url: string, from: string) =>
      server.inject({ method: method as 'GET', url, remoteAddress: from });
    for (const [at, [method, url]] of methods.entries()) {
      if (url === '/healthz' || url === '/readyz') continue;
      const from = `192.0.2.${at}`;
      // refused where it takes no such parameter, as a stream would go on for ever
      const path = `${url
        .replace(':encodedUrl', 'x')
        .replace(':role', 'brand')
        .replaceAll(/:\w+|\*/g, 'x')}?nothing=1`;
      for (const _ of [1, 2]) await ask(method, path, from);
      expect((await ask(method, path, from)).statusCode, `${method} ${url}`).toBe(429);
    }
    later(0); // the window does not go on meanwhile
    for (let times = 0; times < 600; times += 1) await get('/healthz');
    const refused = [await get('/healthz'), await get('/readyz')];
    expect(refused.map(({ statusCode, headers }) => [statusCode, headers['retry-after']])).toEqual([
      [429, '60'],
      [429, '60'],
    ]);
  });

  it('believes X-Forwarded-For from nobody by default', async () => {
    const { get } = await openRegistry([], { rateLimit: TWO });
    for (const address of ['192.0.2.1', '192.0.2.2']) await get(LIST, { 'x-forwarded-for': address });
    expect((await get(LIST, { 'x-forwarded-for': '192.0.2.3' })).statusCode).toBe(429);
  });

  it('counts by the forwarded address behind a proxy that is trusted, an IPv6 /48 as one', async () => {
    const { get } = await openRegistry([], { rateLimit: TWO, trustedProxies: ['127.0.0.1'] });
    const status = async (address: string) => (await get(LIST, { 'x-forwarded-for': address })).statusCode;
    expect([await status('192.0.2.1'), await status('192.0.2.1'), await status('192.0.2.1')]).toEqual([
      200, 200, 429,
    ]);
    expect([
      await status('2001:db8::1'),
      await status('2001:db8:0:9::2'),
      await status('2001:db8::3'),
    ]).toEqual([200, 200, 429]);
  });

  it.each(['localhost', 'true', '10.0.0.0/33', '192.0.2.1/a', '', '*'])(
    'refuses to trust the proxy %j',
    async (proxy) => {
      await expect(openRegistry([], { trustedProxies: [proxy] })).rejects.toMatchObject({
        code: 'usage',
        hint: expect.stringContaining('CIDR'),
      });
    },
  );

  it.each(['192.0.2.1', '192.0.2.0/24', '::1', '2001:db8::/32'])('can trust the proxy %s', async (proxy) => {
    const { get } = await openRegistry([], { trustedProxies: [proxy] });
    expect((await get(LIST)).statusCode).toBe(200);
  });
});

/** Method and path of each route, from the tree that fastify prints. */
function routesOf(tree: string): readonly (readonly [string, string])[] {
  const parents: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', path, methods] = /^([│ ]*)[├└]── (\S*) ?(?:\((.*)\))?$/.exec(line) ?? [];
    if (path === undefined) return [];
    const depth = indent.length / 4;
    parents.length = depth;
    parents[depth] = path;
    const names = methods?.split(', ') ?? [];
    return names.filter((name) => name !== 'HEAD').map((name) => [name, parents.join('')] as const);
  });
}
