import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentDocument, PropertiesGroup, SavedDocument } from '../../../src/domain/agent-document.ts';
import type { FoundBlock, SearchQuery, SearchSort } from '../../../src/domain/agent-search.ts';
import { openSqliteIndex } from '../../../src/index/embedded/sqlite-index.ts';
import type { AgentIndex } from '../../../src/ports/agent-index.ts';
import { openSqliteRecords, type SqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';
import { livePut } from '../../contract/agent-index-reference.ts';
import { documentOf } from '../../contract/agent-index-samples.ts';

const NO_FILTER = { listed: {}, labels: {} };

let records: SqliteRecords;
let index: AgentIndex;

const find = (words: readonly string[], more: Partial<SearchQuery> = {}): Promise<FoundBlock> =>
  index.find({ words, filter: NO_FILTER, sort: 'relevance', ...more });

async function openIndex(): Promise<void> {
  records = await openSqliteRecords({ path: ':memory:' });
  index = await openSqliteIndex(records.store, { clock: { now: () => 0 } });
}

function described(url: string, name: string, description: string): AgentDocument {
  const document = documentOf({ url, type: 'sales' });
  return { ...document, base: { ...document.base, name, description } };
}

/** Of an agent with this number of properties and publishers. */
function portfolio(count: number): PropertiesGroup {
  return {
    stats: { property_count: count, publisher_count: count, publishers: [], creative_formats: 0 },
    publisher_domains: [],
    property_summary: { total_count: count, count_by_type: {}, tags: [], publisher_count: count },
  };
}

describe('a search of more agents than are ranked', () => {
  const AGENTS = 10_200;
  beforeAll(async () => {
    await openIndex();
    const all = Array.from({ length: AGENTS }, (_, at): SavedDocument => {
      const url = `https://a${at}.example/`;
      const words = `every ${at % 2 === 0 ? 'half' : 'other'} ${at % 1_000 === 7 ? 'rare' : ''}`;
      const document = described(url, `Agent ${at % 7}`, words);
      return { agent: url, version: at + 1, document: { ...document, properties: portfolio(at) } };
    });
    await livePut(index)(...all);
  });
  afterAll(() => records.close());

  const allUrls = async (sort: SearchSort, words: readonly string[]) => {
    const urls: string[] = [];
    let place: string | undefined;
    do {
      const block = await find(words, { sort, ...(place !== undefined && { place }) });
      urls.push(...block.agents.map(({ url }) => url));
      place = block.next;
    } while (place !== undefined);
    return urls;
  };

  it.each(['name', 'properties', 'publishers'] as const)(
    'returns each agent once, block by block, by %s',
    async (sort) => {
      for (const words of [['every'], []]) {
        const urls = await allUrls(sort, words);
        expect([urls.length, new Set(urls).size]).toEqual([AGENTS, AGENTS]);
      }
    },
  );

  it('returns the first 5,000 once each, block by block, by relevance', async () => {
    const urls = await allUrls('relevance', ['every']);
    expect([urls.length, new Set(urls).size]).toEqual([5_000, 5_000]);
  });

  it.each(['properties', 'publishers'] as const)('returns the agent with the most %s first', async (sort) => {
    for (const words of [['every'], ['every', 'other'], []]) {
      const { agents } = await find(words, { sort });
      expect(agents.slice(0, 1).map(({ url }) => url)).toEqual([`https://a${AGENTS - 1}.example/`]);
    }
  });

  it('has an exact total up to 10,000 agents, and facets of the first 5,000', async () => {
    const all = await find(['every'], { facets: true });
    expect(all).toMatchObject({ total: { agents: 10_000, isExact: false }, counted: 5_000 });
    expect(all.areFacetsExact).toBe(false);
    const half = await find(['every', 'half'], { facets: true });
    expect(half).toMatchObject({ total: { agents: 5_100, isExact: true }, counted: 5_000 });
    expect(half.areFacetsExact).toBe(false);
    const rare = await find(['every', 'rare'], { facets: true });
    expect(rare).toMatchObject({ total: { agents: 11, isExact: true }, counted: 11, areFacetsExact: true });
    expect(rare.facets?.type).toEqual([{ value: 'sales', count: 11 }]);
    expect((await find([], { facets: true })).facets?.type).toEqual([{ value: 'sales', count: 5_000 }]);
  });
});

describe('the relevance of agents', () => {
  const WRITES: readonly SavedDocument[] = [
    described('https://describes.example/', 'Other', 'Sells attention to others.'),
    described('https://named.example/', 'Attention', 'Sells to others.'),
    described('https://longer.example/', 'Attentional', 'Sells to others.'),
    {
      ...described('https://verified.example/', 'Attention', 'Sells to others.'),
      badges: [{ role: 'sales', axes: ['spec'] as const }],
    },
    ...['a', 'b', 'c'].map((key) => described(`https://${key}.example/`, 'Same words', 'Same words.')),
    ...Array.from({ length: 9 }, (_, at) => described(`https://z${at}.example/`, `Z${at}`, 'Nothing else.')),
  ].map((document, at) => ({ agent: document.url, version: at + 1, document }));
  beforeAll(async () => {
    await openIndex();
    await livePut(index)(...WRITES.toReversed());
  });
  afterAll(() => records.close());
  const hosts = async (words: readonly string[]) =>
    (await find(words)).agents.map(({ url }) => new URL(url).hostname.replace('.example', ''));

  it('is higher for a badge, for the word itself than for a longer one, and for a word of the name', async () => {
    const found = await hosts(['attention']);
    expect(found.slice(0, 2)).toEqual(['verified', 'named']);
    expect(found.slice(2).toSorted()).toEqual(['describes', 'longer']);
  });

  it('is equal for agents that match equally well, which are ordered by URL', async () => {
    expect(await hosts(['same'])).toEqual(['a', 'b', 'c']);
    const relevances = (await find(['same'])).agents.map(({ relevance }) => relevance);
    expect(new Set(relevances).size).toBe(1);
  });

  it('is by the longest words of a long search', async () => {
    await openIndex();
    const texts = ['Attention for ads by us', 'Ads by us', 'For us by ads'];
    const all = texts.map((name, at): SavedDocument => {
      const url = `https://${'abc'[at]}.example/`;
      const document = described(url, name, 'Attention measured for ads by us in it.');
      return { agent: url, version: at + 1, document };
    });
    await livePut(index)(...all);
    const [first] = (await find(['ads', 'by', 'us', 'for', 'in', 'it', 'attention'])).agents;
    expect(first?.url).toBe('https://a.example/');
  });

  it('lets the next block begin after the last agent, whose relevance may have changed', async () => {
    await openIndex();
    const many = Array.from({ length: 300 }, (_, at): SavedDocument => {
      const url = `https://m${String(at).padStart(3, '0')}.example/`;
      return { agent: url, version: at + 1, document: described(url, 'Many', 'Same.') };
    });
    await livePut(index)(...many);
    const first = await find(['many']);
    expect(first.agents.at(-1)?.url).toBe('https://m199.example/');
    // new agents change the relevance of all
    await livePut(index)(
      { agent: 'https://m007.example/', version: 901 },
      {
        agent: 'https://a.example/',
        version: 902,
        document: described('https://a.example/', 'Many', 'Same.'),
      },
    );
    const second = await find(['many'], { place: first.next as string });
    expect(second.agents[0]?.url).toBe('https://m200.example/');
    expect(second.agents).toHaveLength(100);
  });
});

describe('agents with texts as long as can be', () => {
  const words = Array.from({ length: 400 }, (_, n) => `same${String(n).padStart(3, '0')}`.padEnd(48, 'x'));
  beforeAll(async () => {
    await openIndex();
    const url = 'https://a.example/';
    const tools = words.map((name) => ({ name, description: '' }));
    const capabilities = { tools_count: 400, tools };
    const document = documentOf({ url, metricIds: words, accreditations: words, capabilities });
    await livePut(index)({ agent: url, version: 1, document });
  });
  afterAll(() => records.close());

  it('are found by the first 4,000 characters of each text', async () => {
    const [first = '', last = ''] = [words[0], words.at(-1)];
    expect((await find([first])).agents).toHaveLength(1);
    expect((await find([last])).corrected).toHaveProperty(last);
  });
});

describe('a search of few agents', () => {
  beforeAll(openIndex);
  afterAll(() => records.close());
  const measuring = (version: number, url: string, ...metricIds: string[]): SavedDocument => ({
    ...{ agent: url, version },
    document: documentOf({ url, metricIds }),
  });

  it('counts the commonest values of a facet first, then by value', async () => {
    await livePut(index)(
      measuring(1, 'https://a.example/', 'b', 'z', 'a'),
      measuring(2, 'https://b.example/', 'z'),
    );
    expect((await find([], { facets: true })).facets?.metric_id).toEqual([
      { value: 'z', count: 2 },
      { value: 'a', count: 1 },
      { value: 'b', count: 1 },
    ]);
  });

  it.each(['zzzz" OR "a', '"', '""', 'a AND b', 'NEAR(a b)', 'name:a', 'a\0', '\ud800'])(
    'reads no operator in a word: %j',
    async (word) => {
      await livePut(index)(measuring(3, 'https://a.example/', 'a', 'b'));
      expect(await find([word])).toMatchObject({ agents: [], total: { agents: 0 } });
    },
  );

  it('accepts twelve words as long as can be', async () => {
    const words = Array.from({ length: 12 }, (_, at) => String.fromCharCode(97 + at).repeat(48));
    const found = await find(words, { facets: true });
    expect(found).toMatchObject({ agents: [], facets: {}, counted: 0, areFacetsExact: true });
    expect(found.nearest?.map(({ value }) => value)).toEqual(words.slice(0, 3));
  });
});

describe('values that no agent has any more', () => {
  beforeAll(openIndex);
  afterAll(() => records.close());

  it('are not counted, and known values are offered for them', async () => {
    const put = livePut(index);
    const measuring = (version: number, url: string, ...metricIds: string[]): SavedDocument => ({
      ...{ agent: url, version },
      document: documentOf({ url, metricIds }),
    });
    await put(measuring(1, 'https://a.example/', 'attention_rate', 'attention_rates'));
    await put(measuring(2, 'https://b.example/', 'attention_rate'));
    await put(measuring(3, 'https://a.example/', 'attention_rate'));
    expect(await index.facet('metric_id', 10)).toEqual([{ value: 'attention_rate', count: 2 }]);
    const filter = { listed: { metricIds: ['attention_rates'] }, labels: {} };
    expect((await find([], { filter })).nearest).toEqual([
      { parameter: 'metric_id', value: 'attention_rates', nearest: ['attention_rate'] },
    ]);
    await put({ agent: 'https://a.example/', version: 4 }, { agent: 'https://b.example/', version: 5 });
    expect(await index.facet('metric_id', 10)).toEqual([]);
  });
});
