import { describe, expect, test } from 'vitest';
import { catalogueSize } from '../../src/domain/property-identity.ts';
import { A, all, B, byIds, byTags, counts, derive, property, select, type Where } from './derive-support.ts';

describe('what an entry of the publisher’s own file covers', () => {
  const properties = [
    property('site', { tags: ['news'] }),
    property('app', { property_type: 'mobile_app', tags: ['app', 'news'] }),
    property('theirs', { publisher_domain: 'other.example', tags: ['theirs'] }),
    property('odd', { property_id: undefined, property_type: 'radio', tags: ['odd'] }),
  ];
  test.each([
    ['ids', byIds(A, ['site']), [[A, { website: 1 }]]],
    ['tags, any of them', byTags(A, ['news', 'zzz']), [[A, { mobile_app: 1, website: 1 }]]],
    [
      'inline properties',
      {
        url: A,
        authorized_for: 'x',
        authorization_type: 'inline_properties',
        properties: [property('x'), property('y', { publisher_domain: 'other.example' })],
      },
      [[A, { website: 1 }]],
    ],
    ['the whole inventory', { url: A, authorized_for: 'x' }, [[A, { mobile_app: 1, radio: 1, website: 1 }]]],
    [
      'signals and no properties',
      { url: A, authorized_for: 'x', authorization_type: 'signal_ids', signal_ids: ['s'] },
      [[A, {}]],
    ],
    [
      'a selector that names the publisher: what has an id',
      select(all('news.example')),
      [[A, { mobile_app: 1, website: 1 }]],
    ],
    [
      'a selector by id',
      select({ publisher_domain: 'news.example', selection_type: 'by_id', property_ids: ['app'] }),
      [[A, { mobile_app: 1 }]],
    ],
    [
      'a selector by tag',
      select({ publisher_domain: 'news.example', selection_type: 'by_tag', property_tags: ['app'] }),
      [[A, { mobile_app: 1 }]],
    ],
    ['ids that the file does not have: an edge without properties', byIds(A, ['nope']), [[A, {}]]],
    ['only another publisher’s property: no edge', byIds(A, ['theirs']), []],
    ['a selector for another publisher: no edge', select(all('other.example')), []],
  ])('%s', (_name, entry, expected) =>
    expect(counts(derive({ authorized_agents: [entry], properties }))).toEqual(expected),
  );

  test.each([
    [
      'signals',
      { ...byIds(A, []), property_ids: undefined, authorization_type: 'signal_ids', signal_ids: ['s'] },
      true,
    ],
    ['ids of no property', byIds(A, ['nope']), true],
    ['tags of no property', byTags(A, ['nope']), true],
    [
      'a selector by an id of no property',
      select({ publisher_domain: 'news.example', selection_type: 'by_id', property_ids: ['nope'] }),
      true,
    ],
    [
      'a selector by a tag of properties without ids',
      select({ publisher_domain: 'news.example', selection_type: 'by_tag', property_tags: ['odd'] }),
      true,
    ],
    ['ids of one property and one of none', byIds(A, ['nope', 'site']), undefined],
    ['everything', { url: A, authorized_for: 'x' }, undefined],
    ['a selector for all', select(all('news.example')), undefined],
  ])('whether an edge sells nothing: %s', (_name, entry, expected) => {
    const { authorisations } = derive({ authorized_agents: [entry], properties });
    expect(authorisations.map(({ sellsNothing }) => sellsNothing)).toEqual([expected]);
  });

  test('a property counts once for an agent, however many entries name it, and once for each other agent', () => {
    const facts = derive({
      authorized_agents: [byIds(A, ['site']), byTags(A, ['news']), byIds(B, ['site'])],
      properties,
    });
    expect(counts(facts)).toEqual([
      [A, { website: 1 }],
      [A, { mobile_app: 1 }],
      [B, { website: 1 }],
    ]);
  });

  test('properties without ids are the same when type and identifiers are', () => {
    const same = property('x', { property_id: undefined, tags: ['t'] });
    expect(
      counts(
        derive({ authorized_agents: [byTags(A, ['t'])], properties: [same, { ...same, name: 'again' }] }),
      ),
    ).toEqual([[A, { website: 1 }]]);
  });

  test('an edge says what the entry said', () => {
    const [edge] = derive({
      authorized_agents: [
        {
          ...byTags('https://A.agents.example/mcp/', ['news']),
          countries: ['DE'],
          signing_keys: [{ kid: 'k', kty: 'OKP' }],
        },
      ],
      properties,
    }).authorisations;
    expect(edge).toEqual({
      publisher: 'news.example',
      agent: A,
      entry: '/authorized_agents/0',
      declaredUrl: 'https://A.agents.example/mcp/',
      via: 'own',
      authorizedFor: 'x',
      scope: 'property_tags',
      covers: { tags: '\nnews\n' },
      limits: { countries: ['DE'] },
      signingKeys: [{ kid: 'k', kty: 'OKP' }],
      countByType: { mobile_app: 1, website: 1 },
      tags: ['app', 'news'],
    });
  });

  test('a tag too goes with the first entry of an agent that brings it, and at most 200 with all of them', () => {
    const entries = [byIds(A, ['app']), select(all('news.example')), byIds(B, ['site'])];
    const tags = (file: object) => derive(file).authorisations.map((edge) => edge.tags);
    expect(tags({ authorized_agents: entries, properties })).toEqual([['app', 'news'], [], ['news']]);
    const many = Array.from({ length: 300 }, (_, i) => property(`p${i}`, { tags: [`t${i}`] }));
    expect(tags({ agents: [{ url: A }, { url: A }], properties: many }).map((list) => list.length)).toEqual([
      200, 0,
    ]);
  });

  test('property types that the format does not know count together, as other', () => {
    const odd = Array.from({ length: 300 }, (_, i) => property(`p${i}`, { property_type: `type ${i}` }));
    const facts = derive({ agents: [{ url: A }], properties: [property('site'), ...odd] });
    expect(counts(facts)).toEqual([[A, { other: 300, website: 1 }]]);
  });

  test('what follows from a file grows with the file, and not with entries times properties', () => {
    const size = (count: number): number => {
      const properties = Array.from({ length: count }, (_, i) => property(`p${i}`, { tags: ['x', `t${i}`] }));
      const authorized_agents = Array.from({ length: count }, () => byTags(A, ['x']));
      return JSON.stringify(derive({ authorized_agents, properties })).length;
    };
    expect(size(2_000)).toBeLessThan(11 * size(200));
  });

  test('legacy properties authorise for the domain they name', () => {
    const file = {
      properties: [
        { domain: 'www.news.example', agents: [{ agent_url: A }] },
        { domain: 'other.example', agents: [{ agent_url: B }] },
      ],
    };
    expect(counts(derive(file))).toEqual([[A, { website: 1 }]]);
  });
});

describe('a file that the domain only refers to', () => {
  const where: Where = { via: 'reference' };
  const properties = [
    property('news'),
    property('rival'),
    property('app', { property_type: 'mobile_app', identifiers: [{ type: 'bundle_id', value: 'x' }] }),
    property('named', { publisher_domain: 'other.example' }),
  ];

  test('another site’s property is not counted for this publisher', () => {
    const facts = derive({ authorized_agents: [{ url: A, authorized_for: 'x' }], properties }, where);
    expect(counts(facts)).toEqual([[A, { mobile_app: 1, website: 1 }]]);
  });

  test('an entry about other publishers is neither an edge nor a mention', () => {
    const facts = derive(
      {
        authorized_agents: [
          byIds(B, ['named']),
          byIds(B, ['rival']),
          select(all('other.example')),
          byIds(A, ['news']),
        ],
        properties,
      },
      where,
    );
    expect(facts.authorisations.map(({ agent, entry }) => [agent, entry])).toEqual([
      [A, '/authorized_agents/3'],
    ]);
    expect(facts.mentions.map(({ agent }) => agent)).toEqual([A]);
    expect(facts.references).toEqual([]);
  });
});

describe('a property is known by its publisher and its id together', () => {
  const names = ['news.example', 'b.example', 'c.example'];
  const named = names.map((name) => property('main', { publisher_domain: name, tags: ['run'] }));
  const bySites = names.map((value) => property('main', { identifiers: [{ type: 'domain', value }] }));
  test.each([
    ['by id', byIds(A, ['main']), named],
    ['by tag', byTags(A, ['run']), named],
    ['by id, their sites alone telling them apart', byIds(A, ['main']), bySites],
    [
      'by selectors',
      select(
        ...names.map((name) => ({
          publisher_domain: name,
          selection_type: 'by_id',
          property_ids: ['main'],
        })),
      ),
      named,
    ],
    [
      'inside the entry',
      {
        ...byIds(A, []),
        property_ids: undefined,
        authorization_type: 'inline_properties',
        properties: named,
      },
      [],
    ],
  ])('one id of three publishers authorises for each of them, %s', (_name, entry, properties) => {
    const file = { authorized_agents: [entry], properties };
    for (const domain of names)
      expect(counts(derive(file, { domain, via: 'reference' }))).toEqual([[A, { website: 1 }]]);
  });

  test.each([
    ['by its id', (name: string) => property('main', { publisher_domain: name }), [byIds(A, ['main'])]],
    [
      'by its site',
      (value: string) =>
        property('', { property_id: undefined, tags: ['t'], identifiers: [{ type: 'domain', value }] }),
      [byTags(A, ['t'])],
    ],
  ])('one that is listed under a host and its www counts once, %s', (_name, propertyAt, entries) => {
    const properties = ['news.example', 'www.news.example', 'm.news.example'].map(propertyAt);
    const facts = derive({ authorized_agents: entries, properties });
    expect(counts(facts)).toEqual([[A, { website: 1 }]]);
    expect(catalogueSize(facts.properties, 'news.example')).toBe(1);
  });

  test('a property of which an identifier cannot be read is of the publisher whose site it names', () => {
    const identifiers = [{ type: 'domian', value: 'rival.example' }];
    const file = { authorized_agents: [byIds(A, ['p'])], properties: [property('p', { identifiers })] };
    expect(counts(derive(file, { via: 'reference' }))).toEqual([]);
    expect(counts(derive(file))).toEqual([[A, { website: 1 }]]);
  });
});

describe('a manager’s file', () => {
  const where: Where = { via: 'manager', managerDomain: 'manager.example' };
  test.each([
    [
      'a selector names the publisher',
      { authorized_agents: [select(all('x.example', 'news.example'))] },
      [[A, {}]],
    ],
    [
      'a property names the publisher',
      {
        authorized_agents: [byIds(A, ['p'])],
        properties: [property('p', { publisher_domain: 'news.example' })],
      },
      [[A, { website: 1 }]],
    ],
    [
      'an inline property names the publisher',
      {
        authorized_agents: [
          {
            url: A,
            authorized_for: 'x',
            authorization_type: 'inline_properties',
            properties: [property('p', { publisher_domain: 'news.example' })],
          },
        ],
      },
      [[A, { website: 1 }]],
    ],
    [
      'nothing names the publisher',
      {
        authorized_agents: [
          { url: A, authorized_for: 'x' },
          byIds(A, ['p']),
          { url: A, authorized_for: 'x', authorization_type: 'signal_ids', signal_ids: ['s'] },
        ],
        properties: [property('p')],
      },
      [],
    ],
    [
      'only a bare entry is beside a property of the publisher',
      {
        authorized_agents: [{ url: A, authorized_for: 'x' }],
        properties: [property('p', { publisher_domain: 'news.example' })],
      },
      [],
    ],
    [
      'a simple list is beside a property of the publisher',
      {
        publisher: { name: 'News', domain: 'news.example' },
        agents: [{ url: A, protocol: 'mcp' }],
        properties: [property('p', { publisher_domain: 'news.example' })],
      },
      [],
    ],
    [
      'only the collections that limit an entry are of the publisher',
      {
        authorized_agents: [byIds(A, ['p'], { collections: [{ publisher_domain: 'news.example' }] })],
        properties: [property('p', { publisher_domain: 'manager.example' })],
      },
      [],
    ],
    [
      'a tag matches properties of others only',
      {
        authorized_agents: [byTags(A, ['t'])],
        properties: [
          property('p', { publisher_domain: 'news.example' }),
          property('q', { publisher_domain: 'x.example', tags: ['t'] }),
          property('r', { tags: ['t'] }),
        ],
      },
      [],
    ],
  ])('%s', (_name, file, expected) => expect(counts(derive(file, where))).toEqual(expected));

  test('the manager is worth a visit and its other publishers are not named again', () => {
    expect(
      derive({ authorized_agents: [select(all('x.example', 'news.example'))] }, where).references,
    ).toEqual([{ domain: 'manager.example', reason: 'manager' }]);
  });
});
