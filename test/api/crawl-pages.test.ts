import { describe, expect, it } from 'vitest';
import { crawlForm, crawlPage, crawlRefusedPage } from '../../src/pages/crawl.ts';
import { pageHtml } from '../../src/pages/layout.ts';
import { later } from '../budgets/later.ts';
import { publish } from '../contract/records-steps.ts';
import { openBrowser } from './support/browser.ts';
import { bareDocument } from './support/documents.ts';
import { NAUGHTY, refuseMarkup, TEST_SITE } from './support/naughty.ts';
import { openRegistry } from './support/registry.ts';

const AGENT = 'https://a.example/mcp';
const MINUTE = 60_000;

describe('Crawl now', () => {
  it('crawls exactly the unknown domain, shows the progress, and ends on its record', async () => {
    const { server, records, clock } = await openRegistry();
    const browser = await openBrowser(server);
    const unknown = await browser.get('/publishers/new.example');
    expect(unknown.status).toBe(404);
    const asked = await browser.submit(unknown.body, '/crawl');
    expect([asked.status, asked.location]).toEqual([303, expect.stringMatching(/^\/crawl\/[\w-]+$/)]);
    const progress = String(asked.location);
    const queued = await browser.get(progress);
    expect(queued.body).toContain('<h1>Crawl queued</h1>');
    expect(queued.body).toContain('The result is usually here within a minute.');
    expect([queued.headers.get('refresh'), queued.headers.get('cache-control')]).toEqual(['3', 'no-store']);
    const [work] = await records.sources.takeKeys('domain', ['new.example'], clock.value, MINUTE);
    expect((await browser.get(progress)).body).toContain('<h1>Crawling</h1>');
    await records.sources.release(work?.sources.map(({ lease }) => lease) ?? []);
    clock.value += MINUTE;
    await publish(records, 'new.example', { authorized_agents: [] }, clock.value);
    const done = await browser.get(progress);
    expect(done.body).toContain('<h1>Crawl done</h1>');
    expect(done.body).toMatch(/adagents\.json: <span class="pill good"><bdi>Read</);
    expect(done.headers.get('refresh')).toBe('4; url=/publishers/new.example');
    expect((await browser.get('/publishers/new.example')).status).toBe(200);
  });

  it('reports a queue that is behind', async () => {
    const { server, records, clock } = await openRegistry();
    await records.sources.add([{ kind: 'domain', key: 'old.example', foundVia: 'operator' }], clock.value);
    clock.value += 25 * MINUTE;
    const browser = await openBrowser(server);
    const { location } = await browser.post('/crawl', { domain: 'new.example' });
    expect((await browser.get(String(location))).body).toContain('The queue is 25 minutes behind');
  });

  it('crawls the domain of an unknown agent, and ends on the agent if the crawl finds it', async () => {
    const { server, records, clock, put } = await openRegistry();
    const browser = await openBrowser(server);
    const page = `/agents/${encodeURIComponent(AGENT)}`;
    const asked = await browser.submit((await browser.get(page)).body, '/crawl');
    expect(asked.location).toContain(`?agent=${encodeURIComponent(AGENT)}`);
    clock.value += MINUTE;
    await publish(records, 'a.example', { authorized_agents: [] }, clock.value);
    const domain = await browser.get(String(asked.location));
    expect(domain.headers.get('refresh')).toBe('4; url=/publishers/a.example');
    await put([bareDocument(AGENT)]);
    expect((await browser.get(String(asked.location))).headers.get('refresh')).toBe(`4; url=${page}`);
  });

  it('is refused with the time from which it is possible again, after a visit and after the budget', async () => {
    const { server, records, clock } = await openRegistry();
    const browser = await openBrowser(server);
    await publish(records, 'news.example', { authorized_agents: [] }, clock.value);
    const soon = await browser.post('/crawl', { domain: 'news.example', page: 'publishers' });
    expect([soon.status, soon.headers.get('retry-after')]).toEqual([429, '600']);
    expect(soon.body).toContain('The last visit ended less than 10 minutes ago.');
    expect(soon.body).toContain('<time datetime="2026-01-06T09:10:00.000Z">');
    expect(soon.body).toContain('href="/publishers/news.example"');
    later(0); // the window does not go on meanwhile
    for (const n of [1, 2, 3])
      expect((await browser.post('/crawl', { domain: `new-${n}.example` })).status).toBe(303);
    const spent = await browser.post('/crawl', { domain: 'new-4.example' });
    expect(spent.status).toBe(429);
    expect(spent.body).toContain('<time datetime="2026-01-07T09:00:00.000Z">');
  });

  it.each([
    [{ domain: 'co.uk' }, 400, 'name a domain below it'],
    [{ domain: 'not a domain' }, 400, 'Crawl not queued'],
    [{ agent: 'https://nobody.example/mcp' }, 404, 'request a crawl of its domain'],
    [{}, 400, 'Crawl not queued'],
  ])('explains why %j cannot be crawled', async (fields, status, text) => {
    const { server } = await openRegistry();
    const answer = await (await openBrowser(server)).post('/crawl', fields as Record<string, string>);
    expect([answer.status, answer.body.includes(text)]).toEqual([status, true]);
  });

  it('refuses a form of another site, and an unknown request', async () => {
    const { server } = await openRegistry();
    const browser = await openBrowser(server);
    const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    expect((await browser.post('/crawl', { domain: 'new.example' }, foreign)).status).toBe(400);
    expect((await browser.get('/crawl/none')).status).toBe(404);
    expect((await browser.get('/crawl/none?page=elsewhere')).status).toBe(400);
  });

  it.each(NAUGHTY)('shows a stranger’s text as text: %j', (bad) => {
    const domain = bad.toWellFormed();
    const pages = [
      crawlRefusedPage(TEST_SITE, { name: bad, detail: bad }),
      ...['queued', 'completed'].map((status) =>
        crawlPage(TEST_SITE, {
          ...{ id: 'x', name: bad, status, askedAt: '2026-11-23T00:00:00.000Z', behindSeconds: 0 },
          ...{
            visits: [{ what: bad, outcome: bad, why: bad }],
            path: '/crawl/x',
            recordPath: '/publishers/x',
          },
        }),
      ),
    ];
    for (const page of pages) refuseMarkup(pageHtml(TEST_SITE, page));
    refuseMarkup(String(crawlForm(TEST_SITE, { domain, agent: domain }, 'Crawl now')));
  });
});

describe('Check again', () => {
  it('requests a probe of the agent from its page, but not within 10 minutes of the last one', async () => {
    const { server, clock, addOwner } = await openRegistry([bareDocument(AGENT)]);
    await addOwner(AGENT, 'nova');
    const browser = await openBrowser(server);
    const page = `/agents/${encodeURIComponent(AGENT)}`;
    clock.value += MINUTE;
    const soon = (await browser.get(page)).body;
    expect(soon).toContain('You can check again from <time datetime="2026-01-06T09:10:00.000Z">');
    expect(soon).not.toContain('action="/crawl"');
    clock.value += 30 * MINUTE;
    const { body } = await browser.get(page);
    expect(body).toContain('The result is usually here within a minute.');
    const asked = await browser.submit(body, '/crawl');
    expect(asked.status).toBe(303);
    expect((await browser.get(String(asked.location))).body).toContain(AGENT);
  });

  it('explains the state of a file, and requests a crawl from its page', async () => {
    const { server, records, clock } = await openRegistry();
    await publish(records, 'news.example', { authorized_agents: [] }, clock.value);
    const browser = await openBrowser(server);
    clock.value += 48 * 60 * MINUTE;
    const { body } = await browser.get('/publishers/news.example');
    expect(body).toContain('<b>Stale:</b> The last successful read is longer ago than two crawl intervals.');
    const asked = await browser.submit(body, '/crawl');
    expect(asked.location).toMatch(/^\/crawl\/[\w-]+\?page=publishers$/);
  });
});
