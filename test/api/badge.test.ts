import { describe, expect, it } from 'vitest';
import { badgePicture } from '../../src/api/operations/badge-picture.ts';
import type { Badge } from '../../src/domain/badge.ts';
import { DEFAULT_SETTINGS } from '../../src/domain/compliance.ts';
import { NEVER_RUN } from '../../src/domain/standing.ts';
import { of } from '../compliance/support/badge-story.ts';
import { keepRun } from '../contract/compliance-fixtures.ts';
import { PROBED_AT, sharedRegistry } from './support/registry.ts';
import { AGENT, optOut, SELLER, tested } from './support/tested-agent.ts';

const DAY = 86_400_000;
const FAILS = of({ 'sales-guaranteed': 'fail' });
const path = (role: string, agent = AGENT) =>
  `/api/registry/agents/${encodeURIComponent(agent)}/badge/${role}.svg`;

/** The whole documents: what stands between tags or in them, in order. */
const titleOf = (svg: string) => /<title id="badge-title">([^<]*)<\/title>/.exec(svg)?.[1];

describe('GET …/badge/{role}.svg', () => {
  const seller = sharedRegistry(() => tested(SELLER));

  it.each([
    ['an agent that earned it', [SELLER], 'media-buy', 'media-buy 3.0 · spec'],
    ['one in grace', [SELLER, FAILS], 'media-buy', 'media-buy 3.0 · spec'],
    ['one that failed from the start', [FAILS], 'media-buy', 'not verified'],
    ['one that was never tested', [], 'media-buy', 'not verified'],
    ['another role', [SELLER], 'brand', 'not verified'],
    ['a role that nobody can earn yet', [SELLER], 'measurement', 'not verified'],
  ] as const)('shows %s', async (_who, runs, role, title) => {
    const { get } = await tested(...runs);
    const { statusCode, body } = await get(path(role));
    expect([statusCode, titleOf(body)]).toEqual([200, title]);
    expect(body).toContain(`<text x="215" y="16">${title}</text>`);
  });

  it('says one and the same for whoever has none, for whatever reason', async () => {
    const { get, records } = await tested(SELLER);
    const none = (await get(path('brand'))).rawPayload;
    expect((await get(path('media-buy', 'https://nobody.example/'))).rawPayload).toEqual(none);
    expect((await get(path('media-buy'))).rawPayload).not.toEqual(none);
    await optOut({ records });
    expect((await get(path('media-buy'))).rawPayload).toEqual(none);
  });

  it('ends with the badge, and never says that grace has begun', async () => {
    const { get, records } = await tested(SELLER);
    const earned = await get(path('media-buy'));
    await keepRun(records, PROBED_AT + DAY, FAILS, { agent: AGENT });
    expect((await get(path('media-buy'))).headers.etag).toBe(earned.headers.etag);
    await keepRun(records, PROBED_AT + 4 * DAY, FAILS, { agent: AGENT });
    expect(titleOf((await get(path('media-buy'))).body)).toBe('not verified');
  });

  it('is the same for the owner, a stranger and the public, and may be kept', async () => {
    const { get, owner, stranger } = await tested(SELLER);
    const [one, two, three] = [
      await get(path('media-buy')),
      await get(path('media-buy'), stranger),
      await get(path('media-buy'), owner),
    ];
    expect([two.body, three.body]).toEqual([one.body, one.body]);
    expect([two.headers.etag, three.headers.etag]).toEqual([one.headers.etag, one.headers.etag]);
    expect(one.headers).toMatchObject({
      'content-type': 'image/svg+xml; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      'x-content-type-options': 'nosniff',
    });
    const again = await get(path('media-buy'), { 'if-none-match': String(one.headers.etag) });
    expect([again.statusCode, again.body]).toEqual([304, '']);
    expect(again.headers['cache-control']).toBe('public, max-age=300');
  });

  it('answers HEAD with the headers alone', async () => {
    const { server, get } = await tested(SELLER);
    const { headers } = await get(path('media-buy'));
    const head = await server.inject({ method: 'HEAD', url: path('media-buy') });
    expect([head.statusCode, head.body]).toEqual([200, '']);
    for (const name of ['etag', 'content-type', 'content-length', 'cache-control'])
      expect(head.headers[name], name).toBe(headers[name]);
  });

  it.each([
    ['a role that is none', path('juggling'), 404, 'not_found'],
    ['a role in capitals', path('Media-Buy'), 404, 'not_found'],
    ['another picture', path('media-buy').replace('.svg', '.png'), 404, 'not_found'],
    ['no role', path(''), 404, 'not_found'],
    ['an address that is none', path('media-buy', 'nonsense'), 400, 'bad_agent_url'],
    ['a broken escape', '/api/registry/agents/%zz/badge/brand.svg', 400, 'bad_encoding'],
    ['a parameter', `${path('media-buy')}?style=flat`, 400, 'unknown_parameter'],
  ])('refuses %s', async (_what, url, status, code) => {
    const { get } = await seller();
    const response = await get(url);
    expect([response.statusCode, response.json().code]).toEqual([status, code]);
    expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(response.headers['cache-control']).not.toBe('public, max-age=300');
  });

  it('names the roles that there are, and refuses other methods and wrong keys', async () => {
    const { server, get } = await tested();
    expect((await get(path('juggling'))).json()).toMatchObject({
      parameter: 'role',
      valid_values: expect.arrayContaining(['media-buy', 'rights']),
    });
    expect((await server.inject({ method: 'DELETE', url: path('brand') })).statusCode).toBe(405);
    expect((await get(path('brand'), { authorization: 'Bearer wrong' })).statusCode).toBe(401);
  });
});

const BADGE: Badge = {
  ...{ role: 'media-buy', line: '3.0', axes: ['spec', 'live'], specialisms: ['sales-guaranteed'] },
  ...{ protoVersion: '3.0.0', verifiedAt: PROBED_AT, graceSince: null, revokedAt: null },
};

function drawn(agent: string, ...badges: readonly Badge[]): string {
  return badgePicture(
    agent,
    { role: 'media-buy' },
    {
      ...{ settings: DEFAULT_SETTINGS, standing: NEVER_RUN, due: null },
      badges,
    },
  );
}

/** Relative luminance of a colour of sRGB, as WCAG defines it. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe('the picture', () => {
  it('can be heard: it is an image with a title and a description', () => {
    const svg = drawn(AGENT, BADGE);
    expect(svg).toContain('role="img" aria-labelledby="badge-title badge-text"');
    expect(titleOf(svg)).toBe('media-buy 3.0 · spec, live');
    expect(svg).toContain(
      `<desc id="badge-text">${AGENT} is verified for media-buy, version 3.0, since 2026-01-06: sales-guaranteed.</desc>`,
    );
  });

  it('can be read: its text stands out from every ground by 4.5 to 1 (WCAG 2.2, 1.4.3)', () => {
    const grounds = [drawn(AGENT, BADGE), drawn(AGENT)].flatMap((svg) => [
      ...svg.matchAll(/fill="(#\w{6})"/g),
    ]);
    expect(grounds).toHaveLength(4);
    for (const [, ground = ''] of grounds) expect(1.05 / (luminance(ground) + 0.05)).toBeGreaterThan(4.5);
  });

  it('is of one size, whatever it says', () => {
    for (const svg of [drawn(AGENT, BADGE), drawn(AGENT)])
      expect(svg).toMatch(/^<svg [^>]*width="320" height="24"/);
  });

  it('shows the newest of several lines, and none that was revoked', () => {
    const lines = ['3.9', '3.10', '3.2'].map((line) => ({ ...BADGE, line }));
    expect(titleOf(drawn(AGENT, ...lines))).toBe('media-buy 3.10 · spec, live');
    const revoked = lines.map((badge) => ({ ...badge, revokedAt: badge.line === '3.10' ? PROBED_AT : null }));
    expect(titleOf(drawn(AGENT, ...revoked))).toBe('media-buy 3.9 · spec, live');
  });

  it('lets no words of an agent out of their place', () => {
    const specialisms = ['</desc><script>alert(1)</script>', ']]>&lt;', 'a\u0000\u001b\ud800\uffffb'];
    const svg = drawn('https://a.example/?a=1&b=<svg onload="x">', { ...BADGE, specialisms });
    expect(svg.match(/<\/?\w+/g)).toEqual(drawn(AGENT, BADGE).match(/<\/?\w+/g));
    expect(svg).toContain('a=1&amp;b=&lt;svg');
    expect(svg).toContain(']]&gt;&amp;lt;, a\ufffd\ufffd\ufffd\ufffdb.');
  });
});
