import { describe, expect, it } from 'vitest';
import type { MatchedMetric } from '../../src/api/render/matched-metrics.ts';
import { bareDocument, vendorDocument as vendor } from './support/documents.ts';
import { openRegistry, sharedRegistry } from './support/registry.ts';

const LIST = '/api/registry/agents';

// the registry's clock begins on 2026-01-06
const VENDORS = [
  vendor('ended', { Viewable_Rate: { MRC: '2021-06-30' }, reach: {} }),
  vendor('good', { viewable_rate: { MRC: '2026-01-06', CESP: '' }, reach: { MRC: '2021-06-30' } }),
  vendor('other', { viewable_rate: { CESP: '2031-01-01' }, reach: { MRC: '2031-01-01' } }),
  vendor('plain', { viewable_rate: {}, view_time: {} }),
];

const vendors = sharedRegistry(() => openRegistry(VENDORS));
const andSeller = sharedRegistry(() => openRegistry([...VENDORS, bareDocument('https://seller.example/')]));

const ALIKE = ['viewable_rate', 'Viewable_Rate', 'view_time'];

describe('measurement, asked properly', () => {
  it.each([
    ['accreditation=MRC&q=view', 'ended good other'],
    ['accreditation=MRC&q=view&same_metric=true', 'ended good'],
    ['accreditation=MRC&q=view&accreditation_valid=true', 'good other'],
    ['accreditation=MRC&q=view&same_metric=true&accreditation_valid=true', 'good'],
    ['accreditation=MRC&metric_id=viewable_rate&same_metric=true', 'good'],
    [
      'accreditation=MRC&metric_id=viewable_rate&metric_id=reach&same_metric=true&accreditation_valid=true',
      'good other',
    ],
    ['accreditation=CESP&accreditation_valid=true', 'good other'],
    ['accreditation_valid=true', 'good other'],
    ['metric_id=reach&metric_id=view_time&q=view', 'ended good other plain'],
    ['metric_id=reach&metric_id=view_time&q=view&same_metric=true', 'plain'],
    ['same_metric=true', 'ended good other plain'],
    ['accreditation=MRC&same_metric=false&accreditation_valid=false', 'ended good other'],
    ['accreditation=.*&accreditation=MRC%3C1-9%3E&same_metric=true', ''],
  ])('%s finds %s, in the search too', async (query, hosts) => {
    const { get } = await andSeller();
    const { agents, total } = (await get(`${LIST}?total=true&${query}`)).json();
    const hostsOf = (all: { url: string }[]) => all.map(({ url }) => new URL(url).hostname.split('.')[0]);
    const found = hostsOf(agents);
    expect([found.join(' '), total]).toEqual([hosts, found.length]);
    if (query.includes('q=')) return; // words, in the search
    const search = (await get(`${LIST}/search?type=measurement&${query}`)).json();
    expect([hostsOf(search.results).sort(), search.total]).toEqual([
      found,
      { count: found.length, exact: true },
    ]);
  });

  it.each([
    ['metric_id=viewability', { parameter: 'metric_id', value: 'viewability', nearest: ALIKE }],
    ['q=viewability', { parameter: 'q', value: 'viewability', nearest: ALIKE }],
    [
      'q=view&accreditation=MRRC&same_metric=true',
      { parameter: 'accreditation', value: 'MRRC', nearest: ['MRC'] },
    ],
    ['q=zzzzzz', { parameter: 'q', value: 'zzzzzz', nearest: [] }],
    ['q=reach&metric_id=view_time&same_metric=true', undefined],
    ['type=sales', undefined],
  ])('an empty list for %s says which value no agent has, and what is nearest', async (query, nearest) => {
    const { get } = await vendors();
    const answer = (await get(`${LIST}?${query}`)).json();
    expect(answer).toEqual({ agents: [], count: 0, ...(nearest && { nearest: [nearest] }) });
  });

  it('says which metric and body met the filters, and until when; what met all of them first', async () => {
    const { get } = await vendors();
    const { agents } = (await get(`${LIST}?accreditation=MRC&q=view&accreditation_valid=true`)).json();
    const all = ['q', 'accreditation', 'accreditation_valid'];
    expect(agents.map((agent: { matched_metrics: unknown }) => agent.matched_metrics)).toEqual([
      [
        {
          metric_id: 'viewable_rate',
          accrediting_body: 'MRC',
          valid_until: '2026-01-06',
          valid: true,
          met: all,
        },
        {
          metric_id: 'reach',
          accrediting_body: 'MRC',
          valid_until: '2021-06-30',
          valid: false,
          met: ['accreditation'],
        },
      ],
      [
        {
          metric_id: 'reach',
          accrediting_body: 'MRC',
          valid_until: '2031-01-01',
          valid: true,
          met: all.slice(1),
        },
        { metric_id: 'viewable_rate', met: ['q'] },
      ],
    ]);
    const bought = 'q=viewability&accreditation=MRC&same_metric=true&accreditation_valid=true';
    const asked = (await get(`${LIST}/search?${bought}`)).json();
    expect(asked.corrected).toEqual({ viewability: ['viewable'] });
    const byUrl = asked.results.toSorted((a: { url: string }, b: { url: string }) =>
      a.url < b.url ? -1 : 1,
    );
    expect(byUrl).toMatchObject([
      {
        url: 'https://good.example/',
        matched_metrics: [
          { metric_id: 'viewable_rate', valid: true, met: all },
          { metric_id: 'reach', valid: false, met: ['accreditation'] },
        ],
      },
      {
        url: 'https://other.example/',
        matched_metrics: [
          { metric_id: 'reach', met: all.slice(1) },
          { metric_id: 'viewable_rate', met: ['q'] },
        ],
      },
    ]);
    const { results } = (
      await get(
        `${LIST}/search?q=reach&metric_id=reach&accreditation=MRC&same_metric=true&accreditation_valid=true`,
      )
    ).json();
    expect(results[0]).toMatchObject({
      url: 'https://other.example/',
      matched_filters: ['q', 'metric_id', 'accreditation', 'same_metric', 'accreditation_valid'],
      matched_metrics: [
        { metric_id: 'reach', accrediting_body: 'MRC', valid_until: '2031-01-01', valid: true },
      ],
    });
    const [plain] = (await get(`${LIST}?type=measurement&limit=1`)).json().agents;
    expect(plain).not.toHaveProperty('matched_metrics');
  });

  it('says of words alone which metric and body have them, until when, and whether one metric has them all', async () => {
    const { get } = await openRegistry([...VENDORS, bareDocument('https://mrc.example/')]);
    const { results } = (await get(`${LIST}/search?q=viewability+mrc`)).json();
    const byUrl = results.toSorted((a: { url: string }, b: { url: string }) => (a.url < b.url ? -1 : 1));
    const told = byUrl.map((one: { url: string; matched_metrics?: MatchedMetric[] }) => [
      one.url,
      ...(one.matched_metrics ?? []).map(
        ({ metric_id, accrediting_body, valid, words }) =>
          `${metric_id} ${accrediting_body} ${valid}: ${words}`,
      ),
    ]);
    expect(told).toEqual([
      ['https://ended.example/', 'Viewable_Rate MRC false: viewable,mrc'],
      ['https://good.example/', 'viewable_rate MRC true: viewable,mrc', 'reach MRC false: mrc'],
      ['https://other.example/', 'viewable_rate undefined undefined: viewable', 'reach MRC true: mrc'],
    ]);
    const named = (await get(`${LIST}/search?q=mrc`)).json().results;
    const seller = named.find(({ url }: { url: string }) => url === 'https://mrc.example/');
    expect([seller.url, seller.matched_metrics]).toEqual(['https://mrc.example/', undefined]);
    const valid = (await get(`${LIST}/search?q=cesp&accreditation_valid=true`)).json().results;
    const good = valid.find(({ url }: { url: string }) => url === 'https://good.example/');
    expect(good.matched_metrics[0]).toMatchObject({
      accrediting_body: 'CESP',
      met: ['q', 'accreditation_valid'],
      words: ['cesp'],
    });
  });

  it('counts an accreditation to the end of its last day in UTC, without a change of any data', async () => {
    const { get, clock } = await openRegistry(VENDORS);
    const path = `${LIST}?accreditation=MRC&q=view&same_metric=true&accreditation_valid=true&total=true`;
    clock.value = Date.parse('2026-01-06T23:59:59.999Z');
    const before = await get(path);
    expect(before.json()).toMatchObject({ count: 1, total: 1 });
    const shown = await get(`${LIST}?accreditation=MRC&q=view&limit=2`);
    clock.value += 1;
    expect((await get(path)).json()).toMatchObject({ count: 0, total: 0 });
    const again = await get(`${LIST}?accreditation=MRC&q=view&limit=2`);
    expect(again.headers.etag).not.toBe(shown.headers.etag);
    expect(again.json().agents[1].matched_metrics[0]).toMatchObject({ valid: false });
  });

  it('goes on at a cursor of the day before', async () => {
    const { get, clock } = await openRegistry(VENDORS);
    const path = `${LIST}?accreditation_valid=true&accreditation=CESP&limit=1`;
    const { next_cursor: cursor } = (await get(path)).json();
    clock.value += 86_400_000;
    expect((await get(`${path}&cursor=${cursor}`)).json().agents[0].url).toBe('https://other.example/');
  });

  it('tells at most ten of an agent, and says so', async () => {
    const metrics = Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`view_${at}`, {}]));
    const { get } = await openRegistry([vendor('many', metrics)]);
    const [agent] = (await get(`${LIST}?q=view`)).json().agents;
    expect(agent.matched_metrics).toHaveLength(10);
    expect(agent.matched_metrics_truncated).toBe(true);
  });

  it.each(['same_metric', 'accreditation_valid'])('%s=true is for measurement agents', async (name) => {
    const { get } = await vendors();
    expect((await get(`${LIST}?${name}=true&type=sales`)).json()).toMatchObject({ code: 'type_conflict' });
    expect((await get(`${LIST}?${name}=false&type=sales`)).json()).toMatchObject({ count: 0 });
    expect((await get(`${LIST}?${name}=yes`)).json()).toMatchObject({ code: 'invalid_value' });
  });
});
