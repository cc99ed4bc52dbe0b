import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withConnection } from '../../../src/calling/connect.ts';
import type { TaskAnswer } from '../../../src/calling/connection.ts';
import { CallFailure } from '../../../src/calling/failure.ts';
import { systemClock } from '../../../src/compose/clock.ts';
import { composeFetcher } from '../../../src/compose/network.ts';
import { readConfig } from '../../../src/config.ts';
import type { Protocol } from '../../../src/domain/agent-type.ts';
import type { Fetcher, GuardedFetch } from '../../../src/ports/fetcher.ts';
import { generateKey, publicJwk, readSigningKey } from '../../../src/signing/private-key.ts';
import type { Jwk } from '../../../src/signing/public-key.ts';
import { createSigningFetch } from '../../../src/signing/sign.ts';
import type { Sandbox } from '../../src/sandbox.ts';
import { startSandbox } from '../../src/start-sandbox.ts';
import { type WebClient, webClient } from '../support/web-client.ts';

const SALES = 'https://sales-1.agents.example/mcp';
const STRICT = 'https://yellowdoor.example/a2a';
const KEY = { alg: 'ed25519', purpose: 'request-signing', vocabulary: 'proto' } as const;

let sandbox: Sandbox;
let fetcher: Fetcher;
let web: WebClient;
let desk: Jwk;
let stranger: Jwk;

beforeAll(async () => {
  [desk, stranger] = await Promise.all([generateKey(KEY), generateKey(KEY)]);
  sandbox = await startSandbox({ seed: 7, publishers: 5, managed: 0, deskKeys: [publicJwk(desk)] });
  fetcher = composeFetcher(readConfig({}), { connectTo: sandbox.connectTo }, systemClock);
  web = webClient(sandbox.origin);
});

afterAll(async () => {
  await Promise.all([web.close(), fetcher.close()]);
  await sandbox.close();
});

interface As {
  readonly url?: string;
  readonly protocol?: Protocol;
  readonly token?: string;
  readonly key?: Jwk;
}

async function call(task: string, payload: object, as: As = {}): Promise<TaskAnswer> {
  const key = as.key && (await readSigningKey(as.key));
  const signing = { kind: 'request', profile: '3.2', clock: systemClock } as const;
  const visit = {
    url: as.url ?? SALES,
    fetcher,
    clock: systemClock,
    deadlineMs: 20_000,
    ...(as.protocol && { protocols: [as.protocol] }),
    ...(as.token && { auth: as.token }),
    ...(key && { wrap: (fetch: GuardedFetch) => createSigningFetch(fetch, { ...signing, key }) }),
  };
  return withConnection(visit, async (connection) => {
    if (connection instanceof CallFailure) throw connection;
    return connection.callTask(task, payload);
  });
}

const UNAUTHORISED = { outcome: 'failed', failure: { errorClass: 'auth_required', status: 401 } };

const account = (operator: string) => ({ brand: { domain: 'tidewater-kayaks.example' }, operator });

describe('who calls', () => {
  test.each<[string, As]>([
    ['nobody that it knows', {}],
    ['nobody, over A2A', { protocol: 'a2a' }],
  ])('%s: is asked who it is, where the task wants to know', async (_who, as) => {
    const answer = await call('list_accounts', {}, as);
    expect(answer).toMatchObject({ outcome: 'refused', error: { code: 'AUTH_REQUIRED' } });
    expect(await call('get_products', { brief: 'papers' }, as)).toMatchObject({ outcome: 'answered' });
  });

  test.each<[string, As]>([
    ['a token', { token: 'sandbox-desk' }],
    ['a token, over A2A', { token: 'sandbox-desk', protocol: 'a2a' }],
  ])('%s says it', async (_how, as) => {
    expect(await call('list_accounts', {}, as)).toMatchObject({
      outcome: 'answered',
      data: { accounts: [] },
    });
  });

  test.each<Protocol>(['mcp', 'a2a'])(
    'a signature whose key brand.json leads to says it, over %s',
    async (protocol) => {
      expect(await call('list_accounts', {}, { protocol, key: desk })).toMatchObject({ outcome: 'answered' });
    },
  );

  test('a token that nobody was given is refused, and never makes an anonymous caller', async () => {
    expect(await call('get_products', { brief: 'papers' }, { token: 'sandbox-dusk' })).toMatchObject(
      UNAUTHORISED,
    );
  });

  test('a key that no caller publishes signs for nobody', async () => {
    expect(await call('get_products', { brief: 'papers' }, { key: stranger })).toMatchObject(UNAUTHORISED);
  });

  test('the key of one caller with the token of another is refused', async () => {
    const as = { key: desk, token: 'sandbox-magpie' };
    expect(await call('list_accounts', {}, as)).toMatchObject(UNAUTHORISED);
  });

  test('a task that has to be signed answers 401 to a token, with the reason', async () => {
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: {
        message: {
          messageId: 'm',
          role: 'ROLE_USER',
          parts: [{ data: { skill: 'create-media-buy', input: {} } }],
        },
      },
    };
    const answer = await web.fetch(STRICT, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'a2a-version': '1.0',
        authorization: 'Bearer sandbox-desk',
      },
      body: JSON.stringify(body),
    });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      'Signature error="request_signature_required"',
    ]);
    expect(await call('create_media_buy', {}, { url: STRICT, key: desk })).toMatchObject({
      outcome: 'refused',
      error: { code: 'INVALID_REQUEST' },
    });
  });

  test('buyers see their own accounts only', async () => {
    const sync = (operator: string, token: string) =>
      call(
        'sync_accounts',
        { idempotency_key: 'the-same-key-of-two', accounts: [{ ...account(operator), billing: 'operator' }] },
        { token },
      );
    expect(await sync('desk.example', 'sandbox-desk')).toMatchObject({ outcome: 'answered' });
    const other = await sync('magpie.example', 'sandbox-magpie');
    expect(other).toMatchObject({
      outcome: 'answered',
      data: { accounts: [{ operator: 'magpie.example' }] },
    });
    expect(other).not.toHaveProperty('data.replayed');
    const listed = await call('list_accounts', {}, { token: 'sandbox-magpie' });
    expect(JSON.stringify(listed)).not.toContain('desk.example');
  });
});

/** The two calls are made at two moments, which a refusal may name. */
const timeless = (error: object): unknown =>
  JSON.parse(JSON.stringify(error).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a moment'));

describe('a bad request is refused in the same words over MCP and A2A', () => {
  const past = { start_time: '2020-01-01T00:00:00Z', end_time: '2090-02-01T00:00:00Z' };
  const soon = { start_time: '2090-01-01T00:00:00Z', end_time: '2090-02-01T00:00:00Z' };
  const buy = (more: object) => ({
    idempotency_key: 'a-purchase-that-fails',
    account: account('desk.example'),
    brand: { domain: 'tidewater-kayaks.example' },
    ...soon,
    packages: [{ product_id: 'local-front-page', budget: 500, pricing_option_id: 'cpm-eur' }],
    ...more,
  });
  const packageOf = (more: object) => ({
    packages: [{ product_id: 'local-front-page', budget: 500, pricing_option_id: 'cpm-eur', ...more }],
  });

  test.each<[string, string, object, string, string]>([
    [
      'no key',
      'create_media_buy',
      { ...buy({}), idempotency_key: undefined },
      'INVALID_REQUEST',
      '/idempotency_key',
    ],
    ['a number for a text', 'get_products', { brief: 7 }, 'INVALID_REQUEST', '/brief'],
    ['a million characters', 'get_products', { brief: 'b'.repeat(1_000_000) }, 'REQUEST_TOO_LARGE', '/brief'],
    [
      'a budget below zero',
      'create_media_buy',
      buy(packageOf({ budget: -5 })),
      'BUDGET_TOO_LOW',
      '/packages/0/budget',
    ],
    ['a flight in the past', 'create_media_buy', buy(past), 'FLIGHT_IN_PAST', '/start_time'],
    [
      'an unknown product',
      'create_media_buy',
      buy(packageOf({ product_id: 'moon' })),
      'PRODUCT_NOT_FOUND',
      '/packages/0/product_id',
    ],
    [
      'an unknown price',
      'create_media_buy',
      buy(packageOf({ pricing_option_id: 'free' })),
      'PRICING_OPTION_NOT_FOUND',
      '/packages/0/pricing_option_id',
    ],
    [
      'an unknown account',
      'create_media_buy',
      buy({ account: { brand: { domain: 'nobody.example' }, operator: 'desk.example' } }),
      'ACCOUNT_NOT_FOUND',
      '/account',
    ],
    [
      'an unknown version',
      'get_products',
      { brief: 'papers', proto_version: '9.0' },
      'VERSION_UNSUPPORTED',
      '/proto_version',
    ],
    [
      'the schema of another task',
      'get_products',
      { $schema: 'https://x.example/schemas/3.0.0/signals/get_signals-request.json' },
      'SCHEMA_MISMATCH',
      '/$schema',
    ],
  ])('%s', async (_what, task, payload, code, pointer) => {
    const [mcp, a2a] = await Promise.all(
      (['mcp', 'a2a'] as const).map((protocol) => call(task, payload, { protocol, token: 'sandbox-desk' })),
    );
    expect(mcp).toMatchObject({ outcome: 'refused', error: { code, pointer, object: { code, pointer } } });
    if (mcp?.outcome !== 'refused' || a2a?.outcome !== 'refused') throw new Error('it was not refused');
    expect(timeless(a2a.error.object)).toEqual(timeless(mcp.error.object));
    expect(mcp.error.object).toMatchObject({ recovery: 'correctable', message: expect.any(String) });
  });

  test('a body larger than 8 MiB is a 413, and one that is no JSON a 400', async () => {
    const post = (body: string) =>
      web.fetch(SALES, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect((await post('"'.padEnd(9 * 1_048_576, 'x'))).status).toBe(413);
    expect((await post('{')).status).toBe(400);
  });

  test.each([SALES, 'https://sales-1.agents.example/a2a'])(
    'a name that stands twice at any depth is a 400 without a signature too: %s',
    async (url) => {
      const body =
        '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","arguments":{"b":1,"\\u0062":2}}}';
      const headers = { 'content-type': 'application/json', authorization: 'Bearer sandbox-desk' };
      const answer = await web.fetch(url, { method: 'POST', headers, body });
      expect([answer.status, await answer.json()]).toMatchObject([
        400,
        {
          id: 7,
          error: {
            message: expect.stringContaining('duplicate field'),
            data: { code: 'request_body_malformed' },
          },
        },
      ]);
    },
  );
});
