import { describe, expect, it } from 'vitest';
import { bareDocument } from './support/documents.ts';
import { openRegistry } from './support/registry.ts';

const LIST = '/api/registry/agents';
const DETAIL = `${LIST}/${encodeURIComponent('https://a.example/mcp')}/compliance`;

describe('the Authorization header', () => {
  it.each([
    ['a wrong key', 'Bearer wrong'],
    ['a revoked key', 'Bearer revoked'],
    ['an empty key', 'Bearer '],
    ['another scheme', 'Basic dXNlcjpwYXNz'],
    ['a key without its scheme', 'good'],
    ['nothing', ''],
    ['a key with a space', 'Bearer go od'],
    ['an endless key', `Bearer ${'x'.repeat(5_000)}`],
  ])('with %s is 401 and never a silent downgrade', async (_what, authorization) => {
    const { get, server, addKey } = await openRegistry();
    await addKey('good', 'acme');
    await addKey('revoked', 'acme', 1);
    for (const path of [LIST, DETAIL]) {
      const response = await get(path, { authorization });
      expect(response.statusCode).toBe(401);
      expect(response.headers['www-authenticate']).toBe('Bearer realm="registry", error="invalid_token"');
      expect(response.json().code).toBe('invalid_key');
    }
    const head = await server.inject({ method: 'HEAD', url: LIST, headers: { authorization } });
    expect([head.statusCode, head.body]).toEqual([401, '']);
  });

  it('with a good key is served, whatever the case of its scheme', async () => {
    const { get, addKey } = await openRegistry();
    await addKey('good', 'acme');
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      expect((await get(LIST, { authorization: `${scheme} good` })).statusCode).toBe(200);
    }
  });

  it('changes no byte of the compliance detail for a stranger', async () => {
    const { get, addKey } = await openRegistry([bareDocument('https://a.example/mcp')]);
    await addKey('good', 'acme');
    const anybody = await get(DETAIL);
    const stranger = await get(DETAIL, { authorization: 'Bearer good' });
    expect(stranger.body).toBe(anybody.body);
    expect(Object.keys(stranger.headers)).toEqual(Object.keys(anybody.headers));
    const own = new Set(['date', 'x-request-id']);
    for (const name of Object.keys(anybody.headers).filter((header) => !own.has(header))) {
      expect(stranger.headers[name]).toBe(anybody.headers[name]);
    }
  });

  it('gives each key a limit of its own', async () => {
    const { get, addKey } = await openRegistry([], { rateLimit: { max: 1, windowMs: 60_000 } });
    await addKey('one', 'acme');
    await addKey('two', 'acme');
    const status = async (authorization: string) => (await get(LIST, { authorization })).statusCode;
    expect([await status('Bearer one'), await status('Bearer two'), await status('Bearer one')]).toEqual([
      200, 200, 429,
    ]);
  });
});
