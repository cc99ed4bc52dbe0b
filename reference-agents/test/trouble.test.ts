import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sandbox } from '../src/sandbox.ts';
import { startSandbox } from '../src/start-sandbox.ts';
import { type WebClient, webClient } from './support/web-client.ts';

let sandbox: Sandbox;
let client: WebClient;

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 7, publishers: 5, managed: 0 });
  client = webClient(sandbox.origin);
});

afterAll(async () => {
  await client.close();
  await sandbox.close();
});

const domainOf = (kind: string): string =>
  sandbox.expectations.trouble.find((each) => each.kind === kind)?.domain ?? '';
const get = (kind: string, headers: Record<string, string> = {}) =>
  client.fetch(`https://${domainOf(kind)}/.well-known/adagents.json`, { redirect: 'manual', headers });

/** Counts decoded bytes until there are more than `limit`. */
async function countTo(response: Response, limit: number): Promise<number> {
  let size = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > limit) break;
  }
  return size;
}

test.each([
  ['server_error', 500],
  ['html', 200],
  ['html_as_json', 200],
  ['redirect_loop', 302],
  ['off_domain_redirect', 301],
  ['redirect_target', 200],
  ['broken_json', 200],
  ['throttled', 429],
  ['missing', 404],
  ['bad_entries', 200],
])('%s answers %i', async (kind, status) => {
  const answer = await get(kind);
  await answer.text();
  expect(answer.status).toBe(status);
});

test('the redirects lead where they say', async () => {
  expect((await get('redirect_loop')).headers.get('location')).toContain(domainOf('redirect_loop'));
  expect((await get('off_domain_redirect')).headers.get('location')).toContain(domainOf('redirect_target'));
});

test('HTML comes with its own content type and with that of JSON', async () => {
  for (const [kind, type] of [
    ['html', 'text/html'],
    ['html_as_json', 'application/json'],
  ] as const) {
    const answer = await get(kind);
    expect(answer.headers.get('content-type')).toContain(type);
    expect(await answer.text()).toMatch(/^<!doctype html>/);
  }
});

test.each(['broken_json', 'html'])('%s is no JSON', async (kind) => {
  const text = await (await get(kind)).text();
  expect(() => JSON.parse(text)).toThrow();
});

test('nesting is deep and valid', async () => {
  expect(JSON.parse(await (await get('deep_nesting')).text())).toBeInstanceOf(Array);
});

test('huge goes on past twenty megabytes', async () => {
  expect(await countTo(await get('huge'), 20_000_000)).toBeGreaterThan(20_000_000);
});

test('the bomb is gzip that goes on past twenty megabytes', async () => {
  const answer = await get('gzip_bomb');
  expect(answer.headers.get('content-encoding')).toBe('gzip');
  expect(await countTo(answer, 20_000_000)).toBeGreaterThan(20_000_000);
});

test('the tarpit takes a request and says nothing, the tap drips', async () => {
  const listen = (kind: string) => {
    const socket = connect(Number(new URL(sandbox.origin).port), '127.0.0.1');
    socket.write(`GET /.well-known/adagents.json HTTP/1.1\r\nhost: ${domainOf(kind)}\r\n\r\n`);
    return socket;
  };
  const silent = listen('hanging');
  silent.once('data', () => expect.unreachable());
  const dripping = listen('dripping');
  for (let drops = 0; drops < 3; drops += 1) await once(dripping, 'data');
  silent.destroy();
  dripping.destroy();
});

test('one good entry stands between bad ones', async () => {
  const { authorized_agents } = (await (await get('bad_entries')).json()) as { authorized_agents: unknown[] };
  expect(authorized_agents.length).toBeGreaterThan(5);
  expect(sandbox.expectations.trouble.find(({ kind }) => kind === 'bad_entries')?.authorises).toHaveLength(1);
});

test('references chain, and the last of them is not https', async () => {
  expect(await (await get('reference_to_reference')).json()).toEqual({
    authoritative_location: `https://${domainOf('reference_to_http')}/.well-known/adagents.json`,
  });
  expect(await (await get('reference_to_http')).json()).toHaveProperty(
    'authoritative_location',
    expect.stringMatching(/^http:/),
  );
});
