import { describe, expect, test } from 'vitest';
import { A, all, B, derive, deriveBrand, property, select } from './derive-support.ts';

describe('mentions and references', () => {
  test('every entry of an own file is a mention, with the claims of the simple variant', () => {
    const facts = derive({
      publisher: { domain: 'group.example' },
      agents: [{ url: A, protocol: 'mcp', capabilities: ['get_products'] }, { url: B }],
    });
    expect(facts.mentions).toEqual([
      {
        agent: A,
        declaredUrl: A,
        declarer: 'news.example',
        file: 'adagents',
        entry: '/agents/0',
        claimedProtocol: 'mcp',
        claimedCapabilities: ['get_products'],
      },
      { agent: B, declaredUrl: B, declarer: 'news.example', file: 'adagents', entry: '/agents/1' },
    ]);
    expect(facts.references).toEqual([{ domain: 'group.example', reason: 'brand' }]);
  });

  test('an own file names other publishers, each once, but not those it revoked', () => {
    const file = {
      authorized_agents: [
        select(all('one.example', 'two.example', 'news.example')),
        select(all('one.example', 'gone.example')),
      ],
      properties: [property('p', { publisher_domain: 'three.example' })],
      revoked_publisher_domains: [{ publisher_domain: 'gone.example' }],
    };
    expect(derive(file).references.map(({ domain, reason }) => `${domain} ${reason}`)).toEqual([
      'one.example publisher_selector',
      'two.example publisher_selector',
      'three.example publisher_selector',
    ]);
  });

  test('a reference leads to its host', () => {
    expect(derive({ authoritative_location: 'https://cdn.example/x.json' }).references).toEqual([
      { domain: 'cdn.example', reason: 'authoritative_location' },
    ]);
    expect(derive({ authoritative_location: 'https://192.0.2.1/x.json' }).references).toEqual([]);
  });

  test('a reference that was followed leads to where its content stood', () => {
    const where = { via: 'reference', url: 'https://cdn.manager.example/x.json' } as const;
    const selected = select(all('x.example', 'news.example'));
    expect(derive({ authorized_agents: [selected] }, where).references).toEqual([
      { domain: 'cdn.manager.example', reason: 'authoritative_location' },
    ]);
    expect(derive({ authorized_agents: [selected] }, { via: 'reference' }).references).toEqual([]);
  });

  test('a brand file says type, name, description and contact of its agents, but not that a type is unknown', () => {
    const facts = deriveBrand({
      agents: [
        {
          type: 'sales',
          url: A,
          name: 'Desk',
          description: 'sells',
          jwks_uri: 'https://a.agents.example/keys',
        },
        { type: 'wizard', url: B },
      ],
      contact: { email: 'x@house.example', website: 'https://house.example' },
    });
    const contact = { email: 'x@house.example', website: 'https://house.example' };
    expect(facts.mentions).toEqual([
      {
        agent: A,
        declaredUrl: A,
        declarer: 'house.example',
        file: 'brand',
        entry: '/agents/0',
        type: 'sales',
        name: 'Desk',
        description: 'sells',
        jwksUri: 'https://a.agents.example/keys',
        contact,
      },
      { agent: B, declaredUrl: B, declarer: 'house.example', file: 'brand', entry: '/agents/1', contact },
    ]);
  });

  test('a house leads to its brands and operators, and its operators count while their period lasts', () => {
    const facts = deriveBrand({
      house: { domain: 'house.example' },
      brands: [{ id: 'a', names: [{ en: 'A' }], identity_agent: { url: A, id: 'i' } }],
      brand_refs: [{ domain: 'leaf.example' }],
      authorized_operators: [
        { domain: 'now.example', valid_until: '2026-07-01T00:00:00Z' },
        { domain: 'past.example', valid_until: '2026-06-01T00:00:00Z' },
        { domain: 'later.example', valid_from: '2026-06-15T00:00:00Z' },
      ],
    });
    expect(facts.mentions.map(({ agent, type }) => [agent, type])).toEqual([[A, 'brand']]);
    expect(facts.operators).toEqual(['now.example']);
    expect(facts.rederiveAt).toBe(Date.UTC(2026, 5, 15));
    expect(facts.references.map(({ domain, reason }) => `${domain} ${reason}`)).toEqual([
      'leaf.example brand',
      'now.example operator',
      'past.example operator',
      'later.example operator',
    ]);
  });

  test.each([
    ['a house redirect', { house: 'parent.example' }],
    ['a brand’s own document', { id: 'a', names: [{ en: 'A' }], house_domain: 'parent.example' }],
  ])('%s leads to the house', (_name, file) => {
    expect(deriveBrand(file).references).toEqual([{ domain: 'parent.example', reason: 'house' }]);
  });

  test('a reference from one manager’s file costs no more with more publishers named in it', () => {
    const many = Array.from({ length: 3_000 }, (_, i) => `p${i}.example`);
    const facts = derive(
      { authorized_agents: [select(all(...many, 'news.example'))] },
      { via: 'manager', managerDomain: 'manager.example' },
    );
    expect([facts.authorisations.length, facts.mentions.length, facts.references.length]).toEqual([1, 1, 1]);
  });
});
