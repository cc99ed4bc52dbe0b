import { describe, expect, it } from 'vitest';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { ADAGENTS, BRAND, type Pages } from './support/web.ts';
import { adagents, DAY, HOUR, openWorld, START } from './support/world.ts';

const AGENT = 'https://sales.nova.example/mcp';
const date = (later: number) => new Date(START + later).toISOString();

/** An adagents.json whose one entry is limited in time. */
const limited = (limits: object): Pages => ({
  'news.example': {
    [ADAGENTS]: {
      authorized_agents: [
        {
          url: AGENT,
          authorized_for: 'display',
          authorization_type: 'property_ids',
          property_ids: ['site'],
          ...limits,
        },
      ],
      properties: [
        {
          property_id: 'site',
          property_type: 'website',
          name: 'News',
          identifiers: [{ type: 'domain', value: 'news.example' }],
        },
      ],
    },
  },
});

describe('a date in a file', () => {
  it('ends an authorisation by itself, with no request to anybody', async () => {
    const world = await openWorld(limited({ effective_until: date(3 * DAY) }));
    await world.crawl(['news.example']);
    const agentDue = world.clock.value;
    expect((await world.document(AGENT))?.properties?.stats.publisher_count).toBe(1);
    world.requests();
    world.clock.value = START + 3 * DAY - 1;
    await world.derive();
    expect(await world.authorised('news.example')).toEqual([AGENT]);
    world.clock.value = START + 3 * DAY;
    await world.derive();
    expect(await world.authorised('news.example')).toEqual([]);
    expect((await world.document(AGENT))?.properties?.stats.publisher_count).toBe(0);
    expect(world.requests()).toEqual([]);
    expect(agentDue).toBe(START);
  });

  it('takes the agent out of the list a day after the last entry about it has ended', async () => {
    const world = await openWorld(limited({ effective_until: date(3 * DAY) }));
    await world.crawl(['news.example']);
    for (const [later, listed] of [
      [3 * DAY - 1, [AGENT]],
      [3 * DAY, [AGENT]],
      [4 * DAY, []],
    ] as const) {
      world.clock.value = START + later;
      await world.derive();
      expect(await world.listed()).toEqual(listed);
    }
  });

  it('begins one by itself as well', async () => {
    const world = await openWorld(limited({ effective_from: date(2 * DAY) }));
    await world.crawl(['news.example']);
    expect(await world.authorised('news.example')).toEqual([]);
    world.clock.value = START + 2 * DAY;
    await world.derive();
    expect(await world.authorised('news.example')).toEqual([AGENT]);
  });

  it('counts from the moment of the visit when it has passed before', async () => {
    const world = await openWorld(limited({ effective_until: date(-DAY) }));
    await world.crawl(['news.example']);
    expect(await world.authorised('news.example')).toEqual([]);
  });
});

describe('revoked_publisher_domains', () => {
  const network = (revoked: readonly object[]): Pages => ({
    'network.example': {
      [ADAGENTS]: {
        authorized_agents: [
          {
            url: AGENT,
            authorized_for: 'display',
            authorization_type: 'publisher_properties',
            publisher_properties: [
              { publisher_domains: ['left.example', 'stays.example'], selection_type: 'all' },
            ],
          },
        ],
        properties: [],
        revoked_publisher_domains: revoked,
      },
    },
    'left.example': {
      [ADAGENTS]: { authoritative_location: `https://network.example${ADAGENTS}` },
    },
    'stays.example': {
      [ADAGENTS]: { authoritative_location: `https://network.example${ADAGENTS}` },
    },
  });
  const DOMAINS = ['left.example', 'stays.example'];

  it('beat the selector that names the same domain', async () => {
    const world = await openWorld(network([{ publisher_domain: 'left.example' }]));
    await world.crawl(DOMAINS);
    expect(await world.authorised('left.example')).toEqual([]);
    expect(await world.authorised('stays.example')).toEqual([AGENT]);
  });

  it('count whatever their date is, and for 7 days after they vanished; then they end with no request', async () => {
    const world = await openWorld(
      network([{ publisher_domain: 'left.example', revoked_at: date(DAY), reason: 'left us' }]),
    );
    await world.crawl(DOMAINS);
    expect(await world.authorised('left.example')).toEqual([]);
    world.web.pages = network([]);
    world.clock.value += 7 * HOUR;
    await world.crawl(DOMAINS);
    expect(await world.authorised('left.example')).toEqual([]);
    expect(await world.authorised('stays.example')).toEqual([AGENT]);
    const { source } = await world.journey('adagents', 'left.example');
    const until = world.clock.value + 7 * DAY;
    expect(source.memory?.revoked).toEqual([
      { site: 'network.example', since: START, until, reason: 'left us' },
    ]);
    world.requests();
    world.clock.value = until;
    await world.derive();
    expect(await world.authorised('left.example')).toEqual([AGENT]);
    expect(world.requests()).toEqual([]);
  });
});

describe('a redirect of brand.json that is not effective yet', () => {
  it('is followed at the first visit after its date, though no byte of it changed', async () => {
    const redirect = {
      authoritative_location: `https://house.example${BRAND}`,
      redirect_effective_at: date(DAY),
    };
    const world = await openWorld({
      'leaf.example': { [BRAND]: { status: 200, headers: { etag: '"1"' }, body: redirect } },
      'house.example': {
        [BRAND]: { agents: [{ type: 'sales', url: 'https://ads.house.example/mcp', id: 'ads' }] },
      },
    });
    await world.crawl(['leaf.example'], { depth: 0 });
    expect(await world.journey('brand', 'leaf.example')).toMatchObject({ mentions: [] });
    world.clock.value = START + DAY + HOUR;
    await world.crawl(['leaf.example'], { depth: 0 });
    const { mentions } = await world.journey('brand', 'leaf.example');
    expect(mentions.map((mention) => mention.agent)).toEqual(['https://ads.house.example/mcp']);
  });
});

describe('an operator that a house authorises for a time', () => {
  const world = () =>
    openWorld({
      'house.example': {
        [BRAND]: {
          house: { domain: 'house.example', name: 'House' },
          brands: [
            {
              id: 'soap',
              names: [{ en: 'Soap' }],
              identity_agent: { url: 'https://ids.operator.example/mcp', id: 'x' },
            },
          ],
          authorized_operators: [{ domain: 'operator.example', brands: ['soap'], valid_until: date(DAY) }],
        },
      },
      'news.example': { [ADAGENTS]: adagents('news.example', 'https://ids.operator.example/mcp') },
      'ids.operator.example': mcpAgent({
        path: '/mcp',
        tools: ['get_proto_capabilities'],
        answers: {
          get_proto_capabilities: {
            content: [],
            structuredContent: { proto: {}, identity: { brand_json_url: `https://house.example${BRAND}` } },
          },
        },
      }),
    });

  it('lets the house say what the agent is until then, and no longer', async () => {
    const registry = await world();
    await registry.crawl(['house.example', 'news.example']);
    const type = async () => (await registry.document('https://ids.operator.example/mcp'))?.type;
    expect(await type()).toBe('brand');
    registry.clock.value = START + DAY;
    await registry.derive();
    expect(await type()).toBe('unknown');
  });
});
