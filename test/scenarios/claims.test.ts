import { describe, expect, it } from 'vitest';
import { agentFindings } from '../../src/domain/agent-findings.ts';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { ADAGENTS, BRAND } from './support/web.ts';
import { adagents, openWorld, type World } from './support/world.ts';

const AGENT = 'https://ads.nova.example/mcp';

/** An agent that sells, and says which publishers' inventory it has. */
const seller = (...publishers: readonly string[]) =>
  mcpAgent({
    path: '/mcp',
    tools: ['get_products', 'create_media_buy', 'get_proto_capabilities'],
    answers: {
      get_proto_capabilities: {
        content: [],
        structuredContent: {
          proto: { supported_versions: ['3.0'], major_versions: [3] },
          supported_protocols: ['media_buy'],
          media_buy: { portfolio: { publisher_domains: publishers } },
        },
      },
    },
  });

async function codesOf({ store: { records } }: World): Promise<readonly string[]> {
  const [facts] = await records.agents.facts([AGENT]);
  if (facts === undefined) throw new Error('the agent is unknown');
  const [edges, mentions] = [
    await records.agents.authorisations(AGENT, 100),
    await records.agents.mentions(AGENT, 100),
  ];
  const claimed = facts.lastGood?.exposed.claimedPublisherDomains ?? [];
  const agreeing = await records.agents.authorisedAmong(AGENT, claimed);
  return agentFindings(facts, { authorisations: edges, mentions, agreeing }).map((finding) => finding.code);
}

describe('what an agent claims of itself', () => {
  it('counts only where the publisher’s own file agrees, and a denial is a finding', async () => {
    const world = await openWorld({
      'ads.nova.example': seller('news.example', 'denies.example'),
      'news.example': { [ADAGENTS]: adagents('news.example', AGENT) },
      'denies.example': { [ADAGENTS]: adagents('denies.example', 'https://other.example/mcp') },
    });
    const tally = await world.crawl(['news.example']);
    expect(tally.visited.domains).toBeGreaterThanOrEqual(2);
    expect((await world.document(AGENT))?.properties?.publisher_domains).toEqual(['news.example']);
    expect(await codesOf(world)).toEqual(['claim_not_confirmed']);
    const { source } = await world.journey('adagents', 'denies.example');
    expect(source.foundVia).toBe(`agent_claim ${AGENT}`);
  });

  it('infers its type while nobody with authority says one', async () => {
    const world = await openWorld({
      'ads.nova.example': seller(),
      'news.example': { [ADAGENTS]: adagents('news.example', AGENT) },
    });
    await world.crawl(['news.example']);
    expect(await world.document(AGENT)).toMatchObject({ type: 'sales', base: { protocol: 'mcp' } });
  });
});

describe('what a brand says of an agent', () => {
  const said = (type: string) => ({
    agents: [{ type, url: AGENT, id: 'a', description: `a ${type} agent` }],
  });

  it('changes nothing in the record when it is a stranger’s, and is a finding', async () => {
    const pages = {
      'ads.nova.example': seller(),
      'news.example': { [ADAGENTS]: adagents('news.example', AGENT) },
    };
    const world = await openWorld(pages);
    await world.crawl(['news.example']);
    const before = await world.document(AGENT);
    world.web.pages = { ...pages, 'stranger.example': { [BRAND]: said('rights') } };
    await world.crawl(['stranger.example']);
    expect(await world.document(AGENT)).toEqual(before);
    expect(await codesOf(world)).toEqual(['claim_without_authority']);
  });

  it('stands when the brand.json is on its own registrable domain', async () => {
    const world = await openWorld({
      'ads.nova.example': seller(),
      'nova.example': { [BRAND]: said('buying') },
      'stranger.example': { [BRAND]: said('rights') },
    });
    await world.crawl(['stranger.example', 'nova.example']);
    expect(await world.document(AGENT)).toMatchObject({
      type: 'buying',
      base: { description: 'a buying agent' },
    });
    expect([...(await codesOf(world))].sort()).toEqual(['claim_without_authority', 'type_contradicted']);
  });

  it('survives a probe that fails later', async () => {
    const pages = { 'ads.nova.example': seller(), 'nova.example': { [BRAND]: said('sales') } };
    const world = await openWorld(pages);
    await world.crawl(['nova.example']);
    const before = await world.document(AGENT);
    world.web.pages = { ...pages, 'ads.nova.example': {} };
    world.clock.value += 3_600_000 * 3;
    await world.due();
    const [latest] = await world.store.records.agents.observations(AGENT, 1);
    expect(latest?.health).toMatchObject({ online: false, errorClass: 'wrong_path' });
    expect(await world.document(AGENT)).toEqual(before);
  });
});

describe('what publishers promise of an agent', () => {
  it('is compared with what it exposes', async () => {
    const promising = (domain: string, protocol: string, ...capabilities: string[]) => ({
      [ADAGENTS]: { publisher: { domain }, agents: [{ url: AGENT, protocol, capabilities }] },
    });
    const world = await openWorld({
      'ads.nova.example': seller(),
      'news.example': promising('news.example', 'mcp', 'get_products'),
      'blog.example': promising('blog.example', 'a2a', 'get_products', 'get_signals'),
    });
    await world.crawl(['news.example', 'blog.example']);
    expect(await codesOf(world)).toEqual(['claim_protocol_differs', 'claim_capability_missing']);
  });
});

describe('an agent’s record and a file that would swell it', () => {
  it('grows by a bounded number of tags and by one property type', async () => {
    const domain = 'stranger.example';
    const own = { property_type: 'website', name: 'n', identifiers: [{ type: 'domain', value: domain }] };
    const tags = Array.from({ length: 60 }, (_, n) => `${n}${'A'.repeat(60_000)}`);
    const types = Array.from({ length: 5_000 }, (_, n) => ({
      property_type: `type ${n} ${'z'.repeat(80)}`,
      name: 'n',
      identifiers: [{ type: 'x', value: `${n}` }],
      tags: [`t${n}`],
    }));
    const properties = [{ ...own, tags }, ...types];
    const entry = { url: AGENT, authorized_for: 'x', authorization_type: 'inline_properties', properties };
    const world = await openWorld({
      'ads.nova.example': seller(),
      [domain]: { [ADAGENTS]: { authorized_agents: [entry] } },
    });
    await world.crawl([domain]);
    const summary = (await world.document(AGENT))?.properties?.property_summary;
    expect(summary).toMatchObject({ total_count: 5_001, count_by_type: { other: 5_000, website: 1 } });
    expect(summary?.tags).toHaveLength(200);
    expect(JSON.stringify(summary).length).toBeLessThan(3_000);
  });
});
