import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRedact } from '../../src/base/redact.ts';
import { composeExchange } from '../../src/compose/credentials.ts';
import { composeFetcher } from '../../src/compose/network.ts';
import { readConfig } from '../../src/config.ts';
import { type OAuthClient, readOAuthClient } from '../../src/owners/oauth-client.ts';
import { createTokens } from '../../src/owners/oauth-tokens.ts';
import type { TokenAnswer } from '../../src/owners/token-exchange.ts';
import {
  type EchoedRequest,
  type EndpointAnswer,
  type EndpointAnswers,
  openTokenEndpoint,
} from './support/token-endpoint.ts';

const NOW = Date.UTC(2026, 0, 6);
const CLIENT = {
  token_endpoint: 'https://auth.example/token',
  client_id: 'tests',
  client_secret: 's3cret:&',
};
const TOKEN = 'a-token-of-an-endpoint';
const GIVEN = { access_token: TOKEN, token_type: 'Bearer', expires_in: 3_600 };

async function exchange(answer: EndpointAnswers, more: Partial<OAuthClient> = {}) {
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
    expect(answer).toMatchObject({ token: TOKEN, expiresAt: NOW + 3_600_000 });
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

/** Each character as a number, for escapes. */
const each = (text: string, write: (hex: string) => string) =>
  [...text].map((one) => write(one.charCodeAt(0).toString(16).padStart(2, '0'))).join('');
const base64 = (text: string) => Buffer.from(text).toString('base64');
const formEncoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
const strict = (text: string) =>
  encodeURIComponent(text)
    .replace(/[-_.!~*'()]/g, (one) => each(one, (hex) => `%${hex.toUpperCase()}`))
    .replaceAll('%20', '+');
const HTML = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const html = (text: string) => text.replace(/[&<>"']/g, (one) => HTML[one as keyof typeof HTML]);
const json = (text: string) => JSON.stringify(text).slice(1, -1);
/** The ways in which an endpoint may write what it was sent. */
const WAYS: readonly ((text: string) => string)[] = [
  ...[(text: string) => text, encodeURIComponent, formEncoded, strict],
  (text) => encodeURIComponent(text).toLowerCase(),
  (text) => formEncoded(text).toLowerCase(),
  ...[base64, (text: string) => Buffer.from(text).toString('base64url')],
  ...[json, (text: string) => json(json(text)), html, (text: string) => json(html(text))],
  (text) => each(text, (hex) => `\\u00${hex}`),
  (text) => each(text, (hex) => `\\u{${hex}}`),
  (text) => each(text, (hex) => `%${hex}`),
  (text) => each(text, (hex) => `&#x${hex};`),
  (text) => each(text, (hex) => `&#${Number.parseInt(hex, 16)};`),
];
/** All that an endpoint was sent of a client (RFC 6749, section 2.3.1), and what follows from it, in all these ways. */
function formsOf({ client_id: id, client_secret: secret }: typeof CLIENT): readonly string[] {
  const credential = `${strict(id)}:${strict(secret)}`;
  const sent = [secret, strict(secret), credential, base64(credential), `Basic ${base64(credential)}`];
  return [...new Set([...sent, `${id}:${secret}`].flatMap((text) => WAYS.map((write) => write(text))))];
}

describe('a token endpoint that says again what it was sent', () => {
  const SPOKEN: typeof CLIENT = {
    ...CLIENT,
    client_id: 'registry tests/1',
    client_secret: 'p"ss <w&rd>+of\\us%2',
  };

  it.each<[string, (request: EchoedRequest) => EndpointAnswer]>([
    ['the header, in its description', ({ authorization }) => refused(`no: ${authorization}`)],
    [
      'the header decoded',
      ({ authorization }) => refused(Buffer.from(authorization.slice(6), 'base64').toString()),
    ],
    ['the body, in its description', ({ body }) => refused(`got ${body}`)],
    ['the header, as its error', ({ authorization }) => ({ status: 400, body: { error: authorization } })],
    [
      'all of it, in a body that is no JSON',
      ({ authorization, body }) => ({ status: 500, body: authorization + body }),
    ],
    [
      'all of it, in headers',
      ({ authorization, body }) => ({
        status: 401,
        headers: { 'www-authenticate': `Basic realm="${authorization}"`, 'x-body': body },
        body: { error: 'invalid_client' },
      }),
    ],
    [
      'the header, in the URL of a redirect',
      ({ authorization, body }) => ({
        status: 307,
        headers: { location: `https://auth.example/?${encodeURIComponent(authorization)}&${body}` },
      }),
    ],
    [
      'the header, in the host of a redirect',
      ({ authorization }) => ({
        status: 302,
        headers: { location: `https://${Buffer.from(authorization).toString('hex').slice(0, 60)}.example/` },
      }),
    ],
    [
      'the header, as the type of a token',
      ({ authorization }) => ({ body: { ...GIVEN, token_type: authorization } }),
    ],
    ['the header, as a token', ({ authorization }) => ({ body: { ...GIVEN, access_token: authorization } })],
  ])('has none of it shown: %s', async (_where, answerTo) => {
    for (const auth_method of ['basic', 'body'] as const) {
      const { answer } = await exchange(answerTo, { ...SPOKEN, auth_method });
      expect(answer.failure).toBeDefined();
      const text = JSON.stringify(answer);
      expect(formsOf(SPOKEN).filter((form) => text.includes(form))).toEqual([]);
    }
  });

  it('has no form of it shown, whatever the client is called and its secret is', async () => {
    const printable = (minLength: number) => fc.string({ unit: 'grapheme-ascii', minLength, maxLength: 40 });
    let description = '';
    const { connectTo } = await openTokenEndpoint('auth.example', () => refused(description));
    const clock = { now: () => NOW };
    const fetcher = composeFetcher(readConfig({}), { connectTo: [connectTo] }, clock);
    onTestFinished(() => fetcher.close());
    const ask = composeExchange(fetcher, clock);
    await fc.assert(
      fc.asyncProperty(
        printable(1),
        printable(1),
        fc.nat(),
        printable(0),
        async (client_id, client_secret, way, around) => {
          const client = { ...CLIENT, client_id, client_secret };
          const forms = formsOf(client);
          description = `${around} ${forms[way % forms.length]} ${around}`;
          const { failure } = await ask(client);
          expect(failure?.oauthErrorDescription).toBe('[redacted]');
        },
      ),
      { numRuns: 300 },
    );
  });

  it('has none of it in what an agent says afterwards, nor the token', async () => {
    const { answer } = await exchange({ body: GIVEN }, SPOKEN);
    if (answer.failure !== undefined) throw new Error('there is a token');
    const redact = createRedact([answer.token, ...answer.sent]);
    for (const form of [...formsOf(SPOKEN), ...WAYS.map((write) => write(TOKEN))])
      expect(redact({ said: `is it ${form}?` }).said).not.toContain(form);
    expect(redact({ said: 'no such client' })).toEqual({ said: 'no such client' });
  });

  function refused(error_description: string): EndpointAnswer {
    return { status: 401, body: { error: 'invalid_client', error_description } };
  }
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
      return { token: TOKEN, sent: [], ...(livesMs !== undefined && { expiresAt: now + livesMs }) };
    };
    const tokens = createTokens(answered, { now: () => now });
    const seen: number[] = [];
    for (const afterMs of [0, 300_000, 1]) {
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
