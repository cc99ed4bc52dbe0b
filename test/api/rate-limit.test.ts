import { describe, expect, it } from 'vitest';
import { openRegistry } from './support/registry.ts';

const LIST = '/api/registry/agents';
const TWO = { max: 2, windowMs: 60_000 };

describe('the rate limit', () => {
  it('answers 429 with the time to come back, and tells before how much is left', async () => {
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

  it('never counts the probes of an operator', async () => {
    const { get } = await openRegistry([], { rateLimit: TWO });
    for (const path of ['/healthz', '/readyz', '/metrics', '/healthz'])
      expect((await get(path)).statusCode).toBe(200);
  });

  it('believes X-Forwarded-For from nobody by default', async () => {
    const { get } = await openRegistry([], { rateLimit: TWO });
    for (const address of ['192.0.2.1', '192.0.2.2']) await get(LIST, { 'x-forwarded-for': address });
    expect((await get(LIST, { 'x-forwarded-for': '192.0.2.3' })).statusCode).toBe(429);
  });

  it('counts by the forwarded address behind a proxy that is trusted, an IPv6 /64 as one', async () => {
    const { get } = await openRegistry([], { rateLimit: TWO, trustedProxies: ['127.0.0.1'] });
    const status = async (address: string) => (await get(LIST, { 'x-forwarded-for': address })).statusCode;
    expect([await status('192.0.2.1'), await status('192.0.2.1'), await status('192.0.2.1')]).toEqual([
      200, 200, 429,
    ]);
    expect([await status('2001:db8::1'), await status('2001:db8::2'), await status('2001:db8::3')]).toEqual([
      200, 200, 429,
    ]);
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
