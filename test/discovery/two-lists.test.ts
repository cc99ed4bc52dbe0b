import { describe, expect, it } from 'vitest';
import { checkBytes } from '../../src/discovery/check-file.ts';
import { DAY, START } from '../scenarios/support/world.ts';
import { agent, NEWS, type Pages, play, pointer, revoked, type Step } from './file-story.ts';

describe('a pointer with a list of its own', () => {
  const both = (list: object): object => pointer('net.example', list);
  const target = (page: object): Pages => ({ 'net.example': { '/a.json': page } });
  const LIST = entries('a', 'b');
  it.each<[string, readonly Step[]]>([
    [
      'authorises whom both the list and the target name alike',
      [
        {
          own: both(entries('a', 'c')),
          pages: target(LIST),
          may: ['a'],
          findings: ['location_with_agents'],
        },
        { may: ['a'], outcome: 'unchanged' },
        { own: both(LIST), may: ['a', 'b'] },
        { own: pointer('net.example'), may: ['a', 'b'] },
      ],
    ],
    [
      'authorises nobody while its list is empty, null or broken',
      [
        { own: both({ authorized_agents: [] }), pages: target(LIST), may: [] },
        { own: both({ authorized_agents: null }), may: [] },
        { own: both({ authorized_agents: 'all' }), may: [] },
      ],
    ],
    [
      'does not widen an entry that the list limits, nor a property that it lists otherwise',
      [
        { own: both(entries('a', { ...named('b'), countries: ['DE'] })), pages: target(LIST), may: ['a'] },
        { own: both({ ...LIST, properties: site('sports.example') }), may: [] },
      ],
    ],
    [
      'is compared with a target that changes, whatever became of the pointer',
      [
        { own: both(entries('a')), pages: target(LIST), may: ['a'] },
        { pages: target(entries('b')), may: [] },
        { pages: target(entries('a', 'b', 'c')), may: ['a'] },
      ],
    ],
    [
      'takes back by either side, and holds that',
      [
        { own: both({ ...LIST, ...revoked() }), pages: target(LIST), may: [] },
        { own: both(LIST), may: [] },
        { after: 7 * DAY, may: ['a', 'b'] },
      ],
    ],
  ])('%s', async (_name, steps) => {
    await play(steps);
  });
});

function named(who: string): object {
  return {
    ...{ url: agent(who), authorized_for: 'all', authorization_type: 'property_ids' },
    property_ids: ['home'],
  };
}

function site(value: string): object[] {
  return [
    {
      ...{ property_id: 'home', property_type: 'website', name: 'home' },
      identifiers: [{ type: 'domain', value }],
    },
  ];
}

function entries(...who: (string | object)[]): object {
  return {
    properties: site(NEWS),
    authorized_agents: who.map((one) => (typeof one === 'string' ? named(one) : one)),
  };
}

it('a revocation under another name of the publisher shows in the summary of validate, too', () => {
  const text = JSON.stringify({
    ...entries('a'),
    revoked_publisher_domains: [{ publisher_domain: `www.${NEWS}` }],
  });
  const { summary } = checkBytes(Buffer.from(text), { kind: 'adagents', domain: NEWS, now: START });
  expect(summary.publishers).toMatchObject([{ publisher: NEWS, sellers: [], revoked: true }]);
});

describe('a file that leads to another one', () => {
  const target = { 'net.example': { '/a.json': entries('a') } };
  const aside = pointer('net.example', { agents: [{ url: agent('z') }] });
  it('says that its other content does not count, for as long as it stands there', async () => {
    await play([
      { own: aside, pages: target, may: ['a'], findings: ['location_with_content'] },
      { may: ['a'], outcome: 'unchanged' },
      {
        pages: { 'net.example': { '/a.json': entries('b') } },
        may: ['b'],
        findings: ['location_with_content'],
      },
      { own: pointer('net.example'), may: ['b'], outcome: 'indexed', findings: [] },
      { own: aside, may: ['b'], outcome: 'indexed', findings: ['location_with_content'] },
    ]);
  });

  it('says so of a brand, too', async () => {
    const house = (name: string) => ({
      house: { domain: 'net.example', name, agents: [{ type: 'sales', url: agent(name) }] },
    });
    const page = (name: string): Pages => ({ 'net.example': { '/.well-known/brand.json': house(name) } });
    const told = ['redirect_with_agents'];
    await play(
      [
        {
          own: { house: 'net.example', agents: [{ type: 'sales', url: agent('z') }] },
          pages: page('a'),
          may: ['a'],
          findings: told,
        },
        { may: ['a'], outcome: 'unchanged' },
        { pages: page('b'), may: ['b'], outcome: 'indexed', findings: told },
        { own: { house: 'net.example' }, may: ['b'], outcome: 'indexed', findings: [] },
      ],
      'brand',
    );
  });
});
