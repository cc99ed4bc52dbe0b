import { describe, expect, it, onTestFinished } from 'vitest';
import { composeExchange } from '../../src/compose/credentials.ts';
import { composeFetcher } from '../../src/compose/network.ts';
import { readConfig } from '../../src/config.ts';
import { type OAuthClient, readOAuthClient } from '../../src/owners/oauth-client.ts';
import { createTokens } from '../../src/owners/oauth-tokens.ts';
import type { TokenAnswer } from '../../src/owners/token-exchange.ts';
import { type EndpointAnswer, openTokenEndpoint } from './support/token-endpoint.ts';

const NOW = Date.UTC(2026, 0, 6);
const CLIENT = {
  token_endpoint: 'https://auth.example/token',
  client_id: 'tests',
  client_secret: 's3cret:&',
};
const TOKEN = 'a-token-of-an-endpoint';
const GIVEN = { access_token: TOKEN, token_type: 'Bearer', expires_in: 3_600 };

async function exchange(answer: EndpointAnswer, more: Partial<OAuthClient> = {}) {
  const { asked, connectTo } = await openTokenEndpoint('auth.example', answer);
  const clock = { now: () => NOW };
  const fetcher = composeFetcher(readConfig({}), { connectTo: [connectTo] }, clock);
  onTestFinished(() => fetcher.close());
  return { asked, answer: await composeExchange(fetcher, clock)({ ...CLIENT, ...more }) };
}

describe('a token endpoint', () => {
  it('is given the secret in the header, with what the client asks for', async () => {
    const more = { scope: 'a b', resource: 'https://a.example/mcp', audience: 'them' };
    const { asked, answer } = await exchange({ body: GIVEN }, more);
    expect(answer).toEqual({ token: TOKEN, expiresAt: NOW + 3_600_000 });
    const basic = `Basic ${Buffer.from('tests:s3cret%3A%26').toString('base64')}`; // RFC 6749, section 2.3.1
    expect(asked).toEqual([{ authorization: basic, fields: { ...more, grant_type: 'client_credentials' } }]);
  });

  it('is given it among the fields where the client says so', async () => {
    const { asked } = await exchange({ body: GIVEN }, { auth_method: 'body' });
    const { client_id, client_secret } = CLIENT;
    const fields = { client_id, client_secret, grant_type: 'client_credentials' };
    expect(asked).toEqual([{ authorization: undefined, fields }]);
  });

  const refused = { error: 'invalid_client', error_description: 'no such client' };
  it.each<[string, EndpointAnswer, object]>([
    [
      ...(['refuses'] as const),
      { status: 401, headers: { 'www-authenticate': 'Basic realm="them"' }, body: refused },
      {
        kind: 'oauth',
        oauthError: 'invalid_client',
        oauthErrorDescription: 'no such client',
        httpStatus: 401,
      },
    ],
    [
      ...(['repeats the secret'] as const),
      { status: 400, body: { error: 'invalid_client', error_description: `not ${CLIENT.client_secret}` } },
      { kind: 'oauth', oauthErrorDescription: '[redacted]' },
    ],
    ['answers with no token', { body: { ok: true } }, { kind: 'malformed', httpStatus: 200 }],
    ['answers with no JSON', { body: '<html>' }, { kind: 'malformed' }],
    ['fails', { status: 500, body: 'oops' }, { kind: 'malformed', httpStatus: 500 }],
    ['answers endlessly', { body: 'x'.repeat(70_000) }, { kind: 'malformed' }],
    [
      ...(['leads elsewhere'] as const),
      { status: 307, headers: { location: 'https://other.example/' } },
      { kind: 'malformed', httpStatus: 307 },
    ],
    ['gives another type', { body: { ...GIVEN, token_type: 'DPoP' } }, { kind: 'malformed' }],
    ['gives what cannot be sent', { body: { ...GIVEN, access_token: 'a token\r\n' } }, { kind: 'malformed' }],
  ])('that %s gives no token, and a reason', async (_how, given, failure) => {
    const { answer } = await exchange(given);
    expect(answer).toMatchObject({ failure });
    expect(JSON.stringify(answer)).not.toContain(CLIENT.client_secret);
  });

  it.each([
    'https://127.0.0.1/token',
    'https://169.254.169.254/token',
    'https://[::1]/token',
    'https://10.0.0.1:8443/',
  ])('at %s is never asked', async (token_endpoint) => {
    expect((await exchange({ body: GIVEN }, { token_endpoint })).answer).toMatchObject({
      failure: { kind: 'network' },
    });
  });
});

describe('tokens of an OAuth client', () => {
  it.each([
    ['are taken again for five minutes', 3_600_000, [1, 1, 2]],
    ['are taken anew before they end', 200_000, [1, 2, 2]],
    ['that end at once are taken anew for each run', 0, [1, 2, 3]],
    ['that never end are taken again too', undefined, [1, 1, 2]],
  ])('%s', async (_name, livesMs, asked) => {
    let now = NOW;
    let times = 0;
    const answered = async (): Promise<TokenAnswer> => {
      times += 1;
      return { token: TOKEN, ...(livesMs !== undefined && { expiresAt: now + livesMs }) };
    };
    const tokens = createTokens(answered, { now: () => now });
    const seen: number[] = [];
    for (const afterMs of [0, 299_999, 1]) {
      now += afterMs;
      expect(await tokens.take('https://a.example/', 'sealed', CLIENT)).toMatchObject({ token: TOKEN });
      seen.push(times);
    }
    expect(seen).toEqual(asked);
    await tokens.take('https://a.example/', 'sealed anew', CLIENT);
    expect(times).toBe((asked.at(-1) ?? 0) + 1);
  });
});

describe('an OAuth client', () => {
  it('is read with what it may leave out', () => {
    expect(readOAuthClient({ ...CLIENT, scope: '', audience: null, auth_method: 'body' })).toEqual({
      ...CLIENT,
      auth_method: 'body',
    });
  });

  it.each<[string, unknown, string, string]>([
    ['no object', ['x'], 'invalid_blob_shape', 'oauth_client_credentials'],
    ['another member', { ...CLIENT, tenant: 'x' }, 'invalid_blob_shape', 'oauth_client_credentials'],
    ['no secret', { ...CLIENT, client_secret: null }, 'missing_field', 'client_secret'],
    ['no endpoint', {}, 'missing_field', 'token_endpoint'],
    ['a number', { ...CLIENT, scope: 1 }, 'invalid_field_type', 'scope'],
    ['a line break', { ...CLIENT, client_id: 'a\r\nb' }, 'invalid_field_type', 'client_id'],
    ['half a character', { ...CLIENT, client_id: '\ud800' }, 'invalid_field_type', 'client_id'],
    ['a long secret', { ...CLIENT, client_secret: 'x'.repeat(8_193) }, 'field_too_long', 'client_secret'],
    [
      'a variable of ours',
      { ...CLIENT, client_secret: '$ENV:HOME' },
      'invalid_env_reference',
      'client_secret',
    ],
    ['another method', { ...CLIENT, auth_method: 'jwt' }, 'invalid_auth_method_value', 'auth_method'],
    ...[
      ...['http://auth.example/', 'https://127.0.0.1/', 'https://[::1]/', 'https://localhost/', 'nonsense'],
      ...['https://u:p@auth.example/', 'https://auth.example/#a', 'https://metadata/', 'file:///etc/passwd'],
    ].map((token_endpoint): [string, unknown, string, string] => [
      ...([token_endpoint, { ...CLIENT, token_endpoint }] as const),
      ...(['invalid_url', 'token_endpoint'] as const),
    ]),
  ])('is refused with %s', (_what, body, code, field) => {
    expect(readOAuthClient(body)).toMatchObject({ fault: { code, field } });
    expect(JSON.stringify(readOAuthClient(body))).not.toContain(CLIENT.client_secret);
  });
});
