import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { schemaFiles } from '../../src/protocol/schema-files.ts';
import { TASK_NAMES } from '../../src/protocol/tasks.ts';
import { openRegistry, sharedRegistry } from './support/registry.ts';

const PRODUCTS = 'media-buy/get_products-request.json';
const FOLDER = new URL('../../schemas/protocol/3.0.0/', import.meta.url);
const FILE = readFileSync(new URL(PRODUCTS, FOLDER));

const registry = sharedRegistry(() => openRegistry());

describe('the schemas of the protocol, as they are served', () => {
  it('are the files of the repository, byte for byte', async () => {
    const { get } = await registry();
    for (const path of schemaFiles('3.0.0').keys()) {
      const answer = await get(`/schemas/3.0.0/${path}`);
      expect([answer.statusCode, answer.headers['content-type']]).toEqual([
        200,
        'application/json; charset=utf-8',
      ]);
      expect(answer.rawPayload.equals(readFileSync(new URL(path, FOLDER))), path).toBe(true);
    }
  });

  it.each(['3.0.0', '3.0', '3', 'latest', 'v3'])('are found under %s', async (label) => {
    const { get } = await registry();
    const answer = await get(`/schemas/${label}/${PRODUCTS}`);
    expect(answer.rawPayload.equals(FILE)).toBe(true);
    expect(answer.headers).toMatchObject({
      'content-location': `/schemas/3.0.0/${PRODUCTS}`,
      'cache-control': label === '3.0.0' ? 'public, max-age=31536000, immutable' : 'public, max-age=300',
    });
  });

  it.each([
    'media-buy/get-products-request.json',
    'media%2Dbuy/get%5Fproducts-request.json',
    'media-buy/get_products-request.json?v=2',
  ])('are found as %s too', async (path) => {
    const { get } = await registry();
    expect((await get(`/schemas/3.0/${path}`)).rawPayload.equals(FILE)).toBe(true);
  });

  it('are found by the public names', async () => {
    const { get } = await registry();
    const answer = await get('/schemas/v3/protocol/get-adcp-capabilities-response.json');
    expect(answer.json()).toMatchObject({ title: 'Get Proto Capabilities Response' });
    expect((await get('/schemas/v3/core/format-id.json')).json()).toMatchObject({ title: 'Format Id' });
  });

  it('have one tag under every name, and 304 for whoever has it', async () => {
    const { get, server } = await registry();
    const etag = String((await get(`/schemas/3.0.0/${PRODUCTS}`)).headers.etag);
    const again = await get(`/schemas/latest/${PRODUCTS}`, { 'if-none-match': etag });
    expect([again.statusCode, again.headers.etag, again.body]).toEqual([304, etag, '']);
    expect(again.headers['cache-control']).toBe('public, max-age=300');
    const head = await server.inject({ method: 'HEAD', url: `/schemas/3.0/${PRODUCTS}` });
    expect([head.statusCode, head.headers.etag, head.body]).toEqual([200, etag, '']);
  });

  it('refer to each other by addresses that are served', async () => {
    const { get } = await registry();
    const ajv = new Ajv2020({
      strict: false,
      loadSchema: async (address) => {
        const answer = await get(new URL(address, 'http://registry.invalid').pathname);
        expect(answer.statusCode).toBe(200);
        return answer.json();
      },
    });
    addFormats.default(ajv);
    const validate = await ajv.compileAsync(
      (await get('/schemas/3.0/media-buy/create-media-buy-request.json')).json(),
    );
    expect(validate({ brand: {} })).toBe(false);
  });
});

describe('the lists of schemas', () => {
  it.each(['/schemas', '/schemas/'])('%s lists versions and aliases', async (path) => {
    const { get } = await registry();
    expect((await get(path)).json()).toEqual({
      versions: ['3.0.0'],
      aliases: { latest: '3.0.0', '3': '3.0.0', '3.0': '3.0.0' },
      bundles: ['/schemas/3.0.0/'],
    });
  });

  it.each(['/schemas/3.0', '/schemas/3.0/', '/schemas/3.0.0/index.json'])(
    '%s lists the tasks',
    async (path) => {
      const { get } = await registry();
      const answer = await get(path);
      const { version, tasks, core } = answer.json();
      expect([version, answer.headers['cache-control']]).toEqual(['3.0.0', 'public, max-age=300']);
      expect(tasks).toHaveLength(TASK_NAMES.length);
      expect(tasks).toContainEqual({
        task: 'sync_plans',
        area: 'governance',
        mutating: true,
        extension: true,
        request: '/schemas/3.0.0/governance/sync_plans-request.json',
        response: '/schemas/3.0.0/governance/sync_plans-response.json',
      });
      for (const one of tasks) expect((await get(one.request)).statusCode).toBe(200);
      for (const one of core) expect((await get(one)).statusCode).toBe(200);
    },
  );
});

describe('a schema that is not there', () => {
  it.each([
    '/schemas/3.0/media-buy/get_everything-request.json',
    '/schemas/3.0/media-buy/get_products.json',
    '/schemas/3.0/creative/get_products-request.json',
    '/schemas/3.0/media-buy/',
    '/schemas/3.0/media-buy',
    '/schemas/3.0//media-buy/get_products-request.json',
    '/schemas/3.0/../discovery/adagents.json',
    '/schemas/3.0/%2e%2e/%2e%2e/discovery/adagents.json',
    '/schemas/3.0/..%2f..%2fdiscovery%2fadagents.json',
    '/schemas/3.0/..%5c..%5cdiscovery%5cadagents.json',
    '/schemas/3.0/core/%00',
    '/schemas/..%2fdiscovery/adagents.json',
    '/schemas/%2e%2e/%2e%2e/package.json',
    '/schemas/discovery/adagents.json',
    '/schemas/9.9/media-buy/get_products-request.json',
    '/schemas/3.0.1/',
    `/schemas/3.0-${'a'.repeat(3_000)}/media-buy/get_products-request.json`,
    '/schemas/constructor/core/brand.json',
    '/schemas/3.0/constructor/__proto__-request.json',
  ])('%s is a problem', async (path) => {
    const { get } = await registry();
    const answer = await get(path);
    expect([answer.statusCode, answer.headers['content-type'], answer.headers['cache-control']]).toEqual([
      404,
      'application/problem+json; charset=utf-8',
      'no-store',
    ]);
    expect(answer.json()).toMatchObject({ code: 'not_found', status: 404 });
  });

  it.each([
    '9.9',
    '3.0.1',
    '3.0.0-rc.1',
    'v3.0.0-rc.1',
    '3.0-beta',
    '3-rc.1',
    '3.1-beta',
    '3.1.0-beta.2',
    '3.0.0%2Drc.1',
  ])('of the version %s, which is not installed, lists the versions that are', async (version) => {
    const { get } = await registry();
    for (const path of ['', '/', '/index.json', `/${PRODUCTS}`]) {
      const answer = await get(`/schemas/${version}${path}`);
      expect([path, answer.statusCode]).toEqual([path, 404]);
      expect(answer.json()).toMatchObject({
        code: 'not_found',
        parameter: 'version',
        detail: 'no schemas for this version; available: 3.0.0 (/schemas/ lists them with their aliases)',
        valid_values: ['3.0.0', '3', 'latest', '3.0'],
      });
    }
  });

  it('and no other file of the machine is reached by dots on the wire', async () => {
    const { server } = await openRegistry();
    const { port } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));
    for (const path of [
      '/schemas/3.0.0/../../../package.json',
      '/schemas/3.0.0/core/../../../../package.json',
    ]) {
      expect(await rawGet(port, path)).toMatch(/^HTTP\/1\.1 404 /);
    }
  });

  it('is a 404 whatever the path says', async () => {
    const { get } = await registry();
    const segment = fc.string().filter((text) => text !== '.' && text !== '..');
    await fc.assert(
      fc.asyncProperty(fc.array(segment), async (segments) => {
        const path = segments.map(encodeURIComponent).join('/');
        expect((await get(`/schemas/3.0.0/x${path}`)).statusCode).toBe(404);
      }),
    );
  });

  it('takes no other method', async () => {
    const { server } = await registry();
    const answer = await server.inject({ method: 'PUT', url: `/schemas/3.0/${PRODUCTS}` });
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});

/** A GET whose path no client has tidied up. */
async function rawGet(port: string, path: string): Promise<string> {
  const socket = connect(Number(port), '127.0.0.1');
  socket.end(`GET ${path} HTTP/1.1\r\nHost: registry.invalid\r\nConnection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}
