import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ANN, changedAt, context, identity, startProvider } from './support.ts';

/** Bytes that are no text. */
const RANDOM = Buffer.from('f3e10fb2c49d07ea', 'hex');

type Row = readonly [name: string, member: object, pointer: string, kind: string];

const USER_ROWS: readonly Row[] = [
  ['a token', { token: ANN }, '/token', 'user_field'],
  ['a user id', { user_id: 'u1' }, '/user_id', 'user_field'],
  ['in camel case', { userId: 'u1' }, '/userId', 'user_field'],
  ['with a prefix', { x_user_email_sha256: 'aa' }, '/x_user_email_sha256', 'user_field'],
  ['as an object', { user: { id: 1 } }, '/user', 'user_field'],
  ['a cookie', { cookies: [] }, '/cookies', 'user_field'],
  ['an address', { ip: '192.0.2.1' }, '/ip', 'user_field'],
  ['a device', { device: {} }, '/device', 'user_field'],
  ['audiences', { audiences: ['a'] }, '/audiences', 'user_field'],
  ['a place on earth', { geo: {} }, '/geo', 'user_field'],
  ['wrapped in an extension', { ext: { a: [{ b: { idfa: 'x' } }] } }, '/ext', 'user_field'],
  ['inside the content', { content: { user_id: 'x' } }, '/content/user_id', 'user_field'],
  [
    'inside the placement',
    { placement: { placement_id: 'a', email: 'x' } },
    '/placement/email',
    'user_field',
  ],
  ['with a Cyrillic letter', { uѕer_id: 'x' }, '/uѕer_id', 'user_field'],
  ['in full width', { ｕｓｅｒ: 'x' }, '/ｕｓｅｒ', 'user_field'],
  ['with a letter of no width', { 'us\u200ber': 'x' }, '/us\u200ber', 'user_field'],
  ['an allowed name with a Cyrillic letter', { cоntent: {} }, '/cоntent', 'unknown_field'],
  ['a name of the prototype', JSON.parse('{"__proto__": {"user_id": "x"}}'), '/__proto__', 'user_field'],
  ['constructor', { constructor: 'x' }, '/constructor', 'unknown_field'],
  ['hasOwnProperty', { hasOwnProperty: 'x' }, '/hasOwnProperty', 'unknown_field'],
  ['toString inside', { content: { toString: 'x' } }, '/content/toString', 'unknown_field'],
  ['nobody knows what', { foo: 1 }, '/foo', 'unknown_field'],
  ['an empty name', { '': 1 }, '/', 'unknown_field'],
  ['a name with a slash', { 'a/b~c': 1 }, '/a~1b~0c', 'unknown_field'],
];

const PAGE_ROWS: readonly Row[] = [
  ['a page', { page: {} }, '/page', 'page_field'],
  ['a URL', { url: 'https://news.example/' }, '/url', 'page_field'],
  ['in camel case', { pageUrl: 'x' }, '/pageUrl', 'page_field'],
  ['the content', { content: context().content }, '/content', 'page_field'],
  ['the property', { property: { property_id: 'a' } }, '/property', 'page_field'],
  ['the placement', { placement: {} }, '/placement', 'page_field'],
  ['topics', { topics: [] }, '/topics', 'page_field'],
  ['keywords', { keywords: [] }, '/keywords', 'page_field'],
  ['a referrer', { referrer: 'x' }, '/referrer', 'page_field'],
  ['wrapped', { ext: { deep: { site: 'x' } } }, '/ext', 'page_field'],
  ['with a Cyrillic letter', { раge: 'x' }, '/раge', 'page_field'],
  ['a name of the prototype', JSON.parse('{"__proto__": {"url": "x"}}'), '/__proto__', 'page_field'],
  ['constructor', { constructor: 'x' }, '/constructor', 'unknown_field'],
  ['more of the user', { user_id: 'x' }, '/user_id', 'unknown_field'],
];

describe('a context match refuses and counts', () => {
  it.each(USER_ROWS)('%s', async (_name, member, pointer, kind) => {
    const { post, counted } = startProvider();
    const request = { ...context(), ...member };
    if (Object.hasOwn(member, '__proto__')) define(request, member);
    const { status, type, body } = await post('/context', request);
    expect([status, type]).toEqual([400, 'application/problem+json; charset=utf-8']);
    expect(body).toMatchObject({
      code: kind === 'user_field' ? 'user_data_in_context' : 'unknown_field',
      pointer,
      retryable: false,
    });
    if (kind === 'user_field') expect(body.detail).toContain('user data is not allowed in a context match');
    expect(counted).toEqual({ requests: [['context', 'refused']], leaks: [['context', kind]] });
  });

  it('a forbidden member before one that is wrong, and counts the forbidden one', async () => {
    const { post, counted } = startProvider();
    const { body } = await post('/context', { request_id: 7, content: { keywords: 7, email: 'x' } });
    expect(body).toMatchObject({ code: 'user_data_in_context', pointer: '/content/email' });
    expect(counted.leaks).toEqual([['context', 'user_field']]);
  });

  it.each([
    ['a query of the address', 'https://news.example/a?uid=1'],
    ['a fragment', 'https://news.example/a#me'],
    ['a user name in the address', 'https://jane@news.example/a'],
    ['an escaped at sign', 'https://news.example/jane%40mail.example'],
    ['an escape that is escaped', 'https://news.example/jane%2540mail.example'],
    ['a broken escape', 'https://news.example/%zz'],
    ['a parameter of a segment', 'https://news.example/a;jsessionid=1'],
    ['an escaped parameter', 'https://news.example/a%3Bsid%3D1'],
    ['a number of nine digits', 'https://news.example/u/123456789'],
    ['an id in its host', 'https://u3f9a2c41d7e60b58.news.example/a'],
    ['a UUID in its path', `https://news.example/${randomUUID()}/a`],
    ['no https', 'http://news.example/a'],
  ])('%s', async (_name, url) => {
    const { post } = startProvider();
    const { status, body } = await post('/context', changedAt(context(), '/content/url', url));
    expect([status, body.pointer]).toEqual([400, '/content/url']);
    expect(JSON.stringify(body)).not.toContain(url);
  });

  it.each([
    [
      'a name twice',
      (text: string) => text.replace('"request_id"', '"content":{"keywords":["jane"]},"request_id"'),
    ],
    ['a name twice inside', (text: string) => text.replace('"topics"', '"topics":["jane"],"topics"')],
    [
      'a name twice, once in escapes',
      (text: string) => text.replace('"topics"', '"\\u0074opics":["jane"],"topics"'),
    ],
  ])('%s', async (_name, change) => {
    const { post } = startProvider();
    const { status, body } = await post('/context', change(JSON.stringify(context())));
    expect([status, body.code]).toEqual([400, 'duplicate_field']);
  });

  it.each([
    ['traceparent', 'unknown_field'],
    ['tracestate', 'unknown_field'],
    ['baggage', 'unknown_field'],
    ['from', 'user_field'],
    ['x-user-id', 'user_field'],
    ['X-Device-IDFA', 'user_field'],
    ['x-client-ip', 'user_field'],
  ])('the header %s', async (header, kind) => {
    const { post, counted } = startProvider();
    const { status, body } = await post('/context', context(), { [header]: 'anna' });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).not.toContain('anna');
    expect(counted.leaks).toEqual([['context', kind]]);
  });

  const CORRELATING = [
    ...[
      'x-request-id',
      'request-id',
      'x-correlation-id',
      'x-b3-traceid',
      'b3',
      'uber-trace-id',
      'x-cloud-trace-context',
    ],
    ...[
      'x-amzn-trace-id',
      'x-datadog-trace-id',
      'sentry-trace',
      'elastic-apm-traceparent',
      'newrelic',
      'cf-ray',
      'x-anything',
    ],
    ...[
      'authorization',
      'idempotency-key',
      'if-none-match',
      'link',
      'sec-ch-ua',
      'forwarded',
      'content-location',
      'dnt',
    ],
  ];
  it.each(CORRELATING)('the header %s, on both sides: what is not allowed is refused', async (header) => {
    const { post, counted } = startProvider();
    expect((await post('/context', context(), { [header]: 'k3j9' })).status).toBe(400);
    expect((await post('/identity', identity(), { [header]: 'k3j9' })).status).toBe(400);
    expect(counted.leaks).toHaveLength(2);
  });

  it.each([
    ['accept-language', 'de-AT'],
    ['user-agent', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36'],
    ['user-agent', 'agent/7f3a9c21d4'],
    ['user-agent', ANN.slice(0, 31)],
    ['via', `1.1 ${ANN}`],
    ['x-forwarded-host', '7f3a9c21d4e5b6a7.example'],
    ['x-forwarded-for', '7f3a9c21d4e5b6a77f3a9c21d4e5b6a7'],
    ['x-real-ip', '192.0.2.1, anna'],
    ['accept', 'application/anna'],
    ['content-type', 'application/json; anna=1'],
    ['keep-alive', 'anna'],
    ['x-forwarded-proto', 'anna'],
  ])('the header %s, when it says %s', async (header, value) => {
    const { post } = startProvider();
    const { status, body } = await post('/context', context(), { [header]: value });
    expect([status, body.code]).toEqual([
      400,
      expect.stringMatching(/^(user_data_in_context|unknown_field)$/),
    ]);
  });

  it('nothing that the fetch of a server or curl sends', async () => {
    const { post } = startProvider();
    const node = {
      accept: '*/*',
      'accept-language': '*',
      'sec-fetch-mode': 'cors',
      'user-agent': 'node',
      'accept-encoding': 'gzip, deflate',
    };
    expect((await post('/context', context(), node)).status).toBe(200);
    expect((await post('/identity', identity(), { ...node, 'user-agent': 'curl/8.5.0' })).status).not.toBe(
      400,
    );
  });

  it.each(['k3j9x2m4q8z1', 'k3j9x2m4q8z1w5a', 'a1b2c3d4e5'])('the short random id %s', async (id) => {
    const { post } = startProvider();
    const { body } = await post('/context', changedAt(context(), '/content/content_id', id));
    expect(body).toMatchObject({ code: 'user_data_in_context', pointer: '/content/content_id' });
  });

  it('no name of an episode, and no header of a proxy', async () => {
    const { post } = startProvider();
    const episode = changedAt(context(), '/content/content_id', 's01e02-4k-dub');
    const proxied = { 'x-forwarded-for': '192.0.2.1', 'x-real-ip': '192.0.2.1', via: '1.1 edge' };
    expect((await post('/context', episode, proxied)).status).toBe(200);
    const more = {
      'x-forwarded-for': '192.0.2.1:443, 2001:db8::1, [2001:db8::2]:80',
      'x-forwarded-host': '127.0.0.1:80',
    };
    const named = { ...more, via: '1.1 proxy-04.fra.example.net', 'user-agent': 'prebid-server-java/3.18.0' };
    expect((await post('/context', context(), named)).status).toBe(200);
  });

  it('a cookie and a query of its own address', async () => {
    const { post, counted } = startProvider();
    expect((await post('/context', context(), { cookie: 'id=1' })).body.code).toBe('user_data_in_context');
    expect((await post('/context?uid=1', context())).body.code).toBe('user_data_in_context');
    expect((await post('/context?x=1', context())).body.code).toBe('unknown_field');
    expect(counted.leaks.map(([, kind]) => kind)).toEqual(['user_field', 'user_field', 'unknown_field']);
  });
});

describe('an identity match refuses and counts', () => {
  it.each(PAGE_ROWS)('%s', async (_name, member, pointer, kind) => {
    for (const [path, fine] of [
      ['identity', identity()],
      ['exposure', { request_id: randomUUID(), token: ANN, package_id: 'rail-pass' }],
    ] as const) {
      const { post, counted } = startProvider();
      const request = { ...fine, ...member };
      if (Object.hasOwn(member, '__proto__')) define(request, member);
      const { status, body } = await post(`/${path}`, request);
      expect([status, body.pointer]).toEqual([400, pointer]);
      expect(body.code).toBe(kind === 'page_field' ? 'page_data_in_identity' : 'unknown_field');
      expect(counted.leaks).toEqual([[path, kind]]);
    }
  });

  it.each([
    ['an address', 'https://news.example/travel/night-trains', 'invalid_field'],
    ['an e-mail address', 'jane.doe.of.the.night.trains@mail.example', 'invalid_field'],
    ['the slug of a page', 'night-trains-are-back-in-fashion-all-over-europe', 'page_data_in_identity'],
    [
      'an address in base64url',
      Buffer.from('https://news.example/travel/trains').toString('base64url'),
      'page_data_in_identity',
    ],
    [
      'an address in hexadecimal',
      Buffer.from('https://news.example/a').toString('hex'),
      'page_data_in_identity',
    ],
    ...[
      'https://news.example/politik/wähler-2026',
      '/sport/fußball/bundesliga-ergebnisse',
      'https://news.example/politics\n',
    ].map((text): [string, string, string] => [
      text,
      Buffer.from(text).toString('base64url'),
      'page_data_in_identity',
    ]),
    ...['politics/article', 'новости/политика'].map((text): [string, string, string] => [
      `${text} in UTF-16`,
      Buffer.from(text, 'utf16le').toString('base64url'),
      'page_data_in_identity',
    ]),
    [
      'text in UTF-16, the high byte first',
      Buffer.from('politics/article', 'utf16le').swap16().toString('base64url'),
      'page_data_in_identity',
    ],
    [
      'an address between random bytes',
      Buffer.concat([RANDOM, Buffer.from('news.example/politics'), RANDOM]).toString('base64url'),
      'page_data_in_identity',
    ],
    [
      'a text of thousands of signs',
      Buffer.from('新聞/政治/選挙の結果と').toString('base64url'),
      'page_data_in_identity',
    ],
    ['too short a text', ANN.slice(0, 31), 'invalid_field'],
    ['too long a text', ANN.repeat(3), 'invalid_field'],
  ])('%s as the token', async (_name, token, code) => {
    const { post } = startProvider();
    const { status, body } = await post('/identity', identity({ token }));
    expect([status, body.code, body.pointer]).toEqual([400, code, '/token']);
    expect(JSON.stringify(body)).not.toContain(token);
  });

  it.each([
    ['traceparent', 'unknown_field'],
    ['tracestate', 'unknown_field'],
    ['baggage', 'unknown_field'],
    ['from', 'unknown_field'],
    ['x-user-id', 'unknown_field'],
    ['x-page-url', 'page_field'],
  ])('the header %s', async (header, kind) => {
    const { post, counted } = startProvider();
    expect((await post('/identity', identity(), { [header]: 'x' })).status).toBe(400);
    expect(counted.leaks).toEqual([['identity', kind]]);
  });

  it('a referrer, an origin, a cookie and a query of its own address', async () => {
    const { post, counted } = startProvider();
    for (const header of ['referer', 'origin', 'cookie'])
      expect((await post('/identity', identity(), { [header]: 'https://news.example' })).status).toBe(400);
    expect((await post('/identity?ref=news', identity())).status).toBe(400);
    expect(counted.leaks.map(([, kind]) => kind)).toEqual([
      'page_field',
      'page_field',
      'unknown_field',
      'page_field',
    ]);
  });
});

/** As JSON.parse makes it: a property of its own. */
function define(request: object, member: object): void {
  const value = Object.getOwnPropertyDescriptor(member, '__proto__')?.value;
  Object.defineProperty(request, '__proto__', { value, enumerable: true });
}
