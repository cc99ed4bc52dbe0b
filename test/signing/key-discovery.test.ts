import type { RequestListener } from 'node:http';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { composeKeyDirectory } from '../../src/compose/signature-keys.ts';
import { readAdagents } from '../../src/discovery/read-adagents.ts';
import { pinnedKeys, type SigningAgent } from '../../src/signing/agent-keys.ts';
import type { MessageKind } from '../../src/signing/profile.ts';
import { fetcherFor, serve, type Web } from '../crawl/fetch/web.ts';
import { makeKey, outcome, sign, type TestKey, verify } from './support.ts';

const AGENT = 'https://agents.news.example/mcp';
type Signer = SigningAgent & { readonly kind: MessageKind };

const agent: Signer = {
  url: AGENT,
  brandJsonUrl: 'https://news.example/.well-known/brand.json',
  kind: 'request',
};

let key: TestKey;
let next: TestKey;
let now: number;
let files: Record<
  string,
  { readonly body: unknown; readonly status?: number; readonly headers?: Record<string, string> }
>;
let web: Web;

const listener: RequestListener = (request, response) => {
  const file = files[`${request.headers.host}${request.url}`];
  if (file === undefined) return response.writeHead(404).end();
  response.writeHead(file.status ?? 200, { 'content-type': 'application/json', ...file.headers });
  return response.end(typeof file.body === 'string' ? file.body : JSON.stringify(file.body));
};

const brand = (entry: object, more: object = {}) => ({
  body: {
    house: { domain: 'news.example', name: 'News' },
    brands: [],
    agents: [{ type: 'buying', ...entry }],
    ...more,
  },
});

beforeEach(async () => {
  key = await makeKey('k1');
  next = await makeKey('k2');
  now = Date.parse('2026-11-21T12:00:00Z');
  files = {
    'news.example/.well-known/brand.json': brand({ url: AGENT }),
    'agents.news.example/.well-known/jwks.json': { body: { keys: [key.public] } },
  };
  web = await serve(listener);
  onTestFinished(() => web.close());
});

/** A directory with memory, over a real server. */
function directory() {
  const clock = { now: () => now };
  const fetcher = fetcherFor(web);
  onTestFinished(() => fetcher.close());
  return composeKeyDirectory(fetcher, clock);
}

async function judged(of = directory(), by = key, who: Signer = agent): Promise<string> {
  const signed = await sign(by, { kind: who.kind, now: now / 1_000 });
  const verdict = await verify(signed, [], { kind: who.kind, now: now / 1_000, keys: of.keysOf(who) });
  return verdict.verified ? outcome(verdict) : `${verdict.code}: ${verdict.detail}`;
}

const fetchesOf = (path: string) => web.seen.filter((line) => line.endsWith(path)).length;

describe('the keys of an agent', () => {
  it('are found through brand.json, at the usual place or where jwks_uri says', async () => {
    expect(await judged()).toBe('verified');
    files['news.example/.well-known/brand.json'] = brand({
      url: AGENT,
      jwks_uri: 'https://keys.example/set.json',
    });
    expect(await judged()).toMatch(/^request_signature_jwks_unavailable: .*keys.example.*404/);
    files['keys.example/set.json'] = { body: { keys: [key.public] } };
    expect(await judged()).toBe('verified');
  });

  it.each([
    [
      'an entry that differs by a slash, which is named',
      () => brand({ url: `${AGENT}/` }),
      /key_unknown: .*no entry for https:\/\/agents.news.example\/mcp; entries on this host: \S+\/mcp\//,
    ],
    [
      'another way to the agent, and the declared one is named',
      () => brand({ url: 'https://AGENTS.news.example/a2a' }),
      /key_unknown: .*entries on this host: https:\/\/AGENTS.news.example\/a2a/,
    ],
    [
      'an entry of another agent',
      () => brand({ url: 'https://other.news.example/' }),
      /key_unknown: .*no entry for [^;]*$/,
    ],
    ['no brand.json', () => ({ body: '', status: 404 }), /jwks_unavailable: .*404/],
    ['a brand.json that is none', () => ({ body: '[]' }), /jwks_unavailable: .*invalid content/],
    [
      'a redirect to another brand.json',
      () => ({ body: '', status: 302, headers: { location: 'https://news.example/other.json' } }),
      /jwks_unavailable: .*redirect/,
    ],
  ])('are not found with %s', async (_name, file, expected) => {
    files['news.example/.well-known/brand.json'] = file();
    files['news.example/other.json'] = brand({ url: AGENT });
    expect(await judged()).toMatch(expected);
  });

  it.each([
    [
      'a redirect',
      { body: '', status: 301, headers: { location: 'https://agents.news.example/moved.json' } },
      /redirect/,
    ],
    ['a server that fails', { body: '', status: 503 }, /503/],
    ['more than 64 KiB', { body: JSON.stringify({ keys: ['x'.repeat(70_000)] }) }, /jwks.json/],
    ['no JSON', { body: '<html>' }, /invalid content/],
  ])('are not there with %s', async (_name, file, expected) => {
    files['agents.news.example/moved.json'] = { body: { keys: [key.public] } };
    files['agents.news.example/.well-known/jwks.json'] = file;
    const told = await judged();
    expect(told).toMatch(/^request_signature_jwks_unavailable/);
    expect(told).toMatch(expected);
  });

  it('of another domain count only when it is named among the operators, for as long as it is', async () => {
    const stranger = { ...agent, brandJsonUrl: 'https://house.example/brand.json' };
    files['house.example/brand.json'] = brand({ url: AGENT });
    expect(await judged(directory(), key, stranger)).toMatch(
      /key_unknown: .*is not authoritative for news.example/,
    );
    const operators = (valid_until: string) => ({
      authorized_operators: [{ domain: 'news.example', brands: ['*'], valid_until }],
    });
    files['house.example/brand.json'] = {
      body: {
        house: { domain: 'house.example', name: 'House', ...operators('2027-01-01T00:00:00Z') },
        brands: [],
        agents: [{ type: 'buying', url: AGENT }],
        ...operators('2027-01-01T00:00:00Z'),
      },
    };
    expect(await judged(directory(), key, stranger)).toBe('verified');
    now = Date.parse('2027-02-01T00:00:00Z');
    expect(await judged(directory(), key, stranger)).toMatch(/is not authoritative for/);
  });

  it('are remembered as long as their headers say, and a new one is found at once', async () => {
    files['agents.news.example/.well-known/jwks.json'] = {
      body: { keys: [key.public] },
      headers: { 'cache-control': 'max-age=120' },
    };
    const keys = directory();
    for (let time = 0; time < 5; time += 1) expect(await judged(keys)).toBe('verified');
    expect(fetchesOf('jwks.json')).toBe(1);
    now += 10_000;
    files['agents.news.example/.well-known/jwks.json'] = {
      body: { keys: [next.public] },
      headers: { 'cache-control': 'max-age=120' },
    };
    expect(await judged(keys, next)).toBe('verified');
    expect(await judged(keys, key)).toMatch(/key_unknown/);
    expect(fetchesOf('jwks.json')).toBe(2);
    now += 121_000;
    expect(await judged(keys, next)).toBe('verified');
    expect(fetchesOf('jwks.json')).toBe(3);
  });

  it('that are unknown make one fetch in 30 s, however often and by however many they are asked for', async () => {
    const keys = directory();
    expect(await judged(keys)).toBe('verified');
    now += 5_000;
    const stranger = await makeKey('nobody');
    const answers = await Promise.all(Array.from({ length: 10 }, () => judged(keys, stranger)));
    expect(answers.every((answer) => answer.includes('key_unknown'))).toBe(true);
    expect(fetchesOf('jwks.json')).toBe(2);
    now += 29_000;
    expect(await judged(keys, stranger)).toContain('key_unknown');
    expect(fetchesOf('jwks.json')).toBe(2);
    now += 2_000;
    expect(await judged(keys, stranger)).toContain('key_unknown');
    expect(fetchesOf('jwks.json')).toBe(3);
  });

  it('stay good for those who have one while a stranger’s question fails', async () => {
    const keys = directory();
    expect(await judged(keys)).toBe('verified');
    now += 31_000;
    files['agents.news.example/.well-known/jwks.json'] = { body: '', status: 503 };
    expect(await judged(keys, await makeKey('nobody'))).toContain('jwks_unavailable');
    expect(await judged(keys)).toBe('verified');
  });
});

describe('the keys that a publisher pins', () => {
  const pinned = (...keys: readonly object[]) => {
    const { declaration } = readAdagents(
      Buffer.from(
        JSON.stringify({
          authorized_agents: [
            {
              url: AGENT,
              authorized_for: 'all',
              authorization_type: 'property_tags',
              property_tags: ['all'],
              signing_keys: keys,
            },
          ],
          properties: [
            {
              property_type: 'website',
              name: 'News',
              identifiers: [{ type: 'domain', value: 'news.example' }],
              tags: ['all'],
            },
          ],
        }),
      ),
    );
    if (declaration === undefined) throw new Error('the file is not valid');
    return pinnedKeys([declaration], AGENT);
  };
  const webhook = (pins: SigningAgent['pins']): Signer => ({
    ...agent,
    kind: 'webhook',
    ...(pins && { pins }),
  });

  it('stand in the place of its own for webhooks, and say nothing of requests', async () => {
    const own = await makeKey('w1', 'webhook-signing');
    const pin = await makeKey('w2', 'webhook-signing');
    files['agents.news.example/.well-known/jwks.json'] = { body: { keys: [own.public, key.public] } };
    const pins = pinned(pin.public);
    expect(pins).toHaveLength(1);
    expect(await judged(directory(), own, webhook([]))).toBe('verified');
    expect(await judged(directory(), pin, webhook(pins))).toBe('verified');
    expect(await judged(directory(), own, webhook(pins))).toMatch(/^webhook_signature_key_unknown/);
    expect(await judged(directory(), key, { ...agent, pins })).toBe('verified');
  });

  it('are those for requests where the agent publishes none for webhooks', async () => {
    const { purpose: _left, ...signer } = key.signer;
    const silent = { ...key, signer };
    expect(await judged(directory(), silent, webhook([]))).toBe('verified');
    const own = await makeKey('w1', 'webhook-signing');
    files['agents.news.example/.well-known/jwks.json'] = { body: { keys: [own.public, key.public] } };
    expect(await judged(directory(), silent, webhook([]))).toMatch(/^webhook_signature_key_purpose_invalid/);
  });

  it('need not say what they are for, and count until they are revoked', async () => {
    const pin = await makeKey('w2', 'webhook-signing');
    const { kty, crv, x, kid } = pin.public;
    expect(await judged(directory(), pin, webhook(pinned({ kty, crv, x, kid })))).toBe('verified');
    const revoked = (revoked_at: string) => webhook(pinned({ kty, crv, x, kid, revoked_at }));
    expect(await judged(directory(), pin, revoked('2026-11-21T11:59:59Z'))).toMatch(
      /^webhook_signature_key_revoked/,
    );
    expect(await judged(directory(), pin, revoked('2026-11-21T12:00:01Z'))).toBe('verified');
    expect(
      await judged(directory(), pin, webhook(pinned({ ...pin.public, proto_use: 'governance-signing' }))),
    ).toMatch(/^webhook_signature_key_purpose_invalid/);
  });
});
