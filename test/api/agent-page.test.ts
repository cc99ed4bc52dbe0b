import { describe, expect, it } from 'vitest';
import { abilities } from '../../src/pages/agent/abilities.ts';
import { agentPage, unknownAgentPage } from '../../src/pages/agent/agent.ts';
import type { AgentView } from '../../src/pages/agent/view.ts';
import { directoryPage, refusedPage } from '../../src/pages/directory/directory.ts';
import { pageHtml } from '../../src/pages/layout.ts';
import { authorisedText, outward, plain } from '../../src/pages/texts.ts';
import { board, declaring } from '../compliance/support/judged-runs.ts';
import { fullDocument } from './support/documents.ts';
import { NAUGHTY, refuseMarkup, TEST_SITE } from './support/naughty.ts';
import { openRegistry, PROBED_AT, sharedRegistry } from './support/registry.ts';
import { AGENT, optOut, SELLER, tested } from './support/tested-agent.ts';

const PATH = `/agents/${encodeURIComponent(AGENT)}`;

const vendor = sharedRegistry(() => openRegistry([fullDocument()]));

describe('GET /agents/{encodedUrl} for people', () => {
  it('shows what the operations tell: status, badge, tracks, health, freshness and the same JSON', async () => {
    const { get, clock } = await tested(SELLER);
    clock.value = PROBED_AT + 1;
    for (const path of [PATH, `/agents/${AGENT}`]) {
      const { statusCode, headers, body } = await get(path);
      expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      for (const text of [
        'Passing',
        'Verified for media-buy',
        'Tests by track',
        '/badge/media-buy.svg"',
        'class="strip"',
        'Full report',
        `<code>agent-registry check ${AGENT}</code>`,
      ])
        expect(body).toContain(text);
      const [, json = ''] = /<a href="(\/api\/registry\/agents\/[^"/]*)">/.exec(body) ?? [];
      expect((await get(json)).json()).toMatchObject({ url: AGENT });
      // nothing fails, so nothing of it is for the owner
      expect(body).not.toContain('to see the steps of this run');
      for (const [, link = ''] of body.matchAll(/(?:href|src)="(\/api[^"]*|\/v1[^"]*)"/g))
        expect([link, (await get(link)).statusCode]).toEqual([link, 200]);
      const again = await get(path, { 'if-none-match': String(headers.etag) });
      expect(again.statusCode).toBe(304);
    }
  });

  it('shows how its badges came and went, with the run, and what shows a badge elsewhere as the operation says it', async () => {
    const { get } = await tested(SELLER);
    const { body } = await get(PATH);
    const [, run = ''] = /href="(\/runs\/[^"]*)">View the run</.exec(body) ?? [];
    expect((await get(run, { accept: 'text/html' })).statusCode).toBe(200);
    expect(body).toMatch(/<span class="pill good"><bdi>Earned<\/bdi><\/span>/);
    const segment = encodeURIComponent(AGENT);
    const embed = (await get(`/api/registry/agents/${segment}/badge/media-buy/embed`)).json();
    const shown = body.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>');
    for (const text of [embed.html, embed.markdown, embed.badge_svg_url])
      expect(shown).toContain(`<code>${text}</code>`);
    const [, token = ''] = /<code>([^<]*\/token)<\/code>/.exec(shown) ?? [];
    expect((await get(token)).headers['content-type']).toBe('application/jwt');
  });

  it('is kept while nothing changes, and what the clock alone changes comes within ten seconds', async () => {
    const { get, put, clock } = await openRegistry([fullDocument()]);
    const page = async () => (await get(`/agents/${fullDocument().url}`)).body;
    clock.value = PROBED_AT + 2 * 3_600_000;
    for (const _ of [1, 2]) expect(await page()).not.toContain('<b>Stale:</b>');
    clock.value += 10_000;
    expect(await page()).not.toContain('<b>Stale:</b>');
    clock.value += 1;
    expect(await page()).toContain('<b>Stale:</b>');
    for (const probes of ['1 check on 1 of', '2 checks on 1 of']) {
      for (const _ of [1, 2]) expect(await page()).toContain(probes);
      await put([fullDocument()]);
    }
  });

  it('tells what the agent offers from what its tools only imply', () => {
    const { capabilities } = fullDocument();
    const text = String(abilities({ agent: { capabilities }, most: 10 } as AgentView));
    expect(text).toContain('<p>Capabilities: search inventory, generate, preview');
    expect(text).toContain('<p>Implied by its tools, not tested: get pricing</p>');
  });

  it('tells nothing of tests of an agent that opted out', async () => {
    const registry = await tested(SELLER);
    await optOut(registry);
    const { body } = await registry.get(PATH);
    expect(body).toContain('does not want it to be tested');
    expect(body).not.toMatch(/Passing|media-buy\.svg|Badge history/);
  });

  it('names each storyboard and track that fails as far as everybody may know it, with its command', async () => {
    const storyboards = [
      board('sales_guaranteed', 'media_buy', 'fail', { title: "What's promised" }),
      board('cancel', 'media_buy', 'fail', { title: 'Cancelled twice' }),
      board('brief', 'products', 'fail', { title: 'A brief' }),
      ...['x', 'y', 'z'].map((id, at) => board(id, 'reporting', at === 0 ? 'fail' : 'pass')),
    ];
    const { get } = await tested({ agent: declaring('sales-guaranteed'), storyboards });
    const { body } = await get(PATH);
    const command = (rest: string) => `agent-registry check ${AGENT} <span class="flag">--${rest}`;
    for (const id of ['sales_guaranteed', 'cancel', 'brief'])
      expect(body).toContain(`${command('only')}</span> ${id}</code>`);
    expect(body).toContain(`${command('track')}</span> reporting</code>`);
    expect(body).toContain('<b><bdi>What&#39;s promised</bdi></b>');
    expect(body).not.toContain('The x');
  });

  it.each([
    'https%3A%2F%2Fmeter.exampel%2Fmcp',
    'meter',
    'https://meter.example/other',
    'ftp%3A%2F%2Fmeter.example',
  ])('offers for %s what is near, and says how an agent is added', async (address) => {
    const { get } = await vendor();
    const { statusCode, body } = await get(`/agents/${address}`);
    expect(statusCode).toBe(404);
    expect(body).toContain(`href="/agents/${encodeURIComponent('https://meter.example/mcp')}"`);
    expect(body.includes('Crawl now')).toBe(address.startsWith('http'));
  });
});

describe('what strangers wrote, on pages for people', () => {
  it.each(NAUGHTY)('is text that breaks nothing: %j', (bad) => {
    for (const page of pagesOf(bad)) refuseMarkup(pageHtml(TEST_SITE, page));
  });

  it('explains at the top why an agent fails', () => {
    const [page] = pagesOf('one step');
    expect(String(page?.content)).toContain(
      '<b>Failing:</b> tests of the latest run fail. <bdi>One step.</bdi> <a href="#tests">',
    );
  });

  it.each([
    ['https://a.example/?a=1&b="', true],
    ['HTTP://a.example', true],
    ['javascript:alert(1)', false],
    [' javascript:alert(1)', false],
    ['data:text/html,x', false],
    ['https://user:pw@a.example/', false],
    ['//a.example', false],
    [`https://a.example/${'x'.repeat(3_000)}`, false],
  ])('is a link only for a web address: %s', (address, isLink) => {
    const text = String(outward(address));
    expect(text.includes('href="http')).toBe(isLink);
    expect(text.includes('rel="nofollow noopener noreferrer"')).toBe(isLink);
  });

  it.each([
    ['sales', 2, 1, 'Sells 2 properties of 1 publisher'],
    ['measurement', 1, 1, 'Authorized for 1 property of 1 publisher'],
    ['sales', 0, 6_000, 'Authorized by 6,000 publishers'],
    ['sales', 0, 0, undefined],
  ])(
    'says what a %s agent of %d properties and %d publishers may do',
    (type, properties, publishers, told) => {
      expect(authorisedText(type, properties, publishers)?.join(' ')).toBe(told);
    },
  );

  it('is cut by characters, not in the middle of one', () => {
    expect(plain('😀'.repeat(10), 3)).toBe('😀😀…');
    expect(plain('a\u0000b\r\nc')).toBe('a b c');
  });
});

function pagesOf(bad: string) {
  const place = { state: bad, last_good_at: null, last_tried_at: null, why: bad, next_at: null };
  const file = {
    ...place,
    domain: bad,
    file: bad,
    url: bad,
    line: 1,
    entry: bad,
    since: null,
    scope: bad,
    authorized_for: bad,
  };
  const { base, capabilities } = fullDocument();
  const metric = { metric_id: bad, unit: bad, description: bad, methodology_url: bad };
  const body = {
    accrediting_body: bad,
    evidence_url: bad,
    valid_until: bad,
    verified_by_operator: false,
    verified_by_aao: false,
  } as const;
  const agent = {
    ...base,
    ...{
      name: bad,
      url: bad,
      description: bad,
      contact: { name: bad, email: bad, website: bad },
      listed: false,
    },
    member: { slug: bad, display_name: bad, is_founding_member: false },
    freshness: { first_seen_at: undefined, last_seen_at: undefined, stale: true },
    capabilities: {
      ...capabilities,
      supported_versions: Array.from({ length: 50 }, () => bad),
      ...{ tools_count: 50, tools: Array.from({ length: 50 }, () => ({ name: bad, description: bad })) },
      measurement_capabilities: {
        metrics: Array.from({ length: 50 }, () => ({ ...metric, accreditations: [body, body] })),
      },
    },
    compliance: {
      ...{
        status: 'failing',
        lifecycle_stage: 'production',
        tracks: {},
        streak_days: 1,
        last_checked_at: '2026-11-23T00:00:00.000Z',
      },
      ...{
        headline: bad,
        requested_compliance_target: bad,
        proto_version: bad,
        monitoring_paused: false,
        check_interval_hours: 12,
      },
      track_details: [
        {
          track: bad,
          status: bad,
          scenario_count: 1,
          passed_count: 1,
          duration_ms: 1,
          has_coverage_gap_skip: true,
        },
        {
          ...{ track: `${bad} `, status: 'fail', scenario_count: 1, passed_count: 0 },
          ...{ duration_ms: 1, has_coverage_gap_skip: false },
        },
      ],
      ...{ verified: true, verified_roles: [bad] },
    },
    verified_badges: [
      {
        role: bad.toWellFormed(),
        verified_at: '2026-11-23T00:00:00.000Z',
        verified_specialisms: [bad],
        verification_modes: [bad],
        verified_protocol_version: bad,
      },
    ],
    provenance: {
      ...{
        identity: { name: { by: bad, domain: bad }, type: { by: bad } },
        probe: place,
        run: { id: bad.toWellFormed(), last_good_at: '2026-11-23T00:00:00.000Z' },
      },
      ...{
        declared_by: Array.from({ length: 10 }, () => file),
        authorized_by: Array.from({ length: 10 }, () => file),
        authorized_by_total: 99,
      },
      findings: [{ code: bad, message: bad, hint: bad }],
    },
  } as unknown as AgentView['agent'];
  const near = {
    ...{
      url: bad,
      name: bad,
      type: bad,
      description: bad,
      status: bad,
      verifiedRoles: [bad],
      properties: 1,
      publishers: 1,
    },
    matched: [{ metric_id: bad, accrediting_body: bad, valid_until: bad, valid: false }],
    has: [{ field: 'metrics', text: bad }],
  };
  const found = { ...near, url: near.url.toWellFormed(), matched: [] };
  const asked = new URLSearchParams([['q', bad.slice(0, 200)]]);
  const facets = {
    tags: [{ value: bad.slice(0, 300), count: 1 }],
    metric_id: [{ value: bad.slice(0, 300), count: 1 }],
  };
  return [
    agentPage(TEST_SITE, {
      agent: { ...agent, url: agent.url.toWellFormed() },
      badgeEvents: [
        {
          ...{ at: '2026-11-23T00:00:00.000Z', kind: bad, role: bad, line: bad, reason: bad },
          run_id: bad.toWellFormed(),
        },
      ],
      failed: [{ storyboard_id: bad, title: bad, track: bad }],
      incomplete: [{ storyboard_id: bad, title: bad, track: bad }],
      most: 5,
    }),
    unknownAgentPage(TEST_SITE, {
      address: bad,
      reason: bad,
      agent: bad,
      domain: bad,
      near: [{ ...near, url: near.url.toWellFormed() }, found],
    }),
    refusedPage(TEST_SITE, { asked, detail: bad, parameter: bad, validValues: [bad] }),
    directoryPage(TEST_SITE, {
      ...{
        asked,
        effective: asked,
        agents: [],
        total: { count: 0, exact: true },
        cursor: null,
        isFirst: true,
        facets,
        facetsCounted: 1,
        facetsExact: false,
      },
      ...{
        corrected: { [bad]: [bad] },
        nearest: [{ parameter: bad, value: bad, nearest: [bad.slice(0, 300)] }],
        ignored: { words: [bad], searched: bad },
        jsonPath: '/x',
      },
    }),
  ];
}
