import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { composeCredentials, composeExchange } from '../../src/compose/credentials.ts';
import { composeFetcher } from '../../src/compose/network.ts';
import { readConfig } from '../../src/config.ts';
import { makeSealingKeys } from '../../src/signing/sealing-keys.ts';
import { tempFolder } from '../cli/support/cli.ts';
import { type EndpointAnswer, openTokenEndpoint } from '../owners/support/token-endpoint.ts';
import { openBrowser } from './support/browser.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { bareDocument } from './support/documents.ts';
import { openRegistry, PROBED_AT } from './support/registry.ts';

const AGENT = 'https://a.example/mcp';
const SECRET = 'canary-of-a-client-0123456789';
const TOKEN = 'canary-of-a-token-0123456789';
const CLIENT = { token_endpoint: 'https://auth.example/token', client_id: 'tests', client_secret: SECRET };
const BASE = `/api/registry/agents/${encodeURIComponent(AGENT)}`;
const DESCRIBED = '/api/registry/agents/{encodedUrl}';
const CLIENTS = '/oauth-client-credentials';

/** An agent of nova's, whose token endpoint gives these answers; all that is answered follows the document and has no secret in it. */
async function owned(...answers: readonly EndpointAnswer[]) {
  const { connectTo, asked } = await openTokenEndpoint('auth.example', ...answers);
  const clock = { now: () => PROBED_AT };
  const fetcher = composeFetcher(readConfig({}), { connectTo: [connectTo] }, clock);
  onTestFinished(() => fetcher.close());
  const credentialKeys = join(tempFolder(), 'keys.json');
  await makeSealingKeys(credentialKeys, PROBED_AT);
  const lines: string[] = [];
  const logged = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) });
  const registry = await openRegistry(
    [bareDocument(AGENT)],
    {},
    {
      ...{ logger: pino({ level: 'trace' }, logged) },
      credentialsOf: (records) =>
        composeCredentials({ credentialKeys }, records, clock, composeExchange(fetcher, clock)),
    },
  );
  await registry.addOwner(AGENT, 'nova');
  const { key } = await registry.addKey('nova');
  const { key: other } = await registry.addKey('other');
  const document = (await registry.get('/openapi.json')).json<OpenApi>();
  const ask = async (method: 'GET' | 'PUT' | 'POST', path: string, payload?: object, by = key) => {
    const answer = await registry.server.inject({
      ...{ method, url: BASE + path, headers: { authorization: `Bearer ${by}` } },
      ...(payload && { payload }),
    });
    expect(breaches(document, DESCRIBED + path, answer, method.toLowerCase() as 'put')).toEqual([]);
    for (const secret of [SECRET, TOKEN]) expect(answer.body + lines.join('')).not.toContain(secret);
    return answer;
  };
  return { ...registry, ask, asked, other, key };
}

describe('the OAuth client of an agent, over HTTP', () => {
  it('is stored and tried, and shows as what it is', async () => {
    const token = { access_token: TOKEN, token_type: 'Bearer', expires_in: 60 };
    const { ask, asked, records } = await owned(
      { body: token },
      { status: 401, body: { error: 'invalid_client', error_description: SECRET } },
    );
    expect((await ask('POST', `${CLIENTS}/test`)).json()).toMatchObject({ status: 404, code: 'not_found' });
    const kind = 'oauth_client_credentials';
    expect((await ask('PUT', CLIENTS, { ...CLIENT, scope: 'adcp' })).json()).toEqual({
      ...{ connected: true, has_auth: true, agent_context_id: AGENT, auth_type: kind },
    });
    expect((await ask('GET', '/auth-status')).json()).toMatchObject({
      ...{ has_auth: true, auth_type: kind, has_oauth_client_credentials: true, has_oauth_token: false },
    });
    expect((await ask('GET', '/credential')).json()).toMatchObject({ stored: true, kind });
    expect((await ask('POST', `${CLIENTS}/test`)).json()).toEqual({ ok: true, latency_ms: 0 });
    expect((await ask('POST', `${CLIENTS}/test`)).json()).toEqual({
      ...{ ok: false, latency_ms: 0 },
      error: {
        ...{ kind: 'oauth', message: 'the token endpoint refused: invalid_client' },
        ...{ oauth_error: 'invalid_client', oauth_error_description: '[redacted]', http_status: 401 },
      },
    });
    expect(asked).toMatchObject([{ fields: { scope: 'adcp' } }, {}]);
    const kept = JSON.stringify([
      await records.owners.credential(AGENT),
      await records.owners.auditLog({ subject: AGENT, limit: 10 }),
    ]);
    expect(kept).toContain(kind);
    for (const text of [SECRET, 'auth.example', '"tests"']) expect(kept).not.toContain(text);
  });

  it('is stored and tried by the forms of the owner’s page, which say why a token was refused', async () => {
    const token = { access_token: TOKEN, token_type: 'Bearer', expires_in: 60 };
    const refusal = { status: 401, body: { error: 'invalid_client', error_description: SECRET } };
    const { server, key, records, asked } = await owned({ body: token }, refusal);
    const own = `/my/agents/${encodeURIComponent(AGENT)}`;
    const browser = await openBrowser(server);
    await browser.post('/sign-in', { key, next: own });
    const send = async (name: string, fields = {}) =>
      browser.submit((await browser.get(own)).body, `${own}/${name}`, fields);
    const wrong = await send('oauth-client', { ...CLIENT, token_endpoint: 'https://10.0.0.1/' });
    expect(wrong.status).toBe(400);
    expect(wrong.body).toContain('An https URL of a public host');
    const form = { ...CLIENT, scope: 'tests', resource: '', audience: '', auth_method: 'basic' };
    expect((await send('oauth-client', form)).location).toBe(`${own}?done=stored`);
    expect(await records.owners.credential(AGENT)).toMatchObject({ kind: 'oauth_client_credentials' });
    const page = (await browser.get(own)).body;
    expect(page).toContain('Stored: an OAuth client (client credentials), since');
    for (const secret of [SECRET, 'auth.example']) expect(page).not.toContain(secret);
    expect((await send('test-oauth-client')).location).toBe(`${own}?done=token-received`);
    expect(asked).toMatchObject([{ fields: { scope: 'tests' } }]);
    const refused = await send('test-oauth-client');
    expect(refused.status).toBe(400);
    expect(refused.body).toContain('The token endpoint refused: invalid_client (HTTP 401).');
    expect(refused.body).not.toContain(SECRET);
  });

  it('is nobody else’s matter, and says what is wrong in the words of the field’s clients', async () => {
    const { ask, other, records } = await owned();
    for (const [method, path] of [
      ['PUT', CLIENTS],
      ['POST', `${CLIENTS}/test`],
    ] as const)
      expect((await ask(method, path, method === 'PUT' ? CLIENT : undefined, other)).statusCode).toBe(404);
    const refused = await ask('PUT', CLIENTS, { ...CLIENT, token_endpoint: 'https://10.0.0.1/' });
    expect(refused.json()).toMatchObject({ status: 400, code: 'invalid_url', field: 'token_endpoint' });
    expect(await records.owners.credential(AGENT)).toBeUndefined();
  });
});
