import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { composeCredentials } from '../../src/compose/credentials.ts';
import type { SqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { makeSealingKeys } from '../../src/signing/sealing-keys.ts';
import { tempFolder } from '../cli/support/cli.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { bareDocument } from './support/documents.ts';
import { openRegistry, PROBED_AT } from './support/registry.ts';

const AGENT = 'https://a.example/mcp';
const FREE = 'https://free.example/mcp';
const DESCRIBED = '/api/registry/agents/{encodedUrl}/credential';
const TOKEN = 'canary-0123456789-ABCDEFGHIJ';
const path = (url: string) => `/api/registry/agents/${encodeURIComponent(url)}/credential`;
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const NONE = { agent_url: AGENT, stored: false, set_at: null, kind: null };
const SINCE = new Date(PROBED_AT).toISOString();

/** An agent of nova, and somebody else with a key; everything that was logged is in `lines`. */
async function owned(keys: 'with keys' | 'without keys' = 'with keys') {
  const lines: string[] = [];
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    lines.push(String(chunk));
    done();
  };
  const logger = pino({ level: 'trace' }, new Writable({ write }));
  const credentialKeys = keys === 'with keys' ? join(tempFolder(), 'keys.json') : '';
  if (credentialKeys !== '') await makeSealingKeys(credentialKeys, PROBED_AT);
  const credentialsOf = (records: SqliteRecords) =>
    composeCredentials({ credentialKeys }, records, { now: () => PROBED_AT });
  const registry = await openRegistry(
    [bareDocument(AGENT), bareDocument(FREE)],
    {},
    { logger, credentialsOf },
  );
  await registry.addOwner(AGENT, 'nova');
  const { id, key } = await registry.addKey('nova');
  const stranger = bearer((await registry.addKey('other')).key);
  const ask = (method: 'GET' | 'PUT' | 'DELETE', headers = bearer(key), payload?: unknown, url = AGENT) =>
    registry.server.inject({
      ...{ method, url: path(url) },
      headers: { ...headers, ...(payload !== undefined && { 'content-type': 'application/json' }) },
      ...(payload !== undefined && {
        payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
      }),
    });
  return { ...registry, id, key, stranger, ask, lines };
}

describe('the test credential of an agent, over HTTP', () => {
  it('is stored, told of and forgotten by the owner’s key, and never given back', async () => {
    const { ask, get, records, id, key } = await owned();
    const answers = [
      await ask('GET'),
      await ask('PUT', bearer(key), { token: TOKEN }),
      await ask('GET'),
      await ask('DELETE'),
      await ask('GET'),
    ];
    const stored = { agent_url: AGENT, stored: true, set_at: SINCE, kind: 'bearer' };
    expect(answers.map((answer) => answer.json())).toEqual([NONE, stored, stored, NONE, NONE]);
    expect(answers[2]?.headers).toMatchObject({
      'cache-control': 'private, no-cache',
      vary: 'Authorization',
    });
    const log = await records.owners.auditLog({ subject: AGENT, limit: 2 });
    expect(log).toMatchObject([
      { actor: id, action: 'agent.credential', details: { member: 'nova', kept: false } },
      { actor: id, action: 'agent.credential', details: { member: 'nova', kept: true } },
    ]);
    const document = (await get('/openapi.json')).json<OpenApi>();
    for (const [at, method] of (['get', 'put', 'get', 'delete'] as const).entries())
      expect(breaches(document, DESCRIBED, answers[at] ?? expect.unreachable(), method)).toEqual([]);
  });

  it('is nobody else’s business: one answer for strangers, the public, and agents that nobody owns or knows', async () => {
    const { ask, stranger, key, records } = await owned();
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const payload = method === 'PUT' ? { token: TOKEN } : undefined;
      const answers = [
        await ask(method, stranger, payload),
        await ask(method, {} as never, payload),
        await ask(method, bearer(key), payload, FREE),
        await ask(method, bearer(key), payload, 'https://unknown.example/'),
      ];
      expect(new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1);
      expect(answers[0]?.statusCode).toBe(404);
    }
    expect(await records.owners.credential(AGENT)).toBeUndefined();
  });

  it('is the same in the words of the field’s clients, who are told that OAuth is none of it', async () => {
    const { server, get, records, key, stranger } = await owned();
    const of = (last: string) => DESCRIBED.replace('credential', last);
    const at = (last: string) => path(AGENT).replace('credential', last);
    const document = (await get('/openapi.json')).json<OpenApi>();
    const put = async (payload: object, headers = bearer(key)) => {
      const answer = await server.inject({ method: 'PUT', url: at('connect'), headers, payload });
      expect(breaches(document, of('connect'), answer, 'put')).toEqual([]);
      expect(answer.body).not.toContain(TOKEN);
      return answer;
    };
    const status = async () => {
      const answer = await get(at('auth-status'), bearer(key));
      expect(breaches(document, of('auth-status'), answer)).toEqual([]);
      return answer.json();
    };
    expect(await status()).toMatchObject({ has_auth: false, agent_context_id: null, auth_type: null });
    const wrong = [
      ...[
        {},
        [],
        { auth_token: 'short' },
        { auth_token: TOKEN, token: TOKEN },
        { auth_token: TOKEN, auth_type: 'basic' },
      ],
      ...[{ auth_token: TOKEN, auth_type: null }, { auth_token: TOKEN, [TOKEN]: 1 }, { auth_token: [TOKEN] }],
    ];
    for (const payload of wrong) expect([payload, (await put(payload)).statusCode]).toEqual([payload, 400]);
    expect((await put({ auth_token: TOKEN }, stranger)).statusCode).toBe(404);
    expect((await get(at('auth-status'), stranger)).statusCode).toBe(404);
    expect(await records.owners.credential(AGENT)).toBeUndefined();
    const connected = { connected: true, has_auth: true, agent_context_id: AGENT };
    expect((await put({ auth_token: TOKEN, auth_type: 'bearer' })).json()).toEqual(connected);
    expect((await put({ token: TOKEN })).json()).toEqual(connected);
    expect(await status()).toMatchObject({ has_auth: true, auth_type: 'bearer', has_oauth_token: false });
  });

  it('is changed by no revoked key', async () => {
    const { ask, records, id, key } = await owned();
    await records.keys.revoke(id, PROBED_AT);
    expect((await ask('PUT', bearer(key), { token: TOKEN })).statusCode).toBe(401);
  });

  it.each<[string, unknown, number, string, string | undefined]>([
    ['a short token', { token: 'x1234' }, 400, 'invalid_value', 'token'],
    ['a long one', { token: 'x'.repeat(4_097) }, 400, 'invalid_value', 'token'],
    ['the word Bearer before it', { token: `Bearer ${TOKEN}` }, 400, 'invalid_value', 'token'],
    ['a line break', { token: `${TOKEN}\r\nX-Other: 1` }, 400, 'invalid_value', 'token'],
    ['a number', { token: 123456789 }, 400, 'invalid_value', 'token'],
    ['null', { token: null }, 400, 'invalid_value', 'token'],
    ['something beside it', { token: TOKEN, [TOKEN]: 1 }, 400, 'unknown_parameter', undefined],
    ['no token', {}, 400, 'bad_request', undefined],
    ['a list', [TOKEN], 400, 'bad_request', undefined],
    ['the token alone', JSON.stringify(TOKEN), 400, 'bad_request', undefined],
    ['broken JSON', `{"token": "${TOKEN}`, 400, 'bad_request', undefined],
    ['an endless body', `"${'x'.repeat(9_000)}"`, 413, 'body_too_large', undefined],
  ])(
    'refuses %s, repeats nothing of it and logs nothing of it',
    async (_what, payload, status, code, parameter) => {
      const { ask, key, records, lines } = await owned();
      const answer = await ask('PUT', bearer(key), payload);
      expect([answer.statusCode, answer.json().code, answer.json().parameter]).toEqual([
        status,
        code,
        parameter,
      ]);
      expect(answer.body + lines.join('')).not.toContain(TOKEN);
      expect(await records.owners.credential(AGENT)).toBeUndefined();
    },
  );

  it('is refused for an http agent, and one from before is told to be unused', async () => {
    const { ask, get, addOwner, records, key } = await owned();
    const http = 'http://a.example/mcp';
    await records.members.register({ agent: http, url: http, member: 'nova' }, PROBED_AT);
    await addOwner(http, 'nova');
    const refused = await ask('PUT', bearer(key), { token: TOKEN }, http);
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'not_https']);
    expect(refused.body).not.toContain(TOKEN);
    const actor = { kind: 'operator', member: 'nova' } as const;
    await records.owners.keepCredential({ agent: http, sealed: 'of an earlier version', actor }, PROBED_AT);
    const answer = await ask('GET', bearer(key), undefined, http);
    expect(answer.json()).toEqual({
      agent_url: http,
      stored: true,
      set_at: SINCE,
      kind: 'bearer',
      unused_reason: 'not_https',
    });
    expect(breaches((await get('/openapi.json')).json<OpenApi>(), DESCRIBED, answer)).toEqual([]);
    expect((await ask('DELETE', bearer(key), undefined, http)).json()).toMatchObject({ stored: false });
  });

  it('says what to do where the operator has set no keys', async () => {
    const { ask, key, get } = await owned('without keys');
    const answer = await ask('PUT', bearer(key), { token: TOKEN });
    expect([answer.statusCode, answer.json().code]).toEqual([501, 'not_offered']);
    expect(answer.json().detail).toContain('REGISTRY_CREDENTIAL_KEYS');
    expect((await ask('GET')).json()).toEqual(NONE);
    const document = (await get('/openapi.json')).json<OpenApi>();
    expect(breaches(document, DESCRIBED, answer, 'put')).toEqual([]);
  });

  it('stays out of every log', async () => {
    const { ask, key, lines } = await owned();
    await ask('PUT', bearer(key), { token: TOKEN });
    await ask('GET');
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join('')).not.toContain(TOKEN);
    expect(lines.join('')).not.toContain(key.slice(20));
  });
});
