import { describe, expect, it } from 'vitest';
import { ANN, BEN, changedAt, startProvider } from './support.ts';

// Requests as the public protocol writes them (its schemas of 3.0, trusted match).

const CONTEXT = {
  type: 'context_match_request',
  request_id: 'ctx-9pQ2rXv7',
  property_rid: '01916f3a-9c4e-7000-8000-000000000010',
  property_id: 'news_homepage',
  property_type: 'website',
  placement_id: 'article-top',
  seller_agent_url: 'https://seller.example/mcp',
  artifact_refs: [
    { type: 'url', value: 'https://news.example/travel/night-trains' },
    { type: 'gtin', value: '4006381333931' },
    { type: 'isbn', value: '978-0-306-40615-7' },
    { type: 'eidr', value: '10.5240/7791-8534-2C23-9030-8610-5' },
  ],
  geo: { country: 'US', region: 'US-CA', metro: { system: 'nielsen_dma', value: '803' } },
  context_signals: {
    topics: ['632', 'travel.rail'],
    taxonomy_source: 'iab',
    taxonomy_id: 7,
    sentiment: 'positive',
    keywords: ['technology', 'night train'],
    language: 'en',
    content_policies: ['csbs'],
  },
  package_ids: ['rail-pass', 'spring-sale'],
};
const IDENTITY = {
  type: 'identity_match_request',
  request_id: 'id-7kWz3LmB',
  seller_agent_url: 'https://seller.example/mcp',
  identities: [
    { user_token: ANN, uid_type: 'publisher_first_party' },
    { user_token: 'ID5*aK3vR8sWq1ZxT5bYh0LmC7eUaJ2dGf9PoI4t+uS6wQ==', uid_type: 'id5' },
  ],
  package_ids: ['for-ann', 'for-ben', 'unknown'],
  consent: { gdpr: false },
};

describe('the public form', () => {
  it('of a context match gets offers by the same rules', async () => {
    const { post, counted } = startProvider({
      targets: [
        { packageId: 'rail-pass', topics: ['632'] },
        { packageId: 'elsewhere' },
        { packageId: 'spring-sale' },
      ],
    });
    const { status, body } = await post('/context', CONTEXT);
    expect([status, body]).toEqual([
      200,
      {
        type: 'context_match_response',
        request_id: 'ctx-9pQ2rXv7',
        status: 'completed',
        offers: [
          { package_id: 'rail-pass', score: 0.7 },
          { package_id: 'spring-sale', score: 0.1 },
        ],
      },
    ]);
    expect(counted.requests).toEqual([['context', 'ok']]);
  });

  it('of an identity match says what any of the tokens allows and none forbids', async () => {
    const { post } = startProvider({
      rules: [
        { packageId: 'for-ann', audiences: ['ann'] },
        { packageId: 'for-ben', audiences: ['ben'] },
        { packageId: 'not-for-ann', suppressedAudiences: ['ann'] },
        { packageId: 'for-all' },
      ],
      members: { ann: [ANN], ben: [BEN] },
    });
    expect((await post('/identity', IDENTITY)).body).toEqual({
      type: 'identity_match_response',
      request_id: 'id-7kWz3LmB',
      status: 'completed',
      eligible_package_ids: ['for-ann'],
      serve_window_sec: 60,
    });
    const { package_ids: _, ...all } = { ...IDENTITY, request_id: 'id-2' };
    expect((await post('/identity', all)).body.eligible_package_ids).toEqual(['for-ann', 'for-all']);
  });

  it('counts a cap when any of the tokens has used it up', async () => {
    const rules = [{ packageId: 'for-ann', frequencyCap: { maxImpressions: 1, windowSeconds: 60 } }];
    const { post, show } = startProvider({ rules });
    await show(ANN, 'for-ann');
    expect((await post('/identity', IDENTITY)).body.eligible_package_ids).toEqual([]);
  });

  it('has one token in its older form', async () => {
    const { post } = startProvider({ rules: [{ packageId: 'p' }] });
    const older = { type: 'identity_match_request', request_id: 'x', user_token: ANN, uid_type: 'uid2' };
    expect((await post('/identity', { ...older, package_ids: ['p'] })).body.eligible_package_ids).toEqual([
      'p',
    ]);
  });

  it.each<[string, string, string, unknown, string]>([
    [
      'an e-mail address as a topic',
      '/context',
      '/context_signals/topics/0',
      'ann@post.example',
      'invalid_field',
    ],
    [
      'a token as a topic',
      '/context',
      '/context_signals/topics/0',
      ANN.toLowerCase(),
      'user_data_in_context',
    ],
    [
      'a token as a placement',
      '/context',
      '/placement_id',
      'kn3vr8swq1zxt5byh0lmc7eu',
      'user_data_in_context',
    ],
    [
      'a user in a reference',
      '/context',
      '/artifact_refs/0/value',
      'https://a.example/u/0171 5551234',
      'invalid_field',
    ],
    [
      'a token in a reference',
      '/context',
      '/artifact_refs/0',
      { type: 'custom', value: ANN },
      'user_data_in_context',
    ],
    [
      'a telephone number as a code',
      '/context',
      '/artifact_refs/0',
      { type: 'gtin', value: '491715551234' },
      'user_data_in_context',
    ],
    [
      'a hash of an address',
      '/context',
      '/artifact_refs/0',
      { type: 'url_hash', value: ANN },
      'invalid_field',
    ],
    [
      'a property that is none of the catalogue',
      '/context',
      '/property_rid',
      'f81d4fae-7dec-41d0-a765-00a0c91e6bf6',
      'invalid_field',
    ],
    ['a user in the signals', '/context', '/context_signals/user_id', 'x', 'user_data_in_context'],
    ['a user in a reference, by its name', '/context', '/artifact_refs/0/email', 'x', 'user_data_in_context'],
    ['the whole content', '/context', '/artifact', { assets: [] }, 'unknown_field'],
    ['a summary', '/context', '/context_signals/summary', 'what Ann said', 'unknown_field'],
    [
      'a metro area that is a number of somebody',
      '/context',
      '/geo/metro/value',
      '1715551234',
      'invalid_field',
    ],
    [
      'a user in the seller',
      '/context',
      '/seller_agent_url',
      `https://s.example/${ANN.toLowerCase().slice(0, 32)}`,
      'user_data_in_context',
    ],
    ['a page', '/identity', '/page_url', 'https://news.example/', 'page_data_in_identity'],
    [
      'a page beside a token',
      '/identity',
      '/identities/0/url',
      'https://news.example/',
      'page_data_in_identity',
    ],
    [
      'a slug as a token',
      '/identity',
      '/identities/1/user_token',
      'night-trains-of-europe-2026',
      'page_data_in_identity',
    ],
    [
      'an address as a token',
      '/identity',
      '/identities/0/user_token',
      Buffer.from('https://news.example/a/b').toString('base64url'),
      'page_data_in_identity',
    ],
    ['no consent where the law asks for it', '/identity', '/consent', { gdpr: true }, 'invalid_field'],
    [
      'a consent that is none',
      '/identity',
      '/consent',
      { tcf_consent: 'https://news.example/' },
      'invalid_field',
    ],
    ['four tokens', '/identity', '/identities', Array(4).fill(IDENTITY.identities[0]), 'invalid_field'],
    ['no token', '/identity', '/identities', undefined, 'invalid_field'],
    ['an id with an address', '/identity', '/request_id', 'ann@post.example', 'invalid_field'],
  ])('is refused with %s, in the form of its errors', async (_what, path, place, value, reason) => {
    const { post } = startProvider();
    const { status, type, body } = await post(
      path,
      changedAt<object>(path === '/context' ? CONTEXT : IDENTITY, place, value),
    );
    expect([status, type, body.reason]).toEqual([400, 'application/json; charset=utf-8', reason]);
    expect(body).toMatchObject({ type: 'error', code: 'invalid_request', message: expect.any(String) });
    if (typeof value === 'string' && value.length > 1) expect(JSON.stringify(body)).not.toContain(value);
  });

  it('is refused when its id came before, also in the other form', async () => {
    const { post } = startProvider();
    const request_id = '7c1b1f0e-52a4-4c1e-9f10-3a1d5c0b7e21';
    expect((await post('/identity', { ...IDENTITY, request_id })).status).toBe(200);
    expect((await post('/identity', { request_id, token: ANN, package_ids: ['p'] })).status).toBe(409);
    expect((await post('/identity', IDENTITY)).status).toBe(200);
    expect((await post('/identity', IDENTITY)).body).toMatchObject({ reason: 'request_id_reused' });
  });
});
