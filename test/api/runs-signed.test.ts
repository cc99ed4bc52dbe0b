import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { composeKeyDirectory } from '../../src/compose/signature-keys.ts';
import { RegistryError } from '../../src/errors.ts';
import type { Nonces } from '../../src/records/counted-nonces.ts';
import type { SignOptions } from '../../src/signing/sign.ts';
import { later } from '../budgets/later.ts';
import { facts, mention } from '../contract/records-fixtures.ts';
import { declare } from '../contract/records-steps.ts';
import { fetcherFor, serve } from '../crawl/fetch/web.ts';
import { makeKey, sign, type TestKey } from '../signing/support.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { bareDocument } from './support/documents.ts';
import { openRegistry, PROBED_AT } from './support/registry.ts';
import { AGENT, BASE, bearer } from './support/tested-agent.ts';

const OTHER = 'https://b.example/mcp';
const DESCRIBED = '/api/registry/agents/{encodedUrl}/compliance/runs';
const of = (agent: string) => `/api/registry/agents/${encodeURIComponent(agent)}/compliance/runs`;

/** A registry that listens, over a web in which each of two agents of nova names a key of its own. */
async function listening(baseUrl?: string) {
  const keys = { 'a.example': await makeKey('build'), 'b.example': await makeKey('other') };
  const files: Record<string, unknown> = {};
  for (const [host, key] of Object.entries(keys)) {
    files[`${host}/.well-known/brand.json`] = {
      house: { domain: host, name: host },
      brands: [],
      agents: [{ type: 'sales', url: `https://${host}/mcp` }],
    };
    files[`${host}/.well-known/jwks.json`] = { keys: [key.public] };
  }
  const web = await serve(async (asked, response) => {
    const file = await files[`${asked.headers.host}${asked.url}`];
    response.writeHead(file === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(file ?? {}));
  });
  const clock = { now: () => registry.clock.value };
  const fetcher = fetcherFor(web);
  const replays: Nonces = {
    isFull: (...asked) => registry.records.nonces.isFull(...asked),
    remember: (...asked) => registry.records.nonces.remember(...asked),
  };
  const signatures = { directory: composeKeyDirectory(fetcher, clock), replays };
  const config = baseUrl === undefined ? {} : { baseUrl };
  const registry = await openRegistry([bareDocument(AGENT), bareDocument(OTHER)], config, { signatures });
  await registry.addOwner(AGENT, 'nova');
  await registry.addOwner(OTHER, 'nova');
  await registry.server.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await fetcher.close();
    await web.close();
  });
  const { port } = registry.server.server.address() as AddressInfo;
  return { ...registry, web, files, replays, port, key: keys['a.example'], other: keys['b.example'] };
}

type Listening = Awaited<ReturnType<typeof listening>>;

interface Call {
  readonly key?: TestKey;
  readonly body?: string;
  readonly path?: string;
  readonly origin?: string;
  readonly options?: Partial<SignOptions>;
  /** What is changed after the signing. */
  readonly sent?: string;
  readonly headers?: Record<string, string>;
  /** Of the connection. Default 127.0.0.1. */
  readonly localAddress?: string;
}

/** Signs a request as an agent's build system does; what is returned can be sent again and again. */
async function signed({ port, key, clock }: Listening, call: Call = {}) {
  const { body = JSON.stringify({ agent_url: AGENT }), path = of(AGENT) } = call;
  const origin = call.origin ?? `http://127.0.0.1:${port}`;
  const message = await sign(
    call.key ?? key,
    { now: clock.value / 1_000, ...call.options },
    {
      method: 'POST',
      url: origin + path,
      headers: [
        ['Host', new URL(origin).host],
        ['Content-Type', 'application/json'],
      ],
      body: Buffer.from(body),
    },
  );
  const headers = { ...Object.fromEntries(message.headers), ...call.headers };
  return async () => {
    const { localAddress = '127.0.0.1' } = call;
    const answer = request({ host: '127.0.0.1', localAddress, port, path, method: 'POST', headers });
    answer.end(call.sent ?? body);
    const [response] = (await new Promise((resolve, reject) => {
      answer.on('response', (got) => resolve([got])).on('error', reject);
    })) as [import('node:http').IncomingMessage];
    const content = await text(response);
    return { statusCode: response.statusCode ?? 0, headers: response.headers, body: content };
  };
}

const post = async (registry: Listening, call: Call = {}) => (await signed(registry, call))();

describe('asking for a run with a request that the agent signed', () => {
  it('is taken by a key that the agent’s brand.json leads to, and the audit log names it', async () => {
    const registry = await listening();
    const answer = await post(registry);
    expect([answer.statusCode, JSON.parse(answer.body)]).toEqual([
      202,
      expect.objectContaining({ agent_url: AGENT, state: 'queued', triggered_by: 'webhook' }),
    ]);
    expect(await registry.records.owners.auditLog({ subject: AGENT, limit: 1 })).toMatchObject([
      { actor: 'signature:build', action: 'run.ask' },
    ]);
    const document = (await registry.get('/openapi.json')).json<OpenApi>();
    expect(breaches(document, DESCRIBED, answer, 'post')).toEqual([]);
    const again = await post(registry);
    expect(JSON.parse(again.body)).toEqual(JSON.parse(answer.body));
  });

  it('is taken with the tag of the public protocol too', async () => {
    const registry = await listening();
    expect((await post(registry, { options: { vocabulary: 'adcp' } })).statusCode).toBe(202);
  });

  it('fetches brand.json and key set once for many requests', async () => {
    const registry = await listening();
    for (let n = 0; n < 3; n += 1) await post(registry);
    expect(registry.web.seen).toHaveLength(2);
  });

  it('is taken whatever the brand.json of a stranger calls the agent', async () => {
    const registry = await listening();
    const said = mention('a-stranger.example', AGENT, { declaredUrl: `${AGENT}/` });
    await declare(registry.records, 'a-stranger.example', 'brand', 'one', facts({ mentions: [said] }));
    expect((await post(registry)).statusCode).toBe(202);
  });

  it('is taken under the spelling of the agent’s own brand.json', async () => {
    const registry = await listening();
    const brand = registry.files['a.example/.well-known/brand.json'] as { agents: object[] };
    brand.agents = [{ type: 'sales', url: `${AGENT}/` }];
    const said = mention('a.example', AGENT, { declaredUrl: `${AGENT}/` });
    await declare(registry.records, 'a.example', 'brand', 'one', facts({ mentions: [said] }));
    expect((await post(registry)).statusCode).toBe(202);
  });

  it('is for the public address of the registry where one is set', async () => {
    const registry = await listening('https://registry.example');
    const headers = { host: 'registry.example' };
    expect((await post(registry, { origin: 'https://registry.example', headers })).statusCode).toBe(202);
    const elsewhere = await post(registry, { origin: 'https://registry.test', headers });
    expect(JSON.parse(elsewhere.body)).toMatchObject({ signature_error: 'request_signature_invalid' });
    expect((await post(registry)).statusCode).toBe(401);
  });

  it('is let in by nobody while its nonce cannot be written', async () => {
    const registry = await listening();
    const away = new RegistryError('store_unavailable', 'the records are away');
    registry.replays.remember = () => Promise.reject(away);
    expect((await post(registry)).statusCode).toBe(503);
    registry.replays.isFull = () => Promise.reject(away);
    expect((await post(registry)).statusCode).toBe(503);
    expect(await registry.records.owners.auditLog({ subject: AGENT, limit: 9 })).not.toMatchObject([
      { action: 'run.ask' },
    ]);
  });

  it('is let in once', async () => {
    const registry = await listening();
    const send = await signed(registry);
    expect((await send()).statusCode).toBe(202);
    const replayed = await send();
    expect(replayed.statusCode).toBe(401);
    expect(JSON.parse(replayed.body)).toMatchObject({
      code: 'invalid_signature',
      signature_error: 'request_signature_replayed',
    });
    expect(replayed.headers['www-authenticate']).toBe('Signature error="request_signature_replayed"');
  });

  const body = JSON.stringify({ agent_url: AGENT });
  const REFUSED: readonly (readonly [string, (registry: Listening) => Call, string])[] = [
    ['another agent’s key', ({ other }) => ({ key: other }), 'request_signature_key_unknown'],
    ['a changed body', () => ({ sent: body.replace('}', ' }') }), 'request_signature_digest_mismatch'],
    [
      'a body that is not covered',
      () => ({ options: { coverDigest: false } }),
      'request_signature_components_incomplete',
    ],
    [
      'an old signature',
      () => ({ options: { now: PROBED_AT / 1_000 - 900 } }),
      'request_signature_window_invalid',
    ],
    [
      'a signature for another address',
      ({ port }) => ({ origin: 'https://elsewhere.example', headers: { host: `127.0.0.1:${port}` } }),
      'request_signature_invalid',
    ],
    [
      'a Host that is not ours',
      () => ({ headers: { host: 'a.example' } }),
      'request_signature_header_malformed',
    ],
    ['half a signature', () => ({ headers: { signature: '' } }), 'request_signature_header_malformed'],
  ];

  it.each(REFUSED)('is refused with %s', async (_name, callOf, code) => {
    const registry = await listening();
    const answer = await post(registry, callOf(registry));
    expect([answer.statusCode, JSON.parse(answer.body).signature_error]).toEqual([401, code]);
    const document = (await registry.get('/openapi.json')).json<OpenApi>();
    expect(breaches(document, DESCRIBED, answer, 'post')).toEqual([]);
    expect(await registry.records.runs.requested(AGENT)).toBeUndefined();
  });

  it('is refused by a key for something else, and while the keys cannot be had', async () => {
    const registry = await listening();
    const webhook = await makeKey('hook', 'webhook-signing');
    registry.files['a.example/.well-known/jwks.json'] = { keys: [webhook.public] };
    const disguised = { ...webhook.signer, purpose: undefined };
    const key = { ...webhook, signer: disguised } as unknown as TestKey;
    expect(JSON.parse((await post(registry, { key })).body)).toMatchObject({
      signature_error: 'request_signature_key_purpose_invalid',
    });
    const away = await listening();
    delete away.files['a.example/.well-known/brand.json'];
    const answer = await post(away);
    expect(JSON.parse(answer.body)).toMatchObject({ signature_error: 'request_signature_jwks_unavailable' });
    expect(answer.body).not.toContain('404'); // what our fetches came to is nobody's business
    expect(answer.headers['retry-after']).toBe('30');
  });

  it('names the agent of the path in its body', async () => {
    const registry = await listening();
    const wrong = await post(registry, { body: JSON.stringify({ agent_url: OTHER }) });
    expect(JSON.parse(wrong.body)).toMatchObject({ code: 'invalid_value', parameter: 'agent_url' });
    expect(JSON.parse((await post(registry, { body: '{}' })).body)).toMatchObject({ code: 'invalid_value' });
    expect(await registry.records.runs.requested(AGENT)).toBeUndefined();
    expect(await registry.records.runs.requested(OTHER)).toBeUndefined();
  });

  it('is the one 404 for an agent that nobody owns, and nothing is fetched for it', async () => {
    const registry = await listening();
    await registry.records.owners.disown(AGENT, 'nova', PROBED_AT);
    const free = await post(registry);
    const path = of('https://nobody.example/');
    const unknown = await post(registry, { path });
    const settings = await registry.get(BASE.replace(/compliance$/, 'settings'));
    expect([free.statusCode, free.body]).toEqual([404, settings.body]);
    expect([unknown.statusCode, unknown.body]).toEqual([404, settings.body]);
    expect(registry.web.seen).toEqual([]);
  });

  it('is taken while the site of another agent keeps everybody waiting who asks for its keys', async () => {
    const registry = await listening();
    const { promise: late, resolve: answer } = Promise.withResolvers<undefined>();
    registry.files['a.example/.well-known/brand.json'] = late;
    const waiting = Array.from({ length: 9 }, () => post(registry));
    await expect.poll(() => registry.web.seen.length).toBe(1);
    const body = JSON.stringify({ agent_url: OTHER });
    const well = await post(registry, {
      key: registry.other,
      path: of(OTHER),
      body,
      localAddress: '127.0.0.2',
    });
    answer(undefined);
    expect(well.statusCode).toBe(202);
    const answers = await Promise.all(waiting);
    // what we do not look up says nothing about the keys
    const [refused, judged] = [429, 401].map((code) => answers.filter((one) => one.statusCode === code));
    expect([refused?.length, judged?.length]).toEqual([5, 4]);
    expect(new Set(refused?.map(({ headers }) => headers['retry-after']))).toEqual(new Set(['5']));
    const codes = judged?.map((one) => JSON.parse(one.body).signature_error);
    expect(new Set(codes)).toEqual(new Set(['request_signature_jwks_unavailable']));
  });

  it('is not mixed with an API key', async () => {
    const registry = await listening();
    const { key } = await registry.addKey('nova');
    const answer = await post(registry, { headers: bearer(key) });
    expect(JSON.parse(answer.body)).toMatchObject({ status: 400, code: 'bad_request' });
  });

  it('is refused without any look at it after thirty in a minute from one address', async () => {
    const registry = await listening();
    later(0); // the window does not go on meanwhile
    for (let n = 0; n < 30; n += 1) await post(registry, { key: registry.other });
    const fetched = registry.web.seen.length;
    const answer = await post(registry);
    expect([answer.statusCode, JSON.parse(answer.body).code]).toEqual([429, 'rate_limited']);
    expect(answer.headers['retry-after']).toBe('60');
    expect(registry.web.seen).toHaveLength(fetched);
    later(60_000);
    expect((await post(registry)).statusCode).toBe(202);
  });
});
