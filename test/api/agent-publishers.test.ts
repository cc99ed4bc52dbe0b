import { describe, expect, it } from 'vitest';
import { agentPublishersPage } from '../../src/pages/agent/publishers.ts';
import { pageHtml } from '../../src/pages/layout.ts';
import { HOUR, NOW } from '../contract/records-fixtures.ts';
import { publish } from '../contract/records-steps.ts';
import { NAUGHTY, refuseMarkup, TEST_SITE } from './support/naughty.ts';
import { openRegistry, sharedRegistry } from './support/registry.ts';

const AGENT = 'https://sales.example/mcp';
const PATH = `/agents/${encodeURIComponent(AGENT)}/publishers`;
const ACCEPT = { accept: 'text/html' };

/** 120 publishers authorise the agent, and one does no more. */
const known = sharedRegistry(async () => {
  const registry = await openRegistry();
  registry.clock.value = NOW + 2 * HOUR;
  const file = { authorized_agents: [{ url: AGENT, authorized_for: 'All' }] };
  const domains = Array.from({ length: 120 }, (_, at) => `p${String(at).padStart(3, '0')}.example`);
  for (const domain of [...domains, 'gone.example']) await publish(registry.records, domain, file);
  await publish(registry.records, 'gone.example', { authorized_agents: [] }, NOW + HOUR);
  return { ...registry, domains };
});

describe('GET /agents/{encodedUrl}/publishers for people', () => {
  it('gives every publisher once, page by page, each with a link, and the same as JSON', async () => {
    const { get, domains } = await known();
    const seen: string[] = [];
    for (let path = PATH; path !== ''; ) {
      const { statusCode, body } = await get(path, ACCEPT);
      expect([statusCode, body.length < 150_000]).toEqual([200, true]);
      seen.push(
        ...[...body.matchAll(/<th scope="row"><a href="\/publishers\/([^"]*)"/g)].map(([, one = '']) => one),
      );
      const [, json = ''] = /<a href="(\/v1\/agents\/[^"]*)">Open/.exec(body) ?? [];
      expect((await get(json.replaceAll('&amp;', '&'))).json().agent_url).toBe(AGENT);
      path = /rel="next" href="([^"]*)"/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? '';
    }
    expect(seen).toEqual(domains);
  });

  it('shows those that begin so, and those that authorise it no more', async () => {
    const { get } = await known();
    const found = (await get(`${PATH}?search=P00&status=authorized`, ACCEPT)).body;
    expect(found.split('<th scope="row">').length - 1).toBe(10);
    expect(found).not.toContain('rel="next"');
    const gone = (await get(`${PATH}?search=&status=revoked`, ACCEPT)).body;
    expect(gone).toContain('href="/publishers/gone.example"');
    expect(gone).not.toContain('p000.example');
    expect((await get(`${PATH}?search=zz`, ACCEPT)).body).toContain('No publishers.');
  });

  it('does not say that nobody named an agent whose time ended before our first visit', async () => {
    const { get, records } = await openRegistry();
    const ended = { url: AGENT, authorized_for: 'All', effective_until: '2020-01-01T00:00:00Z' };
    await publish(records, 'old.example', { authorized_agents: [ended] });
    const answer = await get(`/v1${PATH}`);
    expect([answer.statusCode, answer.json().detail]).toEqual([
      404,
      'no publisher ever authorised this agent',
    ]);
  });

  it('leads to the page of the agent for one that nobody ever named, which offers what is near', async () => {
    const { get } = await known();
    const path = `/agents/${encodeURIComponent('https://sales.exampel/mcp')}`;
    const { statusCode, headers } = await get(`${path}/publishers`, ACCEPT);
    expect([statusCode, headers.location]).toEqual([302, path]);
  });

  it.each([[`${PATH}?status=maybe`], [`${PATH}?cursor=x`], ['/agents/nonsense/publishers']])(
    'says of %s what is wrong, on a page',
    async (path) => {
      const { get } = await known();
      const { statusCode, headers } = await get(path, ACCEPT);
      expect([statusCode, headers['content-type']]).toEqual([400, 'text/html; charset=utf-8']);
    },
  );

  it.each(NAUGHTY)('shows what strangers wrote as text: %j', (bad) => {
    const publisher = {
      ...{ publisher_domain: bad, discovery_method: bad, properties_authorized: 1, properties_total: 1 },
      last_verified_at: null,
    };
    const asked = new URLSearchParams([
      ['search', bad.slice(0, 200)],
      ['status', bad.slice(0, 200)],
    ]);
    const view = { agent: bad.toWellFormed(), asked, publishers: [publisher], cursor: bad.slice(0, 200) };
    refuseMarkup(pageHtml(TEST_SITE, agentPublishersPage(TEST_SITE, view)));
  });
});
