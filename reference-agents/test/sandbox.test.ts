import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AGENT_TYPES } from '../../src/domain/agent-type.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { startSandbox } from '../src/start-sandbox.ts';
import { type WebClient, webClient } from './support/web-client.ts';

let sandbox: Sandbox;
let client: WebClient;

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 7 });
  client = webClient(sandbox.origin);
});

afterAll(async () => {
  await client.close();
  await sandbox.close();
});

const adagents = (domain: string, headers: Record<string, string> = {}) =>
  client.fetch(`https://${domain}/.well-known/adagents.json`, { redirect: 'manual', headers });

test('it is as large as promised and of all nine types', () => {
  const { agents, agentsByType } = sandbox.summary();
  expect(sandbox.domains.publishers.length).toBeGreaterThanOrEqual(200);
  expect(sandbox.domains.brands).toHaveLength(20);
  expect(sandbox.domains.longTail).toHaveLength(6_000);
  expect(agents).toBeGreaterThanOrEqual(30);
  for (const type of AGENT_TYPES) expect(agentsByType[type], type).toBeGreaterThan(0);
  expect(agentsByType.measurement).toBe(12);
});

test('every domain ends in .example and stands once', () => {
  const { all, longTail } = sandbox.domains;
  const domains = [...all, ...longTail];
  expect(new Set(domains).size).toBe(domains.length);
  expect(domains.filter((domain) => !/^[a-z0-9-]+\.example$/.test(domain))).toEqual([]);
});

test('--connect-to leads all names to the listener', () => {
  expect(sandbox.connectTo).toEqual([`*.example=${sandbox.origin}`]);
  expect(sandbox.origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});

test('a host that is not there answers 404', async () => {
  const answer = await client.fetch('https://nobody.example/');
  expect(answer.status).toBe(404);
});

describe('conditional requests', () => {
  const quiet = () =>
    sandbox.expectations.publishers.find(({ variant }) => variant === 'blanket_robots')?.domain ?? '';

  test('a file carries ETag, Last-Modified and Cache-Control', async () => {
    const { headers } = await adagents(quiet());
    expect(headers.get('etag')).toMatch(/^"[0-9a-f]{16}"$/);
    expect(headers.get('last-modified')).toBe('Mon, 05 Jan 2026 09:30:00 GMT');
    expect(headers.get('cache-control')).toBe('max-age=21600');
  });

  test.each([
    ['the same ETag', 304, (etag: string) => ({ 'if-none-match': etag })],
    ['a weak form of it in a list', 304, (etag: string) => ({ 'if-none-match': `"other", W/${etag}` })],
    [
      'another ETag, whatever the date',
      200,
      () => ({ 'if-none-match': '"x"', 'if-modified-since': 'Mon, 05 Jan 2026 09:30:00 GMT' }),
    ],
    ['the date alone', 304, () => ({ 'if-modified-since': 'Mon, 05 Jan 2026 09:30:00 GMT' })],
    ['an earlier date', 200, () => ({ 'if-modified-since': 'Sun, 04 Jan 2026 09:30:00 GMT' })],
  ])('%s brings %i', async (_name, status, headersFor) => {
    const etag = (await adagents(quiet())).headers.get('etag') ?? '';
    expect((await adagents(quiet(), headersFor(etag) as Record<string, string>)).status).toBe(status);
  });
});

describe('determinism', () => {
  const snapshot = async (seed: number): Promise<string[]> => {
    const other = await startSandbox({ seed, publishers: 60, managed: 20 });
    const web = webClient(other.origin);
    const skip = new Set(['hanging', 'dripping', 'huge', 'gzip_bomb']);
    const endless = new Set(
      other.expectations.trouble.filter(({ kind }) => skip.has(kind)).map(({ domain }) => domain),
    );
    const bodies: string[] = [];
    for (const domain of other.domains.all.filter((name) => !endless.has(name))) {
      for (const name of ['adagents.json', 'brand.json', 'jwks.json']) {
        const answer = await web.fetch(`https://${domain}/.well-known/${name}`, { redirect: 'manual' });
        bodies.push(`${domain} ${answer.status} ${await answer.text()}`);
      }
    }
    await web.close();
    await other.close();
    return bodies;
  };

  test('the same seed serves the same bytes, another seed others', async () => {
    const [first, again, other] = [await snapshot(11), await snapshot(11), await snapshot(12)];
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  });

  test('the same seed expects the same', async () => {
    const other = await startSandbox({ seed: 7 });
    expect(other.expectations).toEqual(sandbox.expectations);
    expect(other.summary()).toEqual(sandbox.summary());
    await other.close();
  });
});

test('closing ends requests that hang', async () => {
  const other = await startSandbox({ seed: 1, publishers: 1, managed: 0 });
  const web = webClient(other.origin);
  const pending = expect(web.fetch('https://tarpit.example/.well-known/adagents.json')).rejects.toThrow();
  await web.fetch('https://nobody.example/');
  await other.close();
  await pending;
  await web.close();
});

test('a port that is taken is refused', async () => {
  const port = Number(new URL(sandbox.origin).port);
  await expect(startSandbox({ seed: 1, port, publishers: 1, managed: 0 })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
});
