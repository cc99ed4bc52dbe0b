import { describe, expect, it } from 'vitest';
import { prefersHtml } from '../../src/api/answers.ts';
import { facetSections } from '../../src/pages/directory/facets.ts';
import { valueText } from '../../src/pages/directory/search-form.ts';
import { dayStrip, healthBars } from '../../src/pages/health.ts';
import { bareDocument, fullDocument, vendorDocument } from './support/documents.ts';
import { TEST_SITE } from './support/naughty.ts';
import { openRegistry, sharedRegistry } from './support/registry.ts';

const HTML = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const named = (at: number, name: string, description = '') => {
  const document = bareDocument(`https://a${at}.example/`);
  return { ...document, base: { ...document.base, name, description } };
};

const HISTORY = { uptime: 0.5, latency_ms: null, probes: 8, incidents: [] };

const none = sharedRegistry(() => openRegistry());
const vendor = sharedRegistry(() => openRegistry([fullDocument()]));
const two = sharedRegistry(() => openRegistry([fullDocument(), named(1, 'Other')]));

describe('GET / for people', () => {
  it.each([
    [undefined, false],
    ['', false],
    ['*/*', false],
    ['application/json', false],
    ['application/json, text/plain, */*', false],
    ['text/html, application/json', false],
    ['text/html;q=0.5, */*;q=0.8', false],
    ['text/html;q=x', false],
    [`text/html${' '.repeat(1_000)}`, false],
    [HTML.accept, true],
    ['text/html', true],
    ['TEXT/HTML; charset=utf-8', true],
    ['application/json;q=0.5, text/*', true],
    ['application/json;q=0, */*', true],
  ])('is HTML for a caller that accepts %j: %j', (accept, isHtml) => {
    expect(prefersHtml(accept)).toBe(isHtml);
  });

  it('keeps its JSON for everybody else, and both say what they depend on', async () => {
    const { get } = await vendor();
    const [json, page] = [await get('/', { accept: '*/*' }), await get('/', HTML)];
    expect(json.json()).toMatchObject({ name: 'agent-registry' });
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    for (const { headers } of [json, page]) expect(headers.vary).toBe('Accept, Accept-Encoding');
    expect((await get('/', { ...HTML, 'if-none-match': String(page.headers.etag) })).statusCode).toBe(304);
    expect(page.headers['content-security-policy']).toContain("form-action 'self'");
    expect(page.headers).not.toHaveProperty('cross-origin-opener-policy');
  });

  it('lists the agents under the filters of its address, with what met them, and names the same JSON', async () => {
    const { get } = await two();
    const query = 'q=&type=measurement&metric_id=Attention_Seconds&accreditation=MRC';
    const { statusCode, body } = await get(`/?${query}`, HTML);
    expect(statusCode).toBe(200);
    expect(body).toContain(`href="/agents/${encodeURIComponent('https://meter.example/mcp')}"`);
    expect(body).not.toContain('a1.example');
    expect(body).toMatch(
      /<b><bdi>Attention_Seconds<\/bdi><\/b>, accredited by <b><bdi>MRC<\/bdi><\/b> until/,
    );
    for (const text of ['Not tested', 'Online', '1 agent<']) expect(body).toContain(text);
    const [, path = ''] = /<a href="(\/api\/registry\/agents\/search[^"]*)">/.exec(body) ?? [];
    const { results, facets } = (await get(path.replaceAll('&amp;', '&'))).json();
    expect(results).toMatchObject([{ url: 'https://meter.example/mcp' }]);
    expect(facets.type).toEqual([{ value: 'measurement', count: 1 }]);
  });

  it.each([
    ['compliance_status', 'passing', 'Passing'],
    ['compliance_status', 'constructor', 'constructor'],
    ['compliance_status', 'not_yet_known', 'not yet known'],
    ['verified', 'false', 'no'],
    ['protocol', 'a2a', 'A2A'],
    ['channels', 'olv', 'online video'],
    ['channels', 'retail_media', 'retail media'],
    ['specialisms', 'sales-guaranteed', 'sales guaranteed'],
    ['markets', 'de', 'Germany'],
    ['markets', 'US-CA', 'United States (US-CA)'],
    ['markets', 'zz-top', 'zz-top'],
    ['markets', 'everywhere', 'everywhere'],
    ['metric_id', 'attention_seconds', 'attention_seconds'],
    ['tags', 'toString', 'toString'],
    ['toString', 'x', 'x'],
  ])('says in words of %s: %s is %s', (name, value, words) => {
    expect(valueText(name, value)).toBe(words);
  });

  it('says where the words of a search are, where the list itself does not show them', async () => {
    const { get } = await openRegistry([fullDocument(), named(1, 'Attention of others')]);
    const { body } = await get('/?q=attention', HTML);
    expect(body).toContain('<p class="match">Measures <b><bdi>Attention_Seconds</bdi></b></p>');
    expect(body.split('class="match"')).toHaveLength(2);
    expect((await get('/', HTML)).body).not.toContain('class="match"');
  });

  it('names what narrows the list in words, in the facets and above the list', async () => {
    const { get } = await vendor();
    const { body } = await get('/?type=measurement&verified=false', HTML);
    expect(body).toContain('<bdi>Not tested</bdi>');
    expect(body).toContain('<span class="type">Verified</span> <bdi>no</bdi>');
    const searched = await get('/?q=meter,attention', HTML);
    expect(searched.body).toContain('<span class="type">Search</span> <bdi>meter,attention</bdi>');
  });

  it.each([
    [['unknown', 'unknown'], 'Not probed in the last 2 days', 1],
    [['always', 'always'], 'Online on 2 days', 1],
    [['unknown', 'always'], 'Online on 1 day<span class="unseen">, no data for 1</span>', 2],
    [['always', 'sometimes', 'never', 'always'], 'Online on 3 of 4 days, partly on 1, offline on 1', 4],
    [['never'], 'Online on 0 of 1 day, offline on 1', 1],
  ] as const)('says in words what the strip of %j shows', (days, words, paths) => {
    const strip = String(dayStrip(days));
    expect(strip).toContain(`>${words}<`);
    expect(strip.split('<path').length - 1).toBe(paths);
  });

  it('has a bar for a day without an answer, and a line for one of which nothing is known', () => {
    const days = [0, null, 1].map((uptime, at) => ({
      ...{ date: `2026-01-0${at + 1}`, uptime, probes: uptime === null ? 0 : 4, latency_ms: null },
    }));
    const strip = String(healthBars({ ...HISTORY, days }));
    const bars = [...strip.matchAll(/<rect class="(\w+)"[^>]* height="(\d+)"/g)].map(([, tone, height]) => [
      tone,
      Number(height),
    ]);
    expect(bars).toEqual([
      ['bad', 12],
      ['calm', 2],
      ['good', 40],
    ]);
    expect(strip).toContain('<title>2026-01-02: no data</title>');
    expect(String(dayStrip(['never', 'unknown']))).toContain('class="bad" d="M0 40v-12h8V40"');
  });

  it('leads from each value of a facet to those agents, those of tests too', async () => {
    const { get } = await vendor();
    expect((await get('/', HTML)).body).toContain('<a href="/?compliance_status=unknown">');
    const { body } = await get('/?compliance_status=unknown', HTML);
    expect(body).toContain('<span class="type">Tests</span> <bdi>Not tested</bdi>');
    expect(body).toContain('1 agent<');
    expect((await get('/?compliance_status=failing', HTML)).body).toContain('No matching agents');
    expect(body).toContain('?compliance_status=unknown&amp;accreditation_valid=true">Hide expired<');
  });

  it('shows the first values of a facet, and the others behind one click', () => {
    const counts = (many: number) => Array.from({ length: many }, (_, at) => ({ value: `m${at}`, count: 1 }));
    const shown = (many: number) =>
      facetSections(TEST_SITE, new URLSearchParams(), { metric_id: counts(many) }).join('');
    expect(shown(10)).not.toContain(' more');
    const [open = '', more = ''] = shown(11).split(
      '<summary>3 more<span class="unseen"> of Metric</span></summary>',
    );
    expect([open.split('<li>').length - 1, more.split('<li>').length - 1]).toEqual([8, 3]);
  });

  it('shows the last 30 days of each agent of the list', async () => {
    const { get } = await two();
    const { body } = await get('/', HTML);
    expect(body.split('class="strip small"').length - 1).toBe(2);
    expect(body).toContain('Online on 1 day<span class="unseen">, no data for 29<');
  });

  it('names a script for suggestions, and works without: the box is a field of a form', async () => {
    const { get } = await vendor();
    const { body } = await get('/', HTML);
    const [, script = ''] = /<script type="module" src="([^"]*suggest[^"]*)">/.exec(body) ?? [];
    expect((await get(script)).headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(body).toContain('<form class="search" role="search" action="/" method="get">');
    expect(body).toContain('<input type="search" id="q" name="q" data-suggest');
  });

  it('combines metric, accreditation and validity on one metric, unless these filters are switched off', async () => {
    const { get } = await openRegistry([
      vendorDocument('a1', { viewable_rate: { MRC: '2033-06-30' } }),
      vendorDocument('a2', { viewable_rate: { MRC: '2021-06-30' } }),
      vendorDocument('a3', { viewable_rate: {}, reach_persons: { MRC: '2033-06-30' } }),
    ]);
    const found = async (query: string) => {
      const { body } = await get(`/?${query}`, HTML);
      return {
        body,
        agents: [...body.matchAll(/<h2><a href="[^"]*a(\d)\.example/g)].map(([, at]) => Number(at)),
      };
    };
    const clicked = 'accreditation=MRC&metric_id=viewable_rate';
    const { body, agents } = await found(clicked);
    expect(agents).toEqual([1]);
    expect(body).toContain('&amp;accreditation_valid=false" aria-current="true">');
    expect(body).toContain('&amp;same_metric=false" aria-current="true">');
    expect(body).toContain(
      `search?${clicked.replace('&', '&amp;')}&amp;accreditation_valid=true&amp;same_metric=true&amp;`,
    );
    const counts = (text: string) =>
      [...text.matchAll(/metric_id=(\w+)"><bdi>\w+<\/bdi><\/a> <span class="count">(\d)/g)].map((one) =>
        one.slice(1),
      );
    // counted as the next click finds them: both agents have viewable_rate
    expect(counts((await found('accreditation=MRC')).body)).toEqual([
      ['viewable_rate', '1'],
      ['reach_persons', '1'],
    ]);
    const withExpired = await found(`${clicked}&accreditation_valid=false`);
    expect(withExpired.agents).toEqual([1, 2]);
    expect(withExpired.body).toContain('&amp;accreditation_valid=true">Hide expired<');
    expect((await found(`${clicked}&same_metric=false`)).agents).toEqual([1, 3]);
    expect((await found('accreditation=MRC')).agents).toEqual([1, 3]);
    expect((await found('metric_id=viewable_rate')).agents).toEqual([1, 2, 3]);
  });

  it('puts agents whose accreditation has expired last, and marks them', async () => {
    const { get } = await openRegistry([
      vendorDocument('a1', { viewable_rate: { MRC: '2021-06-30' } }),
      vendorDocument('a2', { viewable_rate: { MRC: '2033-06-30' } }),
    ]);
    for (const query of ['accreditation=MRC&accreditation_valid=false', 'q=mrc']) {
      const { body } = await get(`/?${query}`, HTML);
      const [, first = '', second = ''] = body.split('<li class="result">');
      expect([first.includes('a2.example'), first.includes('Expired')]).toEqual([true, false]);
      expect(second).toContain('<span class="pill warn"><bdi>Expired</bdi></span>');
    }
  });

  it('filters by agents that are online, and by those that hold a badge', async () => {
    const { get } = await openRegistry([named(1, 'News one'), named(2, 'News two')]);
    const { body } = await get('/?q=news', HTML);
    expect(body).toContain('<a href="/?q=news&amp;online=true">Online<');
    expect(body).toContain('<a href="/?q=news&amp;verified=true">Verified<');
    const online = (await get('/?q=news&online=true', HTML)).body;
    expect(online).toContain(
      '<a href="/?q=news" aria-current="true"><span aria-hidden="true">✓ </span>Online<',
    );
    const none = (await get('/?q=news&verified=true&online=true', HTML)).body;
    expect(none).toContain('No matching agents');
    expect(none).toContain('<a href="/?q=news&amp;online=true">Include agents that are not verified</a>');
    expect(none).toContain('<a href="/?q=news&amp;verified=true">Include agents that are offline</a>');
  });

  it('ignores words that match nothing, and names them', async () => {
    const { get } = await openRegistry([vendorDocument('a1', { viewable_rate: { MRC: '2033-06-30' } })]);
    const { body } = await get('/?q=viewable+vendor+accredited+by+MRC', HTML);
    const words = ['vendor', 'accredited', 'by'].map((word) => `“<bdi>${word}</bdi>”`).join(', ');
    expect(body).toContain(`No results for ${words}; showing “<bdi>viewable MRC</bdi>”.`);
    expect(body).toContain('1 agent<');
    expect((await get('/?q=viewable+MRC', HTML)).body).not.toContain('No results for');
  });

  it('gives every agent once, page by page', async () => {
    const { get } = await openRegistry(Array.from({ length: 45 }, (_, at) => named(at, `News ${at}`)));
    const seen: string[] = [];
    let [path, pages] = ['/?q=news', 0];
    while (path !== '') {
      const { body } = await get(path, HTML);
      seen.push(...[...body.matchAll(/<h2><a href="([^"]*)"/g)].map(([, to = '']) => to));
      path = /rel="next" href="([^"]*)"/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? '';
      pages += 1;
    }
    expect([pages, seen.length, new Set(seen).size]).toEqual([3, 45, 45]);
  });

  it('offers what is near when nothing fits, and how to begin when there is nobody', async () => {
    const { get } = await vendor();
    const { body } = await get('/?metric_id=attention_second', HTML);
    expect(body).toContain('No matching agents');
    expect(body).toContain('href="/?metric_id=Attention_Seconds"');
    expect((await get('/?q=meter&has_tmp=true&type=sales', HTML)).body).toContain(
      '<a href="/?q=meter">Search without filters</a>: 1 agent',
    );
    const empty = await none();
    expect((await empty.get('/', HTML)).body).toContain('href="/docs/api/requestCrawl"');
  });

  it.each([
    ['https://Pasted.Example/mcp/', '/agents/https%3A%2F%2Fpasted.example%2Fmcp'],
    ['Pasted.Example', '/publishers/pasted.example'],
  ])('leads from %s, which no agent has as a word, to what is behind it', async (text, path) => {
    const { get } = await vendor();
    const { body } = await get(`/?q=${encodeURIComponent(text)}`, HTML);
    expect(body).toContain(`<a href="${path}">`);
  });

  it('links the publisher of a domain, even if agents match its words', async () => {
    const { get } = await openRegistry([named(1, 'News one')]);
    const { body } = await get('/?q=news.example', HTML);
    expect(body).toContain('1 agent<');
    expect(body).toContain('<a href="/publishers/news.example">the publisher <bdi>news.example</bdi></a>');
  });

  it.each([
    ['chanel=ctv', 'chanel'],
    ['type=shop', 'type'],
    ['q=a&q=b', 'q'],
    ['q=%22%22', 'q'],
    ['limit=201', 'limit'],
    ['cursor=x', 'cursor'],
    ['%3Cscript%3E=%3Cscript%3E', '&lt;script&gt;'],
  ])('says of %s which parameter is wrong, on a page', async (query, parameter) => {
    const { get } = await none();
    const { statusCode, headers, body } = await get(`/?${query}`, HTML);
    expect([statusCode, headers['content-type']]).toEqual([400, 'text/html; charset=utf-8']);
    expect(body).toContain(`<b><code><bdi>${parameter}</bdi></code></b>`);
    expect(body).not.toContain('<script>');
  });

  it('stays under 150 KB, whatever is asked for and whatever agents say', async () => {
    const long = (at: number) => {
      const url = `https://a${at}.example/${'%22/'.repeat(480)}`;
      const document = named(at, '"'.repeat(4_000), '<&\'"'.repeat(1_000));
      return { ...document, url, base: { ...document.base, url } };
    };
    const { get } = await openRegistry(Array.from({ length: 50 }, (_, at) => long(at)));
    const tags = `tags=${"'".repeat(400)}`;
    for (const query of ['limit=200', `${tags}&limit=50`, `q=${'a%20'.repeat(60)}`]) {
      const { statusCode, body } = await get(`/?${query}`, HTML);
      expect([statusCode, body.length < 150_000]).toEqual([200, true]);
    }
    for (const query of [`tags=${'x,'.repeat(480)}&markets=${'y'.repeat(700)}`, '%FF', 'q=%FF']) {
      const { statusCode, body } = await get(`/?${query}`, HTML);
      expect([statusCode, body.length < 150_000]).toEqual([400, true]);
    }
  });
});
