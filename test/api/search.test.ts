import { describe, expect, it } from 'vitest';
import { answerSearch } from '../../src/api/operations/search-agents.ts';
import { readSearchQuery } from '../../src/index/query/search-query.ts';
import { bareDocument, fullDocument } from './support/documents.ts';
import { openRegistry, sharedRegistry } from './support/registry.ts';

const SEARCH = '/api/registry/agents/search';
const pairs = (ids: number, bodies: number) =>
  [
    ...Array.from({ length: ids }, (_, at) => `metric_id=m${at}`),
    ...Array.from({ length: bodies }, (_, at) => `accreditation=b${at}`),
  ].join('&');
const named = (host: string, name: string) => {
  const document = bareDocument(`https://${host}.example/`);
  return { ...document, base: { ...document.base, name } };
};

const empty = sharedRegistry(() => openRegistry());
const two = sharedRegistry(() => openRegistry([named('a', 'News'), named('b', 'Late news')]));
const three = sharedRegistry(() =>
  openRegistry([named('a', 'News'), named('b', 'One news'), named('c', 'Weather')]),
);

const seller = (host: string, channels: string[], specialisms: string[], tools: string[]) => ({
  ...named(host, host),
  inventory: { specialisms, channels, markets: [], deliveryTypes: [], formatKinds: [], hasTmp: false },
  capabilities: { tools_count: tools.length, tools: tools.map((name) => ({ name, description: '' })) },
});
const sellers = sharedRegistry(() =>
  openRegistry([
    seller('a', ['ctv'], [], ['get_products']),
    seller('b', ['display'], ['sales-guaranteed'], ['get_products', 'create_media_buy']),
  ]),
);

describe('GET /api/registry/agents/search', () => {
  it('answers both forms of the clients of the field, as the golden sample shows', async () => {
    const { get } = await openRegistry([fullDocument(), named('a', 'Other')]);
    const response = await get(`${SEARCH}?q=meter%20attention&type=measurement&min_properties=3&facets=true`);
    expect(response.statusCode).toBe(200);
    const text = `${JSON.stringify(response.json(), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot('../golden/agent-search.json');
  });

  it.each([
    ['capability=create_media_buy', ['b']],
    ['capability=SALES-Guaranteed', ['b']],
    ['capability=get_signals,create_media_buy&channel=display', ['b']],
    ['capability=create_media_buy&channel=ctv', []],
    ['channel=ctv,display', ['a', 'b']],
    ['capability=get_products&channel=ctv', ['a']],
  ])('finds by the parameters of the specification, %s', async (query, expected) => {
    const { get } = await sellers();
    const { results, facets, nearest } = (await get(`${SEARCH}?${query}&facets=true`)).json();
    const hosts = results.map(({ url }: { url: string }) => new URL(url).hostname.split('.')[0]);
    expect(hosts.toSorted()).toEqual(expected);
    for (const name of expected.length > 0 ? ['capability', 'channels'] : [])
      expect(facets).toHaveProperty(name);
    if (expected.length > 0) expect(nearest).toBeUndefined();
    const page = await get(`/?${query}`, { accept: 'text/html' });
    expect(page.statusCode).toBe(200);
  });

  it('counts tasks and specialisms together, and offers the nearest for a misspelt one', async () => {
    const { get } = await sellers();
    const { facets } = (await get(`${SEARCH}?facets=true`)).json();
    expect(facets.capability).toEqual([
      { value: 'get_products', count: 2 },
      { value: 'create_media_buy', count: 1 },
      { value: 'sales-guaranteed', count: 1 },
    ]);
    const { nearest } = (await get(`${SEARCH}?capability=create_mediabuy`)).json();
    expect(nearest).toEqual([
      { parameter: 'capability', value: 'create_mediabuy', nearest: ['create_media_buy'] },
    ]);
  });

  it.each([true, false])('reports whether the counts of the facets are exact: %s', async (isExact) => {
    const read = readSearchQuery(new URLSearchParams('facets=true'), 0);
    if (!read.ok) throw new Error(read.problem.detail);
    const { records } = await empty();
    const found = { agents: [], total: { agents: 5_100, isExact: true }, corrected: {} };
    const facets = { facets: {}, counted: 5_000, areFacetsExact: isExact };
    const index = { find: async () => ({ ...found, ...facets }) };
    const answer = await answerSearch({ records, index, cursorSecret: new Uint8Array(32) }, read.query, 0);
    expect(answer).toMatchObject({ facets_counted: 5_000, facets_exact: isExact });
  });

  it('marks the asked value among the facets of its page, by either name of the filter', async () => {
    const { get } = await sellers();
    for (const name of ['channel', 'channels']) {
      const { body } = await get(`/?${name}=ctv`, { accept: 'text/html' });
      expect(body).toContain('aria-current="true"><bdi>connected TV</bdi>');
      expect(body).not.toContain('channel=');
    }
    const { body } = await get('/?capability=create_media_buy', { accept: 'text/html' });
    expect(body).toContain('aria-current="true"><bdi>create_media_buy</bdi>');
  });

  it('refuses in the list, and accepts in the search, each parameter of the search alone', async () => {
    const { get } = await two();
    for (const name of ['capability', 'channel', 'channels', 'has_tmp', 'min_properties', 'sort', 'facets']) {
      const value = { has_tmp: 'true', facets: 'true', min_properties: '1', sort: 'name' }[name] ?? 'x';
      const list = (await get(`/api/registry/agents?${name}=${value}`)).json();
      expect([name, list.code]).toEqual([name, 'search_only_parameter']);
      expect([name, (await get(`${SEARCH}?${name}=${value}`)).statusCode]).toEqual([name, 200]);
    }
  });

  it('gives every agent once, page by page, and a page of no other search', async () => {
    const many = Array.from({ length: 450 }, (_, at) => named(`a${at}`, `News ${at % 9}`));
    const { get } = await openRegistry(many);
    const urls: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await get(`${SEARCH}?q=news&limit=60${cursor === null ? '' : `&cursor=${cursor}`}`);
      expect(page.statusCode).toBe(200);
      const body = page.json();
      urls.push(...body.results.map(({ url }: { url: string }) => url));
      cursor = body.cursor;
      expect(body.has_more).toBe(cursor !== null);
      expect(body.total).toEqual({ count: 450, exact: true });
      if (cursor !== null) {
        const other = await get(`${SEARCH}?q=other&cursor=${cursor}`);
        expect(other.json()).toMatchObject({ code: 'cursor_mismatch' });
      }
    } while (cursor !== null);
    expect([urls.length, new Set(urls).size]).toEqual([450, 450]);
  });

  it.each([
    ['q=news&has_tmp=true', { without_filters: { count: 2, exact: true } }],
    ['q=news&type=sales&min_properties=5', { without_filters: { count: 2, exact: true } }],
    // the word is misspelt, and what is searched for in its place is kept out by the filter
    ['q=newz&has_tmp=true', { corrected: { newz: ['news'] }, without_filters: { count: 2, exact: true } }],
    ['q=news', {}],
    ['q=nobody&has_tmp=true', {}],
    ['q=nobody', {}],
    ['has_tmp=true', {}],
  ])('says whether the filters are why nothing is found: %s', async (query, told: object) => {
    const { get } = await two();
    const { corrected, without_filters } = (await get(`${SEARCH}?${query}`)).json();
    expect({ ...(corrected && { corrected }), ...(without_filters && { without_filters }) }).toEqual(told);
  });

  it.each([
    ['q=news%20nobody', ['nobody'], { q: 'news', count: 2, exact: true }],
    ['q=Nobody%20for%20newz', ['Nobody', 'for'], { q: 'newz', count: 2, exact: true }],
    // some agent has each of the words, but no agent has both
    ['q=news%20weather%20one', ['weather'], { q: 'news one', count: 1, exact: true }],
    ['q=weather%20news%20one', ['weather'], { q: 'news one', count: 1, exact: true }],
    ['q=nobody%20has%20news&type=sales&min_properties=5', undefined, undefined],
    ['q=news%20one&type=rights', undefined, undefined],
    ['q=nobody.news', undefined, undefined],
    ['q=nobody', undefined, undefined],
    ['q=news', undefined, undefined],
  ])('ignores words that match nothing and lists them: %s', async (query, ignored, rest) => {
    const { get } = await three();
    const answer = (await get(`${SEARCH}?${query}`)).json();
    expect([answer.ignored_words, answer.without_words]).toEqual([ignored, rest]);
    expect(answer.results).toHaveLength(rest?.count ?? (query === 'q=news' ? 2 : 0));
  });

  it('keeps ignoring the same words on the next page', async () => {
    const { get } = await two();
    const first = (await get(`${SEARCH}?q=news%20nobody&limit=1`)).json();
    const second = (await get(`${SEARCH}?q=news%20nobody&limit=1&cursor=${first.cursor}`)).json();
    const urls = [...first.results, ...second.results].map(({ url }: { url: string }) => url);
    expect(new Set(urls).size).toBe(2);
    expect([second.ignored_words, second.cursor]).toEqual([['nobody'], null]);
    const other = await get(`${SEARCH}?q=news&limit=1&cursor=${first.cursor}`);
    expect(other.json()).toMatchObject({ code: 'cursor_mismatch' });
  });

  it('finds only agents that are online, page by page, when asked to', async () => {
    const { get, put } = await openRegistry(Array.from({ length: 3 }, (_, at) => named(`a${at}`, 'News')));
    await put([named('never-probed', 'News')], false);
    expect((await get(`${SEARCH}?q=news`)).json().total).toEqual({ count: 4, exact: true });
    const first = (await get(`${SEARCH}?q=news&online=true&limit=2`)).json();
    const second = (await get(`${SEARCH}?q=news&online=true&limit=2&cursor=${first.cursor}`)).json();
    const urls = [...first.results, ...second.results].map(({ url }: { url: string }) => new URL(url).host);
    expect(urls.toSorted()).toEqual(['a0.example', 'a1.example', 'a2.example']);
    expect([first.total, second.cursor]).toEqual([{ count: 3, exact: true }, null]);
    const other = await get(`${SEARCH}?q=news&limit=2&cursor=${first.cursor}`);
    expect(other.json()).toMatchObject({ code: 'cursor_mismatch' });
  });

  it.each([
    ['q=*%20AND%20%22', 200],
    ['q=%22%22%20*%20%26%26', 400, 'invalid_value', 'q'],
    ['q=', 400, 'empty_value', 'q'],
    [`q=${'x'.repeat(257)}`, 400, 'value_too_long', 'q'],
    [
      `q=${'a%20b%20'.repeat(3)}${Array.from({ length: 12 }, (_, at) => `w${at}`).join('+')}`,
      400,
      'too_many_values',
      'q',
    ],
    ['q=a&q=b', 400, 'repeated_parameter', 'q'],
    ['channels=,', 400, 'invalid_value', 'channels'],
    [`tags=${Array.from({ length: 21 }, (_, at) => at).join(',')}`, 400, 'too_many_values', 'tags'],
    ['has_tmp=yes', 400, 'invalid_value', 'has_tmp'],
    ['min_properties=-1', 400, 'invalid_value', 'min_properties'],
    ['min_properties=0', 200],
    [`same_metric=true&accreditation_valid=true&${pairs(20, 20)}`, 200],
    [`accreditation_valid=true&${pairs(20, 20)}`, 200],
    ['same_metric=1', 400, 'invalid_value', 'same_metric'],
    ['limit=201', 400, 'invalid_value', 'limit'],
    ['sort=best', 400, 'invalid_value', 'sort'],
    ['cursor=abc', 400, 'invalid_cursor', 'cursor'],
    ['type=sales&metric_id=x', 200],
    ['channel=ctv&capability=get_products', 200],
    ['channel=ctv&channels=ctv', 400, 'repeated_parameter', 'channel'],
    ['capabilities=true', 400, 'unknown_parameter', 'capabilities'],
    ['capability=,', 400, 'invalid_value', 'capability'],
    ['q=%FF', 400, 'bad_encoding'],
  ])('answers %s with %i %s', async (query, status, code?: string, parameter?: string) => {
    const { get } = await empty();
    const response = await get(`${SEARCH}?${query}`);
    expect([response.statusCode, response.json().code, response.json().parameter]).toEqual([
      status,
      code,
      parameter,
    ]);
  });
});
