import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentKey } from '../../src/domain/agent-url.ts';
import { bareDocument } from './support/documents.ts';
import { openRegistry, sharedRegistry } from './support/registry.ts';

const AGENT = 'https://a.example/mcp';
const path = (segment: string) => `/api/registry/agents/${segment}/compliance`;
const pathOf = (url: string) => path(encodeURIComponent(url));

const one = sharedRegistry(() => openRegistry([bareDocument(AGENT)]));
const none = sharedRegistry(() => openRegistry());

describe('GET /api/registry/agents/{encodedUrl}/compliance', () => {
  it('answers the whole shape for an agent that was never tested', async () => {
    const { get } = await one();
    const response = await get(pathOf(AGENT));
    expect(response.statusCode).toBe(200);
    const text = `${JSON.stringify(response.json(), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot('../golden/compliance-detail.json');
  });

  it.each([
    ['as it is', AGENT],
    ['with a trailing slash', `${AGENT}/`],
    ['with the default port and capitals', 'HTTPS://A.Example:443/mcp'],
    ['with dot segments and a fragment', 'https://a.example/x/../mcp#top'],
  ])('knows an agent by its address %s', async (_how, url) => {
    const { get } = await one();
    const response = await get(pathOf(url));
    expect(response.json()).toMatchObject({ agent_url: AGENT, status: 'unknown' });
  });

  it.each([
    ['a relative address', encodeURIComponent('a.example/mcp'), 400, 'bad_agent_url'],
    ['another scheme', encodeURIComponent('ftp://a.example/'), 400, 'bad_agent_url'],
    ['user info', encodeURIComponent('https://me@a.example/'), 400, 'bad_agent_url'],
    ['an empty segment', '', 400, 'bad_agent_url'],
    ['a double encoding', encodeURIComponent(encodeURIComponent(AGENT)), 400, 'bad_agent_url'],
    ['a null character', 'https%3A%2F%2Fa.example%2F%00', 400, 'bad_agent_url'],
    ['a broken escape inside', 'https%3A%2F%2Fa.example%2F%25zz', 400, 'bad_agent_url'],
    [
      'more than 2,000 characters',
      encodeURIComponent(`https://a.example/${'x'.repeat(1_983)}`),
      400,
      'bad_agent_url',
    ],
    ['a broken escape', 'https%3A%2F%2Fa.example%2F%zz', 400, 'bad_encoding'],
    ['a cut escape', 'https%3A%2F%2Fa.example%2F%', 400, 'bad_encoding'],
    ['an overlong encoding', 'https%3A%2F%2Fa.example%2F%C0%AF', 400, 'bad_encoding'],
    ['a surrogate', 'https%3A%2F%2Fa.example%2F%ED%A0%80', 400, 'bad_encoding'],
    ['an unknown agent', encodeURIComponent('https://nobody.example/'), 404, 'unknown_agent'],
    [
      'exactly 2,000 characters',
      encodeURIComponent(`https://a.example/${'x'.repeat(1_982)}`),
      404,
      'unknown_agent',
    ],
    [
      'more than 2,000 characters once it is encoded',
      encodeURIComponent(`https://a.example/${'漢'.repeat(1_982)}`),
      400,
      'bad_agent_url',
    ],
    ['an unencoded address', AGENT, 404, 'not_found'],
  ])('refuses %s', async (_what, segment, status, code) => {
    const { get } = await none();
    const response = await get(path(segment));
    expect([response.statusCode, response.json().code]).toEqual([status, code]);
    expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  });

  it('decodes the segment exactly once, whatever is in it', async () => {
    const { get } = await none();
    const piece = fc.string({ unit: 'grapheme', maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.webUrl({ withQueryParameters: true }), piece, async (url, extra) => {
        const address = `${url}?x=${encodeURIComponent(extra)}`;
        const response = await get(pathOf(address));
        expect(response.json().code).toBe('unknown_agent');
        expect(agentKey(address)).toBeTypeOf('string');
      }),
      { numRuns: 50 },
    );
  });

  it('finds an agent whose own address holds escapes', async () => {
    const url = 'https://a.example/a%2Fb?x=%25';
    const { get } = await openRegistry([bareDocument(url)]);
    expect((await get(pathOf(url))).json().agent_url).toBe(url);
  });

  it('is private, asked for again each time, and varies by the key', async () => {
    const { get } = await one();
    const { headers } = await get(pathOf(AGENT));
    expect(headers).toMatchObject({ 'cache-control': 'private, no-cache', vary: 'Authorization' });
    const again = await get(pathOf(AGENT), { 'if-none-match': String(headers.etag) });
    expect([again.statusCode, again.body]).toEqual([304, '']);
    expect(again.headers).toMatchObject({ 'cache-control': 'private, no-cache', vary: 'Authorization' });
  });

  it('takes no parameters', async () => {
    const { get } = await one();
    const response = await get(`${pathOf(AGENT)}?verbose=true`);
    expect(response.json()).toMatchObject({ status: 400, code: 'unknown_parameter', parameter: 'verbose' });
  });
});
