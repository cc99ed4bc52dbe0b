import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import { sendPublic } from '../../src/api/answers.ts';
import { bareDocument } from './support/documents.ts';
import { openRegistry, sharedRegistry } from './support/registry.ts';
import { AGENT, SELLER, tested } from './support/tested-agent.ts';

const LIST = '/api/registry/agents';
const MANY = Array.from({ length: 40 }, (_, n) => bareDocument(`https://a${n}.example/mcp`));
const many = sharedRegistry(() => openRegistry(MANY));
const UNPACK = { br: brotliDecompressSync, gzip: gunzipSync };

/** Status, encoding and tag of so many answers to `br`, each with a body of its own, which are sent in one turn of the loop. */
async function sentAtOnce(count: number): Promise<unknown[]> {
  const server = fastify();
  const all = Promise.withResolvers<void>();
  let waiting = 0;
  server.get('/', async (request, reply) => {
    waiting += 1;
    if (waiting === count) all.resolve();
    await all.promise;
    return sendPublic(request, reply, { body: Buffer.alloc(10_000, 'x'), etag: '"tag"' });
  });
  const ask = () => server.inject({ url: '/', headers: { 'accept-encoding': 'br' } });
  const answers = await Promise.all(Array.from({ length: count }, ask));
  await server.close();
  return answers.map(({ statusCode, headers }) => [statusCode, headers['content-encoding'], headers.etag]);
}

describe('an answer that is the same for everybody', () => {
  it.each(['br', 'gzip'] as const)('comes packed as %s, with a tag of its own', async (encoding) => {
    const { get } = await many();
    const plain = await get(LIST);
    const packed = await get(LIST, { 'accept-encoding': encoding });
    expect(packed.headers).toMatchObject({
      'content-encoding': encoding,
      vary: 'Accept-Encoding',
      'cache-control': plain.headers['cache-control'],
      'content-length': String(packed.rawPayload.length),
      etag: String(plain.headers.etag).replace(/"$/, `-${encoding}"`),
    });
    expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2);
    expect(UNPACK[encoding](packed.rawPayload)).toEqual(plain.rawPayload);
    expect(plain.headers.vary).toBe('Accept-Encoding');
    expect(plain.headers).not.toHaveProperty('content-encoding');
  });

  it('is 304 for whoever has this form of it, and for nobody else', async () => {
    const { get } = await many();
    const tagOf = async (encoding: string) =>
      String((await get(LIST, { 'accept-encoding': encoding })).headers.etag);
    const [plain, br, gzip] = [await tagOf('identity'), await tagOf('br'), await tagOf('gzip')];
    expect(new Set([plain, br, gzip]).size).toBe(3);
    const ask = async (tag: string, encoding: string) => {
      const { statusCode, headers, body } = await get(LIST, {
        'if-none-match': tag,
        'accept-encoding': encoding,
      });
      return [statusCode, headers.etag, headers.vary, statusCode === 304 ? body : ''];
    };
    const vary = 'Accept-Encoding';
    expect(await ask(br, 'br')).toEqual([304, br, vary, '']);
    expect(await ask(`W/${gzip}, "x"`, 'gzip')).toEqual([304, gzip, vary, '']);
    expect(await ask(plain, 'identity')).toEqual([304, plain, vary, '']);
    expect(await ask('*', 'br')).toEqual([304, br, vary, '']);
    for (const [tag, encoding] of [
      [br, 'gzip'],
      [gzip, 'br'],
      [plain, 'br'],
      [br, 'identity'],
    ] as const)
      expect((await ask(tag, encoding))[0]).toBe(200);
  });

  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['BR', 'br'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['gzip;q=0, br;q=0, *', undefined],
    ['identity', undefined],
    ['deflate, zstd', undefined],
    ['br;q=0', undefined],
    ['', undefined],
    [',;q=,', undefined],
    [`br, ${'x, '.repeat(8_000)}`, undefined],
  ])('is sent to whoever accepts %.30j as %s', async (accepted, encoding) => {
    const { get } = await many();
    const { statusCode, headers } = await get(LIST, { 'accept-encoding': accepted });
    expect([statusCode, headers['content-encoding']]).toEqual([200, encoding]);
  });

  it('is sent as it is when it is small, or while others are packed', async () => {
    const { get } = await many();
    const small = await get(`${LIST}?limit=1`, { 'accept-encoding': 'br' });
    expect(small.headers).not.toHaveProperty('content-encoding');
    const answers = await sentAtOnce(5);
    const br = [200, 'br', '"tag-br"'];
    const plain = [200, undefined, '"tag"'];
    expect(answers).toEqual([br, br, plain, plain, plain]);
  });

  it.each(['/', '/openapi.json', '/schemas/3.0/'])('is %s, too', async (path) => {
    const { get } = await many();
    expect((await get(path, { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBe('gzip');
  });
});

it('what an owner alone is told is never packed, so that its length tells nothing', async () => {
  const { get, owner } = await tested(...Array.from({ length: 12 }, () => SELLER));
  const of = `${LIST}/${encodeURIComponent(AGENT)}`;
  const paths = ['/compliance', '/settings', '/compliance/history', '/compliance/badges'];
  for (const path of paths) {
    const { statusCode, headers, rawPayload } = await get(of + path, {
      ...owner,
      'accept-encoding': 'br, gzip',
    });
    expect([path, statusCode, headers['content-encoding']]).toEqual([path, 200, undefined]);
    expect(rawPayload.length).toBeGreaterThan(0);
  }
});
