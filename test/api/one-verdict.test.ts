import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR, NOW } from '../contract/records-fixtures.ts';
import { fileVisit, publish, publishFile, takeOne } from '../contract/records-steps.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { startRegistry } from './support/registry.ts';

const AGENT = 'https://sales.example/mcp';
const DAY = 24 * HOUR;
const asTime = (at: number): string => new Date(at).toISOString();
const home = (domain: string): object => ({
  ...{ property_id: 'home', property_type: 'website', name: 'Home' },
  identifiers: [{ type: 'domain', value: domain }],
});
const entry = (more: object = {}): object => ({
  ...{ url: AGENT, authorized_for: 'Display', authorization_type: 'property_ids', property_ids: ['home'] },
  ...more,
});
const BEGINS = NOW + DAY;
const ENDED = NOW - DAY;

/** Publisher, the entry of its file or the file, the code, what the rule says, where. */
type Case = readonly [domain: string, said: object | undefined, code: string, rule: RegExp, place?: string];
const CASES: readonly Case[] = [
  ['yes.example', entry(), 'authorized', /lists property_id home/, '/authorized_agents/0'],
  [
    'terms.example',
    entry({ exclusive: true, delegation_type: 'direct' }),
    'authorized',
    /home/,
    '/authorized_agents/0',
  ],
  [
    'soon.example',
    entry({ effective_from: asTime(BEGINS) }),
    'not_yet',
    /^the entry \/authorized_agents\/0 covers it from /,
    '/authorized_agents/0',
  ],
  [
    'ended.example',
    entry({ effective_until: asTime(ENDED) }),
    'ended',
    /^the entry \/authorized_agents\/0 covered it until /,
    '/authorized_agents/0',
  ],
  [
    'nowhere.example',
    entry({ countries: ['UK'] }),
    'not_named',
    /; \/authorized_agents\/0: entry ignored: invalid countries$/,
    '/authorized_agents/0',
  ],
  [
    'resold.example',
    entry({ delegation_type: 'resold' }),
    'not_named',
    /; \/authorized_agents\/0: entry ignored: invalid delegation_type$/,
    '/authorized_agents/0',
  ],
  [
    'others.example',
    entry({ url: 'https://other.example/mcp' }),
    'not_named',
    /^no entry authorizes the agent/,
  ],
  [
    'revoked.example',
    { authorized_agents: [entry()], revoked_publisher_domains: [{ publisher_domain: 'revoked.example' }] },
    'revoked',
    /^revoked_publisher_domains lists/,
    '/revoked_publisher_domains',
  ],
  [
    'signals.example',
    entry({ authorization_type: 'signal_ids', property_ids: undefined, signal_ids: ['auto'] }),
    'signals_only',
    /covers signals/,
    '/authorized_agents/0',
  ],
  [
    'other.example',
    entry({ property_ids: ['blog'] }),
    'other_property',
    /covers other properties/,
    '/authorized_agents/0',
  ],
  ['unseen.example', undefined, 'unknown_publisher', /is not in the registry yet; crawl it first$/],
];
const ASKED = CASES.map(([domain, , code, rule, place]) => ({ domain, code, rule, place }));
const SELLING = ['terms.example', 'yes.example'];

let registry: Awaited<ReturnType<typeof startRegistry>>;
let document: OpenApi;

beforeAll(async () => {
  registry = await startRegistry();
  registry.clock.value = NOW + 1;
  for (const [domain, said] of CASES) {
    if (said === undefined) continue;
    const file = 'url' in said ? { authorized_agents: [said] } : said;
    await publish(registry.records, domain, { ...file, properties: [home(domain)] });
  }
  document = (await registry.get('/openapi.json')).json<OpenApi>();
});

afterAll(() => registry.close());

async function asked(path: string, query: Readonly<Record<string, string>>, described = path) {
  const answer = await registry.get(`${path}?${new URLSearchParams(query)}`);
  expect(breaches(document, described, answer)).toEqual([]);
  return answer.json();
}

async function ofProperty(domain: string, more: object = {}) {
  const query = { agent_url: AGENT, identifier_type: 'domain', identifier_value: domain };
  const asks = { ...query, publisher_domain: domain, ...more };
  return asked('/api/registry/validate/property-authorization', asks);
}

async function ofProduct(domain: string) {
  const url = '/api/registry/validate/product-authorization';
  const payload = {
    agent_url: AGENT,
    publisher_properties: [{ publisher_domain: domain, property_ids: ['home'] }],
  };
  const answer = await registry.server.inject({ method: 'POST', url, payload });
  expect(breaches(document, url, answer, 'post')).toEqual([]);
  return answer.json();
}

describe('whether an agent may sell', () => {
  it.each(ASKED)('is told of $domain by every operation alike', async ({ domain, code, rule, place }) => {
    const property = await ofProperty(domain);
    const [because] = property.because;
    const isYes = code === 'authorized';
    expect([property.authorized, because.code, because.rule]).toEqual([
      isYes,
      code,
      expect.stringMatching(rule),
    ]);
    expect(because.entry).toBe(place);
    expect(typeof because.hint).toBe(isYes ? 'undefined' : 'string');

    const product = await ofProduct(domain);
    // a rule names what was asked for, and that was its id
    expect(product.authorized).toBe(isYes);
    expect(product.because).toEqual([{ ...because, rule: expect.stringMatching(rule) }]);

    const lookup = await asked(
      `/api/registry/lookup/domain/${domain}`,
      {},
      '/api/registry/lookup/domain/{domain}',
    );
    const publisher = await asked('/api/registry/publisher', { domain });
    const sellers = await asked('/api/registry/lookup/property', { type: 'domain', value: domain });
    for (const agents of [lookup.authorized_agents, publisher.authorized_agents, sellers.agents])
      expect(agents.some(({ url }: { url: string }) => url === AGENT)).toBe(isYes);
    for (const { visit } of [lookup, publisher]) expect(visit).toEqual(property.visit);
  });

  it.each(ASKED)(
    'is counted of $domain, or it says why there is nothing to count',
    async ({ domain, code, rule }) => {
      const counts = await asked('/api/registry/publisher/authorization', { domain, agent: AGENT });
      if (code === 'authorized')
        expect(counts).toMatchObject({ authorized: 1, total: 1, authorized_for: 'Display' });
      else if (code === 'signals_only' || code === 'other_property')
        expect(counts).toMatchObject({ authorized: 0, authorized_for: 'Display' });
      else
        expect(counts.detail.replace(/^this publisher does not authorise the agent now: /, '')).toMatch(rule);
    },
  );

  it('is the same list for its publishers and for the directory', async () => {
    const encoded = encodeURIComponent(AGENT);
    const domains = `/api/registry/lookup/agent/${encoded}/domains`;
    expect((await registry.get(domains)).json().domains).toEqual(SELLING);
    const directory = (await registry.get(`/v1/agents/${encoded}/publishers`)).json();
    expect(directory.publishers.map((one: { publisher_domain: string }) => one.publisher_domain)).toEqual(
      SELLING,
    );
  });

  it.each([
    [BEGINS - 1, 'not_yet', asTime(BEGINS)],
    [BEGINS, 'authorized', null],
    [BEGINS + 365 * DAY, 'authorized', null],
  ])('changes with the moment %s: %s', async (at, code, until) => {
    const told = await ofProperty('soon.example', { at: asTime(at) });
    expect([told.because[0].code, told.until]).toEqual([code, until]);
  });

  it('tells the terms of a yes, and no country where none is limited', async () => {
    const [because] = (await ofProperty('terms.example', { country: 'DE' })).because;
    expect(because).toMatchObject({ exclusive: true, delegation_type: 'direct' });
    expect(because.within).toBeUndefined();
  });
});

describe('a file that is gone', () => {
  it('still gives its yes within the grace, and says that it is absent', async () => {
    const { records, clock } = registry;
    await publishFile(records, 'gone.example', 'adagents', {
      file: { authorized_agents: [entry()], properties: [home('gone.example')] },
    });
    const at = NOW + HOUR;
    const work = await takeOne(records, 'domain', 'gone.example', at);
    const error = {
      code: 'http_404',
      detail: 'https://gone.example/.well-known/adagents.json answered 404',
    } as const;
    const gone = fileVisit(work, 'adagents', { outcome: 'absent', error, absentSince: at, absentVisits: 1 });
    await records.sources.commitDomainVisit({
      domain: 'gone.example',
      at,
      files: [gone, fileVisit(work, 'brand')],
      found: [],
    });
    clock.value = at + 1;
    const told = await ofProperty('gone.example');
    expect(told).toMatchObject({
      authorized: true,
      visit: { state: 'absent', last_good_at: asTime(NOW), last_tried_at: asTime(at), why: 'http_404' },
    });
  });
});
