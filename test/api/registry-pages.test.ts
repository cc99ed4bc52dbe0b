import { describe, expect, it } from 'vitest';
import type { AgentDocument } from '../../src/domain/agent-document.ts';
import type { BadgeRole } from '../../src/domain/badge.ts';
import { statusPage } from '../../src/pages/registry/status.ts';
import { of } from '../compliance/support/badge-story.ts';
import { keepRun } from '../contract/compliance-fixtures.ts';
import { bareDocument, fullDocument, NEVER_TESTED_SUMMARY } from './support/documents.ts';
import { refuseMarkup } from './support/naughty.ts';
import { openRegistry, PROBED_AT } from './support/registry.ts';
import { AGENT, BASE, optOut, SELLER, tested } from './support/tested-agent.ts';

const HTML = { accept: 'text/html' };
const DAY = 86_400_000;
const PICTURE = `/badges/${encodeURIComponent(AGENT)}/media-buy`;

describe('GET /changes', () => {
  it('shows day by day what the operation lists, page by page, each once', async () => {
    const { get, put, clock } = await openRegistry();
    await put([fullDocument()]);
    const agents = Array.from({ length: 119 }, (_, at) => bareDocument(`https://a${at}.example/`));
    await put(agents);
    clock.value += DAY;
    const seen: string[] = [];
    let [path, pages] = ['/changes', 0];
    while (path !== '') {
      const { statusCode, body } = await get(path, HTML);
      expect(statusCode).toBe(200);
      expect(body).toContain('Tuesday, 6 January 2026');
      seen.push(...[...body.matchAll(/<p><a href="\/agents\/([^"]*)"/g)].map(([, to = '']) => to));
      path = /rel="next" href="([^"]*)"/.exec(body)?.[1] ?? '';
      pages += 1;
    }
    expect([pages, seen.length, new Set(seen).size]).toEqual([2, 120, 120]);
    const { changes } = (await get('/api/registry/changes?limit=1')).json();
    expect(seen[0]).toBe(encodeURIComponent(changes[0].agent_url));
  });

  it('leads through an hour with more changes than a page has', async () => {
    const { get, records } = await openRegistry([bareDocument(AGENT)]);
    for (let round = 0; round < 250; round += 1) {
      const bare = bareDocument(AGENT);
      const document = { ...bare, base: { ...bare.base, name: `Name ${round}` } };
      const change = { agent: AGENT, revision: 99 + round, stitched: { document } };
      await records.agents.saveStitched([change], PROBED_AT + 3_600_000 + round * 10_000);
    }
    const pages: (string | undefined)[] = [];
    for (let path = '/changes'; path !== ''; ) {
      const { body } = await get(path, HTML);
      const [, next = '', words] = /rel="next" href="([^"]*)">([^<]*)</.exec(body) ?? [];
      pages.push(/<bdi>(Changed [^<]*)</.exec(body)?.[1], words);
      path = next;
    }
    const more = 'More changes of 10:00 UTC';
    expect(pages).toEqual([
      'Changed 100 times',
      more,
      'Changed 100 times',
      more,
      'Changed 50 times',
      undefined,
    ]);
  });

  it('ends a page where an hour begins, so that what came in it stands together', async () => {
    const ours = Array.from({ length: 90 }, (_, n) => bareDocument(`https://a${n}.example/`));
    const { get, records } = await openRegistry(ours);
    const renamed = ours.slice(0, 30).map((one) => {
      const document = { ...one, base: { ...one.base, name: 'Other' } };
      return { agent: one.url, revision: 99, stitched: { document } };
    });
    await records.agents.saveStitched(renamed, PROBED_AT + 3_600_000);
    const first = (await get('/changes', HTML)).body;
    const [, next = ''] = /rel="next" href="([^"]*)"/.exec(first) ?? [];
    const pages = [first, (await get(next, HTML)).body].map((body) => [
      body.match(/<p><a href="\/agents\//g)?.length,
      body.match(/<bdi>Listed<\/bdi>/g)?.length ?? 0,
    ]);
    expect(pages).toEqual([
      [30, 0],
      [90, 90],
    ]);
    expect(first).toContain('<a href="/api/registry/feed.atom" type="application/atom+xml">Subscribe');
  });

  it('names what differs of an agent, and not what it was', async () => {
    const { get, records } = await openRegistry([bareDocument(AGENT)]);
    const before = bareDocument(AGENT);
    const document = { ...before, metricIds: ['a'], base: { ...before.base, name: 'Other' } };
    const change = { agent: AGENT, revision: 99, stitched: { document } };
    await records.agents.saveStitched([change], PROBED_AT);
    // whatever came within the hour is new in all its parts
    const first = (await get('/changes', HTML)).body;
    expect(first).toContain('<bdi>Listed</bdi>');
    expect(first).not.toContain('metrics, name');
    expect(first.match(/<p><a href="\/agents\//g)).toHaveLength(1);
    const again = { ...document, metricIds: ['b'] };
    const later = { agent: AGENT, revision: 100, stitched: { document: again } };
    await records.agents.saveStitched([later], PROBED_AT + 3_600_000);
    const { changes, next_cursor: next } = (await get('/api/registry/changes')).json();
    expect(changes).toMatchObject([
      { kind: 'changed', agent_url: AGENT, parts: ['metrics'] },
      { kind: 'changed', agent_url: AGENT, parts: ['metrics', 'name'] },
      { kind: 'listed', parts: [] },
    ]);
    expect(next).toBeNull();
    const { body } = await get('/changes', HTML);
    expect(body).toMatch(/<bdi>Changed<\/bdi>.*UTC: metrics</);
    expect(body.match(/<p><a href="\/agents\//g)).toHaveLength(2);
    expect(body).not.toContain('Other');
  });

  it('says what tests and badges came to, also beside a long text', async () => {
    const { get, records } = await openRegistry([bareDocument(AGENT)]);
    const bare = bareDocument(AGENT);
    const stands = (
      status: 'passing' | 'failing',
      roles: readonly BadgeRole[],
      headline: string,
    ): AgentDocument => ({
      ...bare,
      compliance: { ...NEVER_TESTED_SUMMARY, status, headline },
      badges: roles.map((role) => ({ role, axes: ['spec'] })),
    });
    const states = [
      stands('passing', ['media-buy', 'signals'], 'All pass.'),
      stands('failing', ['signals'], 'One fails.'),
      stands('passing', ['brand', 'signals'], 'a'.repeat(2_000)),
    ];
    for (const [at, document] of states.entries()) {
      const change = { agent: AGENT, revision: 99 + at, stitched: { document } };
      await records.agents.saveStitched([change], PROBED_AT + (at + 1) * 3_600_000);
    }
    const { changes } = (await get('/api/registry/changes')).json();
    const at = expect.any(String);
    const one = { at, kind: 'changed', agent_url: AGENT };
    expect(changes).toEqual([
      {
        ...{ ...one, parts: ['badges', 'compliance'], compliance_status: 'passing' },
        badges_earned: ['brand'],
      },
      {
        ...{ ...one, parts: ['badges', 'compliance'], compliance_status: 'failing' },
        badges_lost: ['media-buy'],
      },
      {
        ...{ ...one, parts: ['badges', 'compliance'], compliance_status: 'passing' },
        badges_earned: ['media-buy', 'signals'],
      },
      { at, kind: 'listed', agent_url: AGENT, parts: [], compliance_status: 'unknown' },
    ]);
    const { body } = await get('/changes', HTML);
    const pills = [...body.matchAll(/class="pill \w+"><bdi>(.*?)<\/bdi>/g)].map(([, text]) => text);
    expect(pills).toEqual([
      ...[
        'Changed',
        'Passing',
        'Verified for brand',
        'Changed',
        'Failing',
        'No longer verified for media-buy',
      ],
      ...['Changed', 'Passing', 'Verified for media-buy', 'Verified for signals'],
      'Listed',
    ]);
  });

  it('says that nothing happened yet, and refuses what is no cursor on a page', async () => {
    const { get } = await openRegistry();
    expect((await get('/changes', HTML)).body).toContain('No changes yet');
    expect((await get('/changes?cursor=x', HTML)).statusCode).toBe(400);
    expect((await get('/api/registry/changes?cursor=x')).json()).toMatchObject({ code: 'invalid_cursor' });
  });
});

describe('GET /status', () => {
  it('shows freshness, what waits, the index and the versions, as the operation counts them', async () => {
    const { get, clock } = await openRegistry([fullDocument()], {
      build: 'build 1a2b3c4d, records schema 8',
    });
    clock.value += 3 * 3_600_000;
    const figures = (await get('/api/registry/stats')).json();
    expect(figures).toMatchObject({
      version: '0.1.0',
      index: { documents: 1, changes_waiting: 1, layout: expect.any(Number) },
    });
    const { body } = await get('/status', HTML);
    for (const text of [
      '3 hours',
      'Read, changed',
      '1 change not indexed yet',
      '0.1.0',
      '3.0.0',
      'records schema 8',
      'Own network works',
    ])
      expect(body).toContain(text);
  });

  it('says how many visits our own network spoiled', () => {
    const figures = {
      ...{
        agents: { total: 0, verified: 0 },
        sources: {},
        version: '1',
        protocolVersion: '3.0',
        generated_at: '',
      },
      due: { domains: 0, agents: 0, tests: 0, oldest_due_at: null, oldest_due_seconds: 0 },
      index: { documents: 0, built_at: null, changes_waiting: 0, layout: 1 },
    };
    const site = { root: '', origin: 'http://registry.example', version: '1', asset: () => '' };
    const shown = (own_network: number) => String(statusPage(site, { ...figures, own_network }).content);
    expect(shown(2)).toContain('Own network failed for 2 visits');
    expect(shown(2)).toContain('2 files and agents failed because');
    expect(shown(0)).not.toContain('control sites');
  });

  it('says so when a visit waits for more than an hour', async () => {
    const { get, clock, records } = await openRegistry();
    await records.sources.add([{ kind: 'domain', key: 'a.example', foundVia: 'operator' }], PROBED_AT);
    clock.value += 2 * 3_600_000;
    expect((await get('/status', HTML)).body).toContain('Visits are late');
  });
});

describe('GET /storyboards', () => {
  it('lists every storyboard, each with its page of phases, steps and checks', async () => {
    const { get } = await openRegistry();
    const { body } = await get('/storyboards', HTML);
    const { storyboards } = (await get('/api/storyboards')).json();
    const linked = [...body.matchAll(/href="\/storyboards\/([^"]*)"/g)].map(([, id]) => id);
    expect(linked.toSorted()).toEqual(storyboards.map(({ id }: { id: string }) => id).toSorted());
    for (const id of linked) {
      const page = await get(`/storyboards/${id}`, HTML);
      const { storyboard } = (await get(`/api/storyboards/${id}`)).json();
      expect([page.statusCode, page.body.length < 150_000]).toEqual([200, true]);
      expect(page.body.match(/<h3>/g)).toHaveLength(
        storyboard.phases.flatMap(({ steps }: { steps: unknown[] }) => steps).length,
      );
    }
  });

  it.each([
    ['sales_guarantee', ['sales_guaranteed', 'sales_non_guaranteed'], 'Similar ids'],
    ['xyz', [], 'See all storyboards'],
    ['%3Cscript%3Ealert(1)%3C%2Fscript%3E', [], '&lt;script&gt;'],
  ])('offers the nearest in place of one that there is not: %s', async (id, nearest, text) => {
    const { get } = await openRegistry();
    const page = await get(`/storyboards/${id}`, HTML);
    expect([page.statusCode, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.body).toContain(text);
    refuseMarkup(page.body);
    const problem = (await get(`/api/storyboards/${id}`)).json();
    for (const one of nearest) {
      expect(page.body).toContain(`href="/storyboards/${one}"`);
      expect(problem.detail).toContain(one);
    }
    expect(page.body.includes('Similar ids')).toBe(nearest.length > 0);
  });

  it('says of how many agents it is told how many pass, where fewer were tested', async () => {
    const registry = await tested(SELLER);
    const figures = async () => (await registry.get('/api/registry/stats')).json().storyboards;
    const page = async (path: string) => (await registry.get(path, HTML)).body;
    expect(await figures()).toEqual({});
    expect(await page('/storyboards/sales_guaranteed')).toContain(
      'Fewer than 5 agents tested: no pass rate.',
    );
    const list = await page('/storyboards');
    expect(list).toContain('Pass rates need 5 tested agents');
    expect(list.match(/Fewer than 5 agents tested/g)).toHaveLength(
      list.match(/href="\/storyboards\/\w/g)?.length ?? 0,
    );
  });

  it('counts how many of five agents or more pass, and how many are incomplete', async () => {
    const registry = await tested(SELLER);
    for (const n of [1, 2, 3, 4, 5]) {
      const agent = `https://s${n}.example/mcp`;
      await registry.put([bareDocument(agent)]);
      const last = n === 5 ? of({ 'sales-guaranteed': 'incomplete' }) : SELLER;
      const run = n === 4 ? of({ 'sales-guaranteed': 'fail' }) : last;
      expect(await keepRun(registry.records, PROBED_AT, { ...run, run_id: `r${n}` }, { agent })).toBe(
        'saved',
      );
    }
    const { storyboards } = (await registry.get('/api/registry/stats')).json();
    expect(storyboards).toMatchObject({ sales_guaranteed: { tested: 6, passing: 4, incomplete: 1 } });
    for (const path of ['/storyboards', '/storyboards/sales_guaranteed'])
      expect((await registry.get(path, HTML)).body).toContain('4 of 6 tested agents pass, 1 incomplete.');
  });

  it('counts no agent that opted out', async () => {
    const registry = await tested(SELLER);
    await optOut(registry);
    expect((await registry.get('/api/registry/stats')).json().storyboards).toEqual({});
  });
});

describe('a badge', () => {
  it('links to its page, which shows history, embed code and the run that earned it with tracks and specialisms and no step', async () => {
    const { get } = await tested(SELLER);
    const { html } = (
      await get(`/api/registry/agents/${encodeURIComponent(AGENT)}/badge/media-buy/embed`)
    ).json();
    expect(html).toContain(`href="http://localhost${PICTURE}"`);
    const badge = await get(PICTURE, HTML);
    expect(badge.statusCode).toBe(200);
    for (const text of ['Badge: media-buy', '>Verified<', 'Badge history', '>Earned<', 'sales-guaranteed'])
      expect(badge.body).toContain(text);
    expect(badge.body).toContain(`&lt;a href=&quot;http://localhost${PICTURE}&quot;&gt;`);
    const { runs } = (await get(`${BASE}/history`)).json();
    const report = `/runs/${encodeURIComponent(AGENT)}/${runs[0].run_id}`;
    expect(badge.body).toContain(`href="${report}"`);
    const { body } = await get(report, HTML);
    expect(body).toContain('<code>curl -H "Authorization: Bearer $API_KEY" ');
    for (const text of [
      'Passing',
      '<h2>Tracks</h2>',
      'href="/storyboards/sales_guaranteed?compliance_target=3.0.0"',
    ])
      expect(body).toContain(text);
  });

  it('shows on its page the grace period of a failing agent, and that it was revoked', async () => {
    const failing = of({ 'sales-guaranteed': 'fail' });
    const { get, records } = await tested(SELLER, failing);
    const graced = (await get(PICTURE, HTML)).body;
    for (const text of [
      '>Verified<',
      '>Grace period<',
      'A test failed on <time datetime="2026-01-06T10:00:00.000Z">',
    ])
      expect(graced).toContain(text);
    await keepRun(records, PROBED_AT + 3 * DAY, failing, { agent: AGENT });
    const revoked = (await get(PICTURE, HTML)).body;
    for (const text of ['>Not verified<', 'This agent has no active badge for this role.', '>Revoked<'])
      expect(revoked).toContain(text);
    expect(revoked).not.toContain('>Verified<');
  });

  it('leads to the agent where no run earned it, and where the agent opted out', async () => {
    const registry = await tested(SELLER);
    const agent = `/agents/${encodeURIComponent(AGENT)}`;
    for (const role of ['creative', 'nothing'])
      expect((await registry.get(PICTURE.replace('media-buy', role))).headers.location).toBe(agent);
    const [, run = ''] = /href="(\/runs\/[^"]*)"/.exec((await registry.get(PICTURE)).body) ?? [];
    await optOut(registry);
    for (const path of [PICTURE, run]) expect((await registry.get(path)).headers.location).toBe(agent);
    expect((await registry.get(`/runs/${encodeURIComponent(AGENT)}/none`, HTML)).statusCode).toBe(302);
  });

  it('and a run of nobody are 404', async () => {
    const { get } = await tested(SELLER);
    const other = encodeURIComponent('https://other.example/mcp');
    for (const path of [
      `/badges/${other}/media-buy`,
      `/runs/${other}/x`,
      `/runs/${encodeURIComponent(AGENT)}/x`,
    ])
      expect((await get(path, HTML)).statusCode).toBe(404);
  });
});
