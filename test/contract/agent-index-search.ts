import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AgentDocument, SavedDocument } from '../../src/domain/agent-document.ts';
import {
  type FoundBlock,
  LABEL_NAMES,
  type SearchFilter,
  type SearchQuery,
} from '../../src/domain/agent-search.ts';
import type { Inventory } from '../../src/domain/observation.ts';
import { wordsOf } from '../../src/domain/text.ts';
import { matches } from '../../src/index/query/filters.ts';
import { labelsOf } from '../../src/index/query/index-fields.ts';
import { livePut, type OpenedIndex } from './agent-index-reference.ts';
import { anyDocument, anyFilter, documentOf } from './agent-index-samples.ts';

const ALL: SearchFilter = { listed: {}, labels: {} };
const NOTHING_SAID: Inventory = {
  specialisms: [],
  channels: [],
  markets: [],
  deliveryTypes: [],
  formatKinds: [],
  hasTmp: false,
};

interface Named extends Partial<Omit<AgentDocument, 'url' | 'base' | 'inventory'>> {
  readonly name: string;
  readonly description?: string;
  readonly inventory?: Partial<Inventory>;
  readonly portfolio?: {
    readonly types?: Record<string, number>;
    readonly tags?: string[];
    readonly domains?: string[];
  };
}

/** An agent at `https://KEY.example/`. */
function agent(key: string, { name, description, inventory, portfolio, ...parts }: Named): AgentDocument {
  const plain = documentOf({ url: `https://${key}.example/`, type: 'sales', ...parts });
  const { types = {}, tags = [], domains = [] } = portfolio ?? {};
  const count = Object.values(types).reduce((sum, one) => sum + one, 0);
  const stats = {
    property_count: count,
    publisher_count: domains.length,
    publishers: domains,
    creative_formats: 0,
  };
  const summary = { total_count: count, count_by_type: types, tags, publisher_count: domains.length };
  return {
    ...plain,
    base: { ...plain.base, name, ...(description !== undefined && { description }) },
    ...(portfolio && { properties: { stats, publisher_domains: domains, property_summary: summary } }),
    ...(inventory && { inventory: { ...NOTHING_SAID, ...inventory } }),
  };
}

const AGENTS = [
  agent('news', {
    name: 'Morning News',
    inventory: {
      channels: ['Display', 'ctv'],
      markets: ['DE'],
      specialisms: ['sales-guaranteed'],
      hasTmp: true,
    },
    portfolio: {
      types: { website: 5 },
      tags: ['premium', 'IAB17-3'],
      domains: ['morgen.example', 'évening.example'],
    },
  }),
  agent('describer', {
    name: 'Other',
    description: 'Sells the news of others.',
    portfolio: { types: { website: 3 } },
  }),
  agent('meter', {
    name: 'Meter',
    type: 'measurement',
    metricIds: ['viewable_rate', 'attention'],
    accreditations: ['MRC'],
    capabilities: { tools_count: 1, tools: [{ name: 'get_measurement_report', description: '' }] },
  }),
  agent('tokyo', { name: '東京広告', description: 'Ein Straßencafé für ΣΊΣΥΦΟΣ' }),
];

/** Names that people write with and without the signs in them. */
const SPELT = [
  agent('ohara', { name: "O'Hara Signals" }),
  agent('lola', { name: 'Coca-Lola 17000-15W', portfolio: { domains: ['coca-mola.example'] } }),
  agent('ads', { name: 'Ads & Co. GmbH' }),
  agent('wide', { name: 'Fullwidth Outdoor', description: 'Runs the e-sports desk.' }),
];

const KNOWN = [...AGENTS, ...SPELT, agent('operators', { name: 'not and or near' })];

/** How many of the agents have each value of each facet; the commonest first, then in the order of their names. */
function countedByHand(documents: readonly AgentDocument[]): Record<string, object[]> {
  const counts: Record<string, Map<string, number>> = {};
  for (const {
    capabilities,
    type,
    base,
    badges,
    metricIds,
    accreditations,
    inventory,
    properties,
    compliance,
  } of documents) {
    const { tags = [], count_by_type = {} } = properties?.property_summary ?? {};
    const isCategory = (tag: string) => /^iab/i.test(tag);
    const values = {
      ...{ type: [type], protocol: [base.protocol].filter((one) => one !== null) },
      ...{ verified: [`${badges.length > 0}`], verification_mode: badges.flatMap(({ axes }) => axes) },
      ...{ metric_id: metricIds, accreditation: accreditations, markets: inventory?.markets },
      ...{ channels: inventory?.channels, specialisms: inventory?.specialisms },
      capability: [...(inventory?.specialisms ?? []), ...(capabilities?.tools.map(({ name }) => name) ?? [])],
      ...{ delivery_types: inventory?.deliveryTypes, format_kinds: inventory?.formatKinds },
      ...{ property_types: Object.keys(count_by_type), tags, categories: tags.filter(isCategory) },
      ...{ has_tmp: [`${inventory?.hasTmp ?? false}`], compliance_status: [compliance.status] },
    };
    for (const [name, all = []] of Object.entries(values)) {
      const isLabel = (LABEL_NAMES as readonly string[]).includes(name);
      counts[name] ??= new Map();
      for (const value of new Set(all.map((one) => (isLabel ? one.toLowerCase() : one))))
        counts[name].set(value, (counts[name].get(value) ?? 0) + 1);
    }
  }
  const sorted = Object.entries(counts).map(([name, values]) => [
    name,
    [...values]
      .map(([value, count]) => ({ value, count }))
      .toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)),
  ]);
  return Object.fromEntries(sorted.filter(([, all]) => (all as object[]).length > 0));
}

/** Whether a document matches the filter of a search. */
function fitsSearch(
  { listed, labels, hasTmp, hosts, minProperties = 0 }: SearchFilter,
  document: AgentDocument,
): boolean {
  const held = labelsOf(document);
  const { inventory, properties, url } = document;
  return (
    matches(listed, document) &&
    LABEL_NAMES.every((name) => labels[name]?.some((label) => held[name].includes(label)) ?? true) &&
    (hasTmp === undefined || hasTmp === (inventory?.hasTmp ?? false)) &&
    (hosts?.includes(new URL(url).hostname) ?? true) &&
    (properties?.stats.property_count ?? 0) >= minProperties
  );
}

/** What every AgentIndex does with words: `fitsSearch` is the referee of the filters. */
export function describeSearch(name: string, open: () => Promise<OpenedIndex>): void {
  let opened: OpenedIndex;
  const put = (...documents: readonly AgentDocument[]) =>
    livePut(opened.index)(
      ...documents.map((document, at) => ({ agent: document.url, version: at + 1, document })),
    );
  const find = (text: string, more: Partial<SearchQuery> = {}): Promise<FoundBlock> =>
    opened.index.find({ words: [...new Set(wordsOf(text))], filter: ALL, sort: 'relevance', ...more });
  const keys = ({ agents }: FoundBlock) =>
    agents.map(({ url }) => new URL(url).hostname.replace('.example', ''));

  describe(`the words that are searched for: ${name}`, () => {
    beforeAll(async () => {
      opened = await open();
      await put(...KNOWN);
    });
    afterAll(() => opened.close());

    it.each<[string, string[]]>([
      ['news', ['news', 'describer']],
      ['NEWS morning', ['news']],
      ['viewable rate', ['meter']],
      ['view', ['meter']],
      ['mrc attention', ['meter']],
      ['measurement report', ['meter']],
      ['guaranteed premium', ['news']],
      ['morgen', ['news']],
      ['evening', ['news']],
      ['広告', ['tokyo']],
      ['strassencafe', ['tokyo']],
      ['σίσυφος', ['tokyo']],
      ['news unheard', []],
      ['ne', []],
      ['ohara', ['ohara']],
      ['O’HARA', ['ohara']],
      ['oharasignals', ['ohara']],
      ['cocalola', ['lola']],
      ['cocalola 15w', ['lola']],
      ['1700015w', ['lola']],
      ['cocamola', ['lola']],
      ['adsco', ['ads']],
      ['adsco gmbh', ['ads']],
      ['full width', ['wide']],
      ['full-width outdoor', ['wide']],
      ['esports', ['wide']],
      ['viewablerate', ['meter']],
      ['viewable-rate', ['meter']],
      ['haracoca', []],
      ['runsthe', []],
      ['full gmbh', []],
    ])('finds by %j the agents that have all of its words, the best first', async (text, expected) => {
      const block = await find(text);
      expect(keys(block)).toEqual(expected);
      expect(block.total).toEqual({ agents: expected.length, isExact: true });
      for (const { relevance } of block.agents) expect(relevance).toBeGreaterThan(0);
    });

    it.each(['name', 'properties', 'publishers'] as const)(
      'gives agents ordered by %s the relevance that they have when ordered by it',
      async (sort) => {
        const relevances = ({ agents }: FoundBlock) =>
          Object.fromEntries(agents.map(({ url, relevance }) => [url, relevance]));
        const ranked = relevances(await find('news'));
        expect(new Set(Object.values(ranked)).size).toBe(2);
        expect(relevances(await find('news', { sort }))).toEqual(ranked);
        expect(
          await find('news', { sort, filter: { listed: { type: 'rights' }, labels: {} } }),
        ).toMatchObject({
          agents: [],
          total: { agents: 0, isExact: true },
        });
      },
    );

    it.each(['news', 'news unheard', 'viewabel'])(
      'tells of %j the total without its agents when that is asked for',
      async (text) => {
        const { total, corrected } = await find(text);
        expect(await find(text, { totalOnly: true })).toMatchObject({ total, corrected, agents: [] });
      },
    );

    it.each([
      ...[
        'news"',
        'news*',
        'NOT news',
        'news NOT morning',
        'AND',
        'a OR b',
        'NEAR(a b)',
        '^news',
        'tokens:news',
      ],
      ...[
        '{name}:x',
        '-news',
        'a:b',
        'news + morning',
        '/n.*/',
        '~news',
        "news'; --",
        'news\u0000',
        '"news',
        '<b>news',
      ],
    ])('takes the operators of no engine from %j', async (text) => {
      const wanted = wordsOf(text);
      const expected = KNOWN.filter(({ base: { name: title, description = '' } }) => {
        const has = wordsOf(`${title} ${description}`);
        return wanted.every((word) => has.includes(word));
      });
      const urls = (await find(text)).agents.map(({ url }) => url);
      expect(urls.toSorted()).toEqual(expected.map(({ url }) => url).toSorted());
    });
  });

  describe(`the search of the agent index: ${name}`, () => {
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    it('forgets the words, values and counts that an agent no longer has', async () => {
      const writes: readonly SavedDocument[] = [
        {
          agent: 'https://a.example/',
          version: 1,
          document: agent('a', { name: 'First', metricIds: ['x'] }),
        },
        { agent: 'https://b.example/', version: 2, document: agent('b', { name: 'Second' }) },
        { agent: 'https://a.example/', version: 3, document: agent('a', { name: 'Third' }) },
        { agent: 'https://b.example/', version: 4 },
      ];
      for (const write of writes) await livePut(opened.index)(write);
      expect([keys(await find('first')), keys(await find('second')), keys(await find('third'))]).toEqual([
        [],
        [],
        ['a'],
      ]);
      const { facets, counted, total } = await find('', { facets: true });
      expect(facets?.metric_id).toBeUndefined();
      expect([facets?.type, counted, total.agents]).toEqual([[{ value: 'sales', count: 1 }], 1, 1]);
      const counts = [await opened.index.facet('metric_id', 9), await opened.index.facet('type', 9)];
      expect(counts).toEqual([[], [{ value: 'sales', count: 1 }]]);
    });

    it('counts the facets of the agents that are found', async () => {
      await put(...AGENTS);
      const { facets, counted } = await find('news', { facets: true });
      expect(counted).toBe(2);
      expect(facets).toMatchObject({
        channels: [
          { value: 'ctv', count: 1 },
          { value: 'display', count: 1 },
        ],
        property_types: [{ value: 'website', count: 2 }],
        categories: [{ value: 'iab17-3', count: 1 }],
        has_tmp: [
          { value: 'false', count: 1 },
          { value: 'true', count: 1 },
        ],
      });
      expect(facets).not.toHaveProperty('accreditation');
      // and of all agents, the commonest first
      expect(await opened.index.facet('type', 1)).toEqual([{ value: 'sales', count: AGENTS.length - 1 }]);
      expect(await opened.index.facet('markets', 9)).toEqual([{ value: 'de', count: 1 }]);
      expect(await opened.index.facet('compliance_status', 9)).toEqual([
        { value: 'opted_out', count: AGENTS.length },
      ]);
    });

    it('counts every value of an agent in the facets', async () => {
      const metricIds = Array.from({ length: 300 }, (_, at) => `m${String(at).padStart(3, '0')}`);
      await put(
        documentOf({ url: 'https://many.example/', metricIds }),
        documentOf({ url: 'https://one.example/', metricIds: ['m299'] }),
      );
      const found = await find('', { facets: true });
      expect(found.facets?.metric_id?.[0]).toEqual({ value: 'm299', count: 2 });
      expect(found).toMatchObject({ counted: 2, areFacetsExact: true });
      expect(await opened.index.facet('metric_id', 1)).toEqual([{ value: 'm299', count: 2 }]);
    });

    it.each<[string, SearchFilter, string[], Record<string, string[]>, object[]]>([
      ['viewabel', ALL, ['meter'], { viewabel: ['viewable'] }, []],
      ['viewability', ALL, ['meter'], { viewability: ['viewable'] }, []],
      // half of it is the stem, also where a letter is doubled
      ['viewabillity', ALL, ['meter'], { viewabillity: ['viewable'] }, []],
      ['viewfinder', ALL, [], {}, [{ parameter: 'q', value: 'viewfinder', nearest: [] }]],
      ['mornign news', ALL, ['news'], { mornign: ['morning'] }, []],
      ['zzzzzz', ALL, [], {}, [{ parameter: 'q', value: 'zzzzzz', nearest: [] }]],
      [
        'mornign constructor',
        ALL,
        [],
        { mornign: ['morning'] },
        [{ parameter: 'q', value: 'constructor', nearest: [] }],
      ],
      ['mrk', ALL, [], {}, [{ parameter: 'q', value: 'mrk', nearest: [] }]],
      [
        'morning zzzzzz',
        { listed: { metricIds: ['viewability'] }, labels: {} },
        [],
        {},
        [
          { parameter: 'q', value: 'zzzzzz', nearest: [] },
          { parameter: 'metric_id', value: 'viewability', nearest: ['viewable_rate'] },
        ],
      ],
      [
        '',
        { listed: { metricIds: ['viewability'] }, labels: { channels: ['ctvv'], markets: ['de'] } },
        [],
        {},
        [
          { parameter: 'metric_id', value: 'viewability', nearest: ['viewable_rate'] },
          { parameter: 'channels', value: 'ctvv', nearest: ['ctv'] },
        ],
      ],
      [
        '',
        { listed: { accreditations: ['MCR', 'mr', 'mrca'] }, labels: {} },
        [],
        {},
        ['MCR', 'mr', 'mrca'].map((value) => ({ parameter: 'accreditation', value, nearest: ['MRC'] })),
      ],
      [
        '',
        { listed: {}, labels: { channels: ['q1', 'q2', 'q3', 'q4'], markets: ['q5'] } },
        [],
        {},
        ['q1', 'q2', 'q3'].map((value) => ({ parameter: 'channels', value, nearest: [] })),
      ],
    ])(
      'forgives typing mistakes in %j, and offers known values',
      async (text, filter, found, corrected, nearest) => {
        await put(...AGENTS);
        const block = await find(text, { filter });
        expect(keys(block)).toEqual(found);
        expect(block.corrected).toEqual(corrected);
        expect(block.nearest ?? []).toEqual(nearest);
      },
    );

    it('finds by a mistaken word all that the word finds which was meant', async () => {
      await put(agent('a', { name: 'Meter' }), agent('b', { name: 'Meters' }), agent('c', { name: 'Other' }));
      const block = await find('metr');
      expect([keys(block).toSorted(), block.corrected]).toEqual([['a', 'b'], { metr: ['meter'] }]);
      expect(keys(await find('meter')).toSorted()).toEqual(['a', 'b']);
    });

    it('takes other beginnings for mistakes only where no word has the same, and of words as near the commonest', async () => {
      await put(
        ...[agent('a', { name: 'Great Copper' }), agent('b', { name: 'Great Cupboard' })],
        ...[agent('c', { name: 'Get Cardboard Boxes' }), agent('d', { name: 'Meter' })],
        agent('e', { name: 'Audio Sales' }),
      );
      const correctedOf = async (text: string) => (await find(text)).corrected;
      expect(await correctedOf('gret')).toEqual({ gret: ['great'] });
      expect(await correctedOf('gfet')).toEqual({ gfet: ['get'] });
      expect(await correctedOf('carboard')).toEqual({ carboard: ['cardboard'] });
      // of five letters two are wrong only behind the right beginning
      expect(await correctedOf('sails')).toEqual({ sails: ['sales'] });
      expect(await correctedOf('radio')).toEqual({});
    });

    it('agrees with the referee on any filters and words, and counts every facet as whoever counts by hand', async () => {
      const said = fc.subarray(['a', 'B', 'b']);
      const inventory = fc.record({
        ...{ channels: said, markets: said, specialisms: said, deliveryTypes: said, formatKinds: said },
        hasTmp: fc.boolean(),
      });
      const types = fc.record(
        { website: fc.constantFrom(1, 2, 3, 8, 100), a: fc.constantFrom(1, 4) },
        { requiredKeys: [] },
      );
      const tags = fc.subarray(['a', 'B', 'IAB1', 'iab17-3']);
      const extra = fc.record({ inventory, portfolio: fc.record({ types, tags }) }, { requiredKeys: [] });
      const documents = fc
        .sample(fc.tuple(anyDocument(), extra), { numRuns: 120, seed: 3 })
        .map(([plain, more], at) => {
          const { properties, inventory: own } = agent('x', { name: 'x', ...more });
          const url = `https://a${at}.example/`;
          return { ...plain, url, ...(properties && { properties }), ...(own && { inventory: own }) };
        });
      await put(...documents);
      const label = fc.subarray(['a', 'b', 'c'], { minLength: 1 });
      const category = fc.subarray(['iab1', 'iab17-3', 'c'], { minLength: 1 });
      const labels = {
        ...Object.fromEntries(LABEL_NAMES.map((name) => [name, label])),
        categories: category,
      };
      const filters = fc.record(
        {
          listed: anyFilter().map(({ q: _, ...filter }) => filter),
          labels: fc.oneof(fc.constant({}), fc.record(labels, { requiredKeys: [] })),
          hasTmp: fc.boolean(),
          minProperties: fc.constantFrom(0, 1, 2, 3, 7, 8, 9, 101),
          hosts: fc.subarray(['a7.example', 'a11.example', 'a.example'], { minLength: 1 }),
        },
        { requiredKeys: ['listed', 'labels'] },
      );
      for (const filter of fc.sample(filters, { numRuns: 60, seed: 5 }) as SearchFilter[]) {
        for (const text of ['', 'a7']) {
          const expected = documents.filter(
            (document) =>
              fitsSearch(filter, document) && (text === '' || document.url.includes(`//${text}.`)),
          );
          const { agents, total, facets, counted } = await find(text, { filter, facets: true });
          const urls = expected.map(({ url }) => url);
          expect(agents.map(({ url }) => url).toSorted()).toEqual(urls.toSorted());
          expect(total).toEqual({ agents: expected.length, isExact: true });
          if (expected.length === 0) continue;
          expect(counted).toBe(expected.length);
          expect(facets).toEqual(countedByHand(expected));
        }
      }
    });

    it('ranks verified and passing agents above others with the same words', async () => {
      const compliance = (status: 'passing' | 'failing') =>
        ({ status, lifecycle_stage: 'production' }) as AgentDocument['compliance'];
      const badges = [{ role: 'media-buy', axes: ['spec'] as const }];
      await put(
        agent('failing', { name: 'News', compliance: compliance('failing') }),
        agent('untested', { name: 'News' }),
        agent('passing', { name: 'News', compliance: compliance('passing') }),
        agent('verified', { name: 'News', badges }),
      );
      expect(keys(await find('news'))).toEqual(['verified', 'passing', 'untested', 'failing']);
    });

    it('gives a rare word more weight than a common one', async () => {
      const others = Array.from({ length: 20 }, (_, at) => agent(`other${at}`, { name: `Sales ${at}` }));
      await put(
        agent('common', { name: 'Sales', description: 'viewability' }),
        agent('rare', { name: 'Viewability', description: 'sales' }),
        ...others,
      );
      expect(keys(await find('sales viewability'))).toEqual(['rare', 'common']);
    });

    it('gives every agent once, block by block, in each order', async () => {
      const many = Array.from({ length: 1_300 }, (_, at) =>
        agent(`a${at}`, {
          name: `Agent ${at % 7}`,
          description: at % 3 === 0 ? 'common common' : 'common',
          portfolio: { types: { website: at % 5 }, domains: [] },
        }),
      );
      await put(...many);
      for (const sort of ['relevance', 'name', 'properties'] as const) {
        const urls: string[] = [];
        let place: string | undefined;
        do {
          const block: FoundBlock = await find('common', { sort, ...(place !== undefined && { place }) });
          urls.push(...block.agents.map(({ url }) => url));
          place = block.next;
        } while (place !== undefined);
        expect(urls).toHaveLength(many.length);
        expect(new Set(urls).size).toBe(many.length);
      }
    });
  });
}
