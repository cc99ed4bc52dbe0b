import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { problemBody } from '../../src/api/problem.ts';
import { createClient, RegistryFailure } from '../../src/client/index.ts';
import { bareDocument } from '../api/support/documents.ts';
import { openRegistry } from '../api/support/registry.ts';

const URLS = ['a', 'b', 'c', 'd', 'e'].map((name) => `https://${name}.example/mcp`);
const problem = (code: Parameters<typeof problemBody>[0]) => problemBody(code, 'so it is');

async function openClient() {
  const registry = await openRegistry(URLS.map((url) => bareDocument(url)));
  const baseUrl = await registry.server.listen({ port: 0, host: '127.0.0.1' });
  return { registry, baseUrl, client: createClient({ baseUrl }) };
}

interface Scripted {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}
const answerWith = (response: ServerResponse, { status = 200, headers = {}, body = '{}' }: Scripted) =>
  response.writeHead(status, { 'content-type': 'application/problem+json', ...headers }).end(body);

/** Answers by the script, its last line for ever; `break` closes the connection, and `silence` never answers. */
async function openScript(...script: readonly (Scripted | 'break' | 'silence')[]) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const line = script[Math.min(asked.length, script.length - 1)];
    asked.push(`${request.method} ${request.url}`);
    if (line === 'break') request.socket.destroy();
    else if (line !== 'silence') answerWith(response, line ?? {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { asked, baseUrl: `http://127.0.0.1:${port}` };
}

const OK: Scripted = { headers: { 'content-type': 'application/json' }, body: '{"agents":[],"message":"x"}' };
const BUSY: Scripted = { status: 503, headers: { 'retry-after': '0' }, body: problem('overloaded') };
const RATE: Scripted = { status: 429, headers: { 'retry-after': '0' }, body: problem('rate_limited') };
async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: RegistryFailure) => error,
  );

describe('a call', () => {
  it('answers what the registry answers', async () => {
    const { client, registry } = await openClient();
    const answer = await client.call('listAgents', { type: 'sales', limit: 2 });
    expect(answer).toEqual((await registry.get('/api/registry/agents?type=sales&limit=2')).json());
  });

  it('puts an agent address into the path as one segment', async () => {
    const { client } = await openClient();
    const { url } = (await client.call('getAgent', { encodedUrl: URLS[0] ?? '' })) as { url: string };
    expect(url).toBe(URLS[0]);
  });

  it('for the schemas of a version that is not installed fails with the versions that are', async () => {
    const { client } = await openClient();
    const file = { area: 'media-buy', file: 'get_products-request.json' } as const;
    expect(await client.call('getSchema', { version: '3.0', ...file })).toMatchObject({ type: 'object' });
    for (const version of ['3.0.0-rc.1', '3.1-beta'])
      expect(await failure(client.call('getSchema', { version, ...file }))).toMatchObject({
        code: 'not_found',
        problem: { valid_values: ['3.0.0', '3', 'latest', '3.0'] },
      });
  });

  it('repeats a parameter for each of its values', async () => {
    const { asked, baseUrl } = await openScript(OK);
    await createClient({ baseUrl }).call('listAgents', { metric_id: ['a b', 'c&d'] });
    expect(asked).toEqual(['GET /api/registry/agents?metric_id=a+b&metric_id=c%26d']);
  });

  it('accepts one value of a parameter that may be repeated', async () => {
    const { asked, baseUrl } = await openScript(OK);
    const client = createClient({ baseUrl });
    await client.call('listAgents', {
      accreditation: 'MRC',
      metric_id: 'viewable_rate',
      verification_mode: 'live',
    });
    // @ts-expect-error: not a verification mode
    await client.call('listAgents', { verification_mode: 'dead' });
    // @ts-expect-error: `type` may not be repeated
    await client.call('listAgents', { type: ['sales', 'creative'] });
    expect(asked[0]).toBe(
      'GET /api/registry/agents?accreditation=MRC&metric_id=viewable_rate&verification_mode=live',
    );
  });

  it('keeps the path of a registry that stands under one', async () => {
    const { asked, baseUrl } = await openScript(OK);
    await createClient({ baseUrl: `${baseUrl}/registry/` }).call('listAgents');
    expect(asked).toEqual(['GET /registry/api/registry/agents']);
  });

  it('reads the pages of a list to its end, from any cursor', async () => {
    const { client } = await openClient();
    const found = await all(client.items('listAgents', { limit: 2 }));
    expect(found.map(({ url }) => url)).toEqual(URLS);
    const [first] = await all(client.pages('listAgents', { limit: 2 }));
    const rest = client.items('listAgents', { limit: 2, cursor: String(first?.next_cursor) });
    expect((await all(rest)).map(({ url }) => url)).toEqual(URLS.slice(2));
  });

  it('reads a feed as far as it goes, and goes on from its last cursor when something has happened', async () => {
    const { client, registry } = await openClient();
    const pages = await all(client.pages('getFeed', { limit: 2 }));
    const told = pages.flatMap(({ events }) => events.map(({ payload }) => payload.agent_url));
    expect(told).toEqual(URLS);
    await registry.put([bareDocument('https://new.example/mcp')]);
    const later = await all(client.items('getFeed', { cursor: String(pages.at(-1)?.cursor) }));
    expect(later.map(({ payload }) => payload.agent_url)).toEqual(['https://new.example/mcp']);
  });

  it('ends a list that names its own page as the next', async () => {
    const body = '{"agents":[{}],"next_cursor":"x"}';
    const { baseUrl } = await openScript({ ...OK, body });
    const items = all(createClient({ baseUrl }).items('listAgents'));
    expect(await failure(items)).toMatchObject({ code: 'not_understood' });
  });
});

describe('a failure', () => {
  it('has the code of the problem, its sentence, and what to do', async () => {
    const { client } = await openClient();
    const error = await failure(client.call('listAgents', { colour: 'nothing' } as object));
    expect(error).toBeInstanceOf(RegistryFailure);
    expect(error).toMatchObject({ code: 'unknown_parameter', status: 400, problem: { parameter: 'colour' } });
    expect(error?.hint).toMatch(/^(use one of|correct the parameter)/);
  });

  it('says of an unknown agent how to find it, not its message again', async () => {
    const { client } = await openClient();
    const error = await failure(client.call('getAgent', { encodedUrl: `${URLS[0]}x` }));
    expect(error?.hint).toBe('check the URL, or find the agent with `searchAgents`');
  });

  it.each([
    ['not_offered', 501],
    ['not_found', 404],
    ['opted_out', 409],
  ] as const)('says of %s something else than its message', async (code, status) => {
    const { baseUrl } = await openScript({ status, body: problem(code) });
    const error = await failure(createClient({ baseUrl }).call('listAgents'));
    expect(error?.hint).not.toBe(error?.message);
  });

  it.each([
    ['a page of something else', { status: 404, headers: { 'content-type': 'text/html' }, body: '<p>' }],
    ['a problem that is none', { status: 400, body: '[]' }],
    ['an answer that is no JSON', { ...OK, body: '{' }],
    ['no answer', { status: 204, headers: {}, body: '' }],
    ['a page of a hotel', { headers: { 'content-type': 'text/html' }, body: '<p>' }],
    ['an object of something else', { ...OK, body: '{}' }],
    ['a list', { ...OK, body: '[]' }],
    ['nothing, as JSON', { ...OK, body: 'null' }],
    ['an object where a list should be', { ...OK, body: '{"agents":{}}' }],
  ])('says of %s that it is not understood', async (_what, line) => {
    const { baseUrl } = await openScript(line);
    const client = createClient({ baseUrl });
    for (const asked of [client.call('listAgents'), all(client.items('listAgents'))])
      expect(await failure(asked)).toMatchObject({ code: 'not_understood', status: line.status ?? 200 });
  });
});

describe('pages', () => {
  it.each([
    ['{}', 'getFeed'],
    ['{"agents":[],"next_cursor":7}', 'listAgents'],
    ['{"agents":[],"next_cursor":""}', 'listAgents'],
  ] as const)('of %s are not understood, and none is given as the next', async (body, name) => {
    const { asked, baseUrl } = await openScript({ ...OK, body });
    expect(await failure(all(createClient({ baseUrl }).items(name)))).toMatchObject({
      code: 'not_understood',
    });
    expect(asked).toHaveLength(1);
  });
});

describe('a repetition', () => {
  const RUN = { encodedUrl: 'https://a.example/mcp', body: {} };
  it.each([
    ['reads again what was busy', [BUSY, OK], 'GET', undefined, 2],
    ['reads again what broke', ['break', OK], 'GET', undefined, 2],
    ['gives up after so many', [BUSY], 'GET', 'overloaded', 3],
    ['sends nothing twice that may have been done', ['break', OK], 'POST', 'unreachable', 1],
    ['sends a POST again that was refused unread', [RATE, OK], 'POST', undefined, 2],
    ['leaves a cooldown alone', [{ ...RATE, body: problem('run_cooldown') }], 'POST', 'run_cooldown', 1],
    ['leaves a fault alone', [{ status: 500, body: problem('internal') }], 'GET', 'internal', 1],
    ['waits no hour', [{ ...BUSY, headers: { 'retry-after': '3600' } }], 'GET', 'overloaded', 1],
  ] as const)('%s', async (_what, script, method, code, tries) => {
    const { asked, baseUrl } = await openScript(...script);
    const client = createClient({ baseUrl, retries: 2 });
    const error = await failure(
      method === 'GET' ? client.call('listAgents') : client.call('refreshAgent', RUN),
    );
    expect([error?.code, asked.length]).toEqual([code, tries]);
  });
});

describe('the end of a call', () => {
  it('comes with the time it was given', async () => {
    const { baseUrl } = await openScript('silence');
    const client = createClient({ baseUrl, timeoutMs: 20, retries: 0 });
    expect(await failure(client.call('listAgents'))).toMatchObject({ code: 'timed_out' });
  });

  it.each([
    ['an answer', 'silence' as const],
    ['its turn', { ...BUSY, headers: { 'retry-after': '20' } }],
  ])('comes with the signal, while it waits for %s', async (_what, line) => {
    const { asked, baseUrl } = await openScript(line);
    const ending = new AbortController();
    const call = failure(createClient({ baseUrl }).call('listAgents', {}, { signal: ending.signal }));
    await expect.poll(() => asked.length).toBe(1);
    ending.abort(new Error('enough'));
    expect((await call)?.message).toBe('enough');
  });
});
