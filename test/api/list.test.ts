import { describe, expect, it } from 'vitest';
import { DEFAULT_TIERS } from '../../src/compliance/badges/conditions.ts';
import { bareDocument, fullDocument } from './support/documents.ts';
import { openRegistry, PROBED_AT, sharedRegistry } from './support/registry.ts';

const LIST = '/api/registry/agents';
const ALL = 'health=true&capabilities=true&properties=true&compliance=true';
const THREE = ['https://c.example/', 'https://a.example/', 'https://b.example/'].map((url) =>
  bareDocument(url),
);

const three = sharedRegistry(() => openRegistry(THREE));
const vendor = sharedRegistry(() => openRegistry([fullDocument()]));

describe('GET /api/registry/agents', () => {
  it('answers every group as the golden sample shows', async () => {
    const documents = [fullDocument(), bareDocument('https://a.example/mcp')];
    const { get } = await openRegistry(documents);
    const response = await get(`${LIST}?${ALL}&total=true`);
    const text = `${JSON.stringify(response.json(), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot('../golden/agent-list.json');
  });

  it.each([
    ['the label of the tier table', {}, { membership_tier: 'builder' }, 'Builder'],
    [
      'the label of the operator’s table',
      { builder: { label: 'Maker', apiAccess: true } },
      { membership_tier: 'builder' },
      'Maker',
    ],
    ['its own label', {}, { membership_tier: 'builder', membership_tier_label: 'Own' }, 'Own'],
    ['no label for a tier in no table', {}, { membership_tier: 'constructor' }, undefined],
    ['no label without a tier', {}, {}, undefined],
  ])('shows a member with %s', async (_what, own, tier, label) => {
    const agent = bareDocument('https://a.example/');
    const member = {
      slug: 'm',
      display_name: '"membership_tier":"builder"',
      ...tier,
      is_founding_member: false,
    };
    const tiers = { tiers: { ...DEFAULT_TIERS.tiers, ...own }, subscriptions: [] };
    const { get } = await openRegistry([{ ...agent, base: { ...agent.base, member } }], { tiers });
    const [shown] = (await get(LIST)).json().agents;
    expect(shown.member).toEqual({ ...member, ...(label !== undefined && { membership_tier_label: label }) });
  });

  it('has the fields that the specification gives, in one order', async () => {
    const { get } = await vendor();
    const [agent] = (await get(`${LIST}?${ALL}`)).json().agents;
    expect(Object.keys(agent)).toEqual([
      ...[
        'url',
        'name',
        'description',
        'type',
        'protocol',
        'mcp_endpoint',
        'contact',
        'added_date',
        'member',
      ],
      ...[
        'freshness',
        'health',
        'stats',
        'publisher_domains',
        'property_summary',
        'capabilities',
        'compliance',
      ],
    ]);
  });

  it.each([
    ['', []],
    ['health=true', ['health']],
    ['capabilities=true', ['capabilities']],
    ['properties=true', ['stats', 'publisher_domains', 'property_summary']],
    ['compliance=true', ['compliance']],
    ['health=false&compliance=false', []],
  ])('adds for ?%s the groups %j and no other', async (switches, groups) => {
    const { get } = await vendor();
    const [plain] = (await get(LIST)).json().agents;
    const [agent] = (await get(`${LIST}?${switches}`)).json().agents;
    expect(Object.keys(agent).filter((key) => !(key in plain))).toEqual(groups);
  });

  it('leaves out what was never observed, but for compliance', async () => {
    const { get, put } = await openRegistry();
    await put([bareDocument('https://a.example/')], false);
    const [agent] = (await get(`${LIST}?${ALL}`)).json().agents;
    expect(Object.keys(agent)).toEqual([
      'url',
      'name',
      'type',
      'protocol',
      'added_date',
      'freshness',
      'compliance',
    ]);
    expect(agent.freshness).toEqual({
      first_seen_at: '2026-01-05T09:00:00.000Z',
      next_check_at: '2026-01-05T09:00:00.000Z',
      stale: true,
    });
  });

  it('leaves out the compliance of an agent that opted out of tests, not of one that only names the status', async () => {
    const { get, put } = await openRegistry();
    const optedOut = bareDocument('https://a.example/');
    const compliance = { ...optedOut.compliance, status: 'opted_out' as const };
    const named = bareDocument('https://b.example/');
    await put([
      { ...optedOut, compliance },
      { ...named, base: { ...named.base, name: '"opted_out"' } },
    ]);
    const { agents } = (await get(`${LIST}?compliance=true`)).json();
    expect(agents.map((agent: object) => 'compliance' in agent)).toEqual([false, true]);
  });

  it('lists agents in the order of their URLs, all of them without a limit', async () => {
    const { get } = await three();
    const body = (await get(LIST)).json();
    expect(body.agents.map((agent: { url: string }) => agent.url)).toEqual([
      'https://a.example/',
      'https://b.example/',
      'https://c.example/',
    ]);
    expect(body.count).toBe(3);
    expect(body).not.toHaveProperty('next_cursor');
    expect(body).not.toHaveProperty('total');
  });

  it('pages by the cursor and by the link alike', async () => {
    const { get } = await three();
    const first = await get(`${LIST}?limit=2&type=sales&total=true`);
    expect(first.json()).toMatchObject({ count: 2, total: 3 });
    const link = /^<([^>]+)>; rel="next"$/.exec(String(first.headers.link))?.[1] ?? '';
    expect(link).toBe(`${LIST}?type=sales&limit=2&total=true&cursor=${first.json().next_cursor}`);
    const second = await get(link);
    expect(second.json().agents.map((agent: { url: string }) => agent.url)).toEqual(['https://c.example/']);
    expect(second.headers).not.toHaveProperty('link');
  });

  it('ends an answer before 2 MiB, whatever the limit, and goes on at its cursor', async () => {
    // pairs of surrogates at even and odd places: no part of the body may end in the middle of one
    const descriptions = ['🙂'.repeat(25_000), `ü${'🙂'.repeat(25_000)}`];
    const documents = Array.from({ length: 30 }, (_, at) => {
      const document = bareDocument(`https://a${10 + at}.example/`);
      return { ...document, base: { ...document.base, description: descriptions[at % 2] ?? '' } };
    });
    const { get } = await openRegistry(documents);
    const hosts: string[] = [];
    for (let path = `${LIST}?limit=10000`; path !== ''; ) {
      const response = await get(path);
      expect(Buffer.byteLength(response.body)).toBeLessThanOrEqual(2 * 1024 * 1024);
      const { agents, count, next_cursor: cursor } = response.json();
      expect(count).toBe(agents.length);
      hosts.push(...agents.map(({ url }: { url: string }) => url));
      for (const { description } of agents) expect(descriptions).toContain(description);
      path = cursor === undefined ? '' : `${LIST}?limit=10000&cursor=${cursor}`;
    }
    expect(hosts).toEqual(documents.map(({ url }) => url));
  });

  it('counts what there is, over all slices that it reads', async () => {
    const documents = Array.from({ length: 1_203 }, (_, at) =>
      bareDocument(`https://a${1_000 + at}.example/`),
    );
    const { get } = await openRegistry(documents);
    const { agents, total } = (await get(`${LIST}?total=true`)).json();
    expect([agents.length, total]).toEqual([1_203, 1_203]);
    expect((await get(`${LIST}?limit=501`)).json()).toMatchObject({ count: 501 });
  });

  it('puts the public address before the link when it knows it', async () => {
    const { get } = await openRegistry(THREE, { baseUrl: 'https://registry.example' });
    const { headers } = await get(`${LIST}?limit=2`);
    expect(headers.link).toMatch(/^<https:\/\/registry\.example\/api\/registry\/agents\?limit=2&cursor=/);
  });

  it('finds agents by their protocol, and before a probe by none', async () => {
    const spoken = (url: string, protocol: 'mcp' | 'a2a') => {
      const document = bareDocument(url);
      return { ...document, base: { ...document.base, protocol } };
    };
    const [a, b, c] = ['https://a.example/', 'https://b.example/', 'https://c.example/'] as const;
    const { get } = await openRegistry([spoken(a, 'mcp'), spoken(b, 'a2a'), bareDocument(c)]);
    const found = async (query: string) =>
      (await get(`${LIST}?${query}`)).json().agents.map(({ url }: { url: string }) => url);
    expect(await found('protocol=mcp')).toEqual([a]);
    expect(await found('protocol=a2a')).toEqual([b]);
    expect(await found('protocol=a2a&type=brand')).toEqual([]);
    expect(await found('')).toEqual([a, b, c]);
  });

  it('refuses a cursor under other filters', async () => {
    const { get } = await three();
    const { next_cursor } = (await get(`${LIST}?limit=1&type=sales`)).json();
    const response = await get(`${LIST}?limit=1&cursor=${next_cursor}`);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ code: 'cursor_mismatch', parameter: 'cursor' });
  });

  it('answers HEAD as GET, without the body', async () => {
    const { server, get } = await three();
    const full = await get(LIST);
    const head = await server.inject({ method: 'HEAD', url: LIST });
    expect(head.body).toBe('');
    for (const name of ['etag', 'content-length', 'content-type', 'cache-control']) {
      expect(head.headers[name]).toBe(full.headers[name]);
    }
  });
});

describe('caching of the list', () => {
  it('sends 304 to who has the body already', async () => {
    const { get } = await three();
    const { etag } = (await get(LIST)).headers;
    for (const tag of [`${etag}`, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get(LIST, { 'if-none-match': tag });
      expect([tag, again.statusCode, again.body, again.headers.etag]).toEqual([tag, 304, '', etag]);
      expect(again.headers['cache-control']).toBe('public, no-cache');
    }
    expect((await get(LIST, { 'if-none-match': '"other"' })).statusCode).toBe(200);
  });

  it('keeps an answer that is asked for again while nothing changes, however it is spelt', async () => {
    const { get, metrics } = await openRegistry(THREE);
    await get(`${LIST}?type=sales&health=true`);
    await get(`${LIST}?health=true&capabilities=false&type=sales`);
    await get(`${LIST}?type=sales&health=true`);
    const figures = await metrics.text();
    expect(figures).toContain('registry_list_cache_total{result="miss"} 2');
    expect(figures).toContain('registry_list_cache_total{result="hit"} 1');
  });

  it.each(['', '?limit=2', '?limit=200'])('keeps a page from its second request on: %j', async (page) => {
    const { get, metrics } = await openRegistry(THREE);
    for (let request = 1; request <= 3; request += 1) await get(`${LIST}${page}`);
    const figures = await metrics.text();
    expect(figures).toContain('registry_list_cache_total{result="miss"} 2');
    expect(figures).toContain('registry_list_cache_total{result="hit"} 1');
  });

  it('shows an agent that was indexed since the last request', async () => {
    const { get, put } = await openRegistry(THREE);
    expect((await get(LIST)).json().count).toBe(3);
    await put([bareDocument('https://d.example/')]);
    expect((await get(LIST)).json().count).toBe(4);
  });

  it('turns stale by the clock alone, two hours after the last success, with another tag', async () => {
    const { get, clock } = await openRegistry(THREE);
    const fresh = await get(LIST);
    expect(fresh.json().agents[0].freshness.stale).toBe(false);
    clock.value = PROBED_AT + 7_200_000;
    expect((await get(LIST)).headers.etag).toBe(fresh.headers.etag);
    clock.value = PROBED_AT + 7_200_001;
    const stale = await get(LIST);
    expect(stale.json().agents[0].freshness.stale).toBe(true);
    expect(stale.headers.etag).not.toBe(fresh.headers.etag);
  });
});
