import { describe, expect, test } from 'vitest';
import { declaredPublisher } from '../../src/discovery/declared-publisher.ts';
import { readAdagents } from '../../src/discovery/read-adagents.ts';
import { restrictTo } from '../../src/discovery/restrict.ts';
import type { Answer, Question } from '../../src/domain/authorisation-question.ts';
import { authorise } from '../../src/domain/authorise.ts';
import type { AuthorisationVia } from '../../src/domain/declared-facts.ts';
import { bytesOf } from '../discovery/fixtures/fixture.ts';

const AGENT = 'https://sales.example/mcp';
const NOON = Date.UTC(2026, 10, 22, 12);
const DAY = 86_400_000;
const iso = (at: number): string => new Date(at).toISOString();

const site = (id: string, domain: string, more: object = {}): object => ({
  property_id: id,
  property_type: 'website',
  name: id,
  identifiers: [{ type: 'domain', value: domain }],
  ...more,
});
const home = site('home', 'news.example', { tags: ['sport', 'top'] });
const app = {
  property_id: 'app',
  property_type: 'mobile_app',
  name: 'App',
  identifiers: [{ type: 'ios_bundle', value: 'com.news.app' }],
};
const ids = (more: object = {}, ...propertyIds: string[]): object => ({
  url: AGENT,
  authorized_for: 'x',
  authorization_type: 'property_ids',
  property_ids: propertyIds.length > 0 ? propertyIds : ['home'],
  ...more,
});
const tags = (...propertyTags: string[]): object => ({
  url: AGENT,
  authorized_for: 'x',
  authorization_type: 'property_tags',
  property_tags: propertyTags,
});
const inline = (...properties: object[]): object => ({
  url: AGENT,
  authorized_for: 'x',
  authorization_type: 'inline_properties',
  properties,
});
const select = (selector: object, more: object = {}): object => ({
  url: AGENT,
  authorized_for: 'x',
  authorization_type: 'publisher_properties',
  publisher_properties: [{ publisher_domain: 'news.example', ...selector }],
  ...more,
});
const bare = { url: AGENT, authorized_for: 'x' };

interface Case {
  readonly file: object;
  readonly ask?: Partial<Question>;
  readonly domain?: string;
  readonly via?: AuthorisationVia;
}

const NEWS = { type: 'domain', value: 'news.example' };

function ask({ file, ask: asked = {}, domain = 'news.example', via = 'own' }: Case): Answer {
  const { declaration } = readAdagents(bytesOf(file));
  if (declaration === undefined) throw new Error('the test file is no declaration');
  const read = via === 'own' ? declaration : restrictTo(declaration, { domain, via });
  const url = `https://${domain}/.well-known/adagents.json`;
  const facts = declaredPublisher({ declaration: read, domain, via, url });
  const question: Question = { agent: AGENT, publisher: domain, property: NEWS, at: NOON, ...asked };
  const entries = facts.entries.filter(({ agent }) => agent === question.agent);
  return authorise(question, [{ ...facts, entries }]);
}

const file = (entry: object, properties: object[] = [home, app], more: object = {}): object => ({
  authorized_agents: [entry],
  properties,
  ...more,
});
/** Limited to placements with the tag `t`, in a file with these placements. */
const tagged = (placements: Readonly<Record<string, unknown>>, more: object = {}): object =>
  file(ids({ placement_tags: ['t', 'v'], ...more }), [home], {
    placements: Object.entries(placements).map(([id, of]) => ({ placement_id: id, name: id, tags: of })),
  });
const property = (type: string, value: string): Partial<Question> => ({ property: { type, value } });

describe('May this agent sell this?', () => {
  test.each<[string, Case]>([
    ['property_ids that name it', { file: file(ids()) }],
    ['property_ids, asked by the id', { file: file(ids()), ask: { property: { id: 'home' } } }],
    ['a tag that the property has', { file: file(tags('other', 'top')) }],
    ['a property in the entry itself', { file: file(inline(site('x', 'news.example'))) }],
    ['an app by its bundle', { file: file(ids({}, 'app')), ask: property('ios_bundle', 'com.news.app') }],
    ['a selector for all', { file: file(select({ selection_type: 'all' })) }],
    ['a selector by id', { file: file(select({ selection_type: 'by_id', property_ids: ['home'] })) }],
    ['a selector by tag', { file: file(select({ selection_type: 'by_tag', property_tags: ['top'] })) }],
    ['the bare entry', { file: file(bare) }],
    ['the bare entry without a catalogue: its own site', { file: file(bare, []) }],
    ['and its www.', { file: file(bare, []), ask: property('domain', 'www.news.example') }],
    ['the bare entry beside an empty catalogue', { file: { authorized_agents: [bare], properties: [] } }],
    ['the bare entry, asked for everything', { file: file(bare), ask: { property: undefined as never } }],
    ['www. and m. of a registrable domain', { file: file(ids()), ask: property('domain', 'm.news.example') }],
    [
      'a wildcard and a subdomain',
      { file: file(ids(), [site('home', '*.news.example')]), ask: property('domain', 'a.b.news.example') },
    ],
    [
      'a country among those of the entry',
      { file: file(ids({ countries: ['DE', 'AT'] })), ask: { country: 'AT' } },
    ],
    ['a country where the entry has none', { file: file(ids()), ask: { country: 'FR' } }],
    ['a placement with one of the tags', { file: tagged({ p: ['s', 't'] }), ask: { placement: 'p' } }],
    ['a placement among those', { file: file(ids({ placement_ids: ['p'] })), ask: { placement: 'p' } }],
    [
      'a collection among those',
      {
        file: file(ids({ collections: [{ publisher_domain: 'news.example', collection_ids: ['c'] }] })),
        ask: { collection: 'c' },
      },
    ],
    [
      'a window that is open',
      { file: file(ids({ effective_from: iso(NOON), effective_until: iso(NOON + 1) })) },
    ],
    [
      'a manager whose selector names the publisher',
      {
        file: file(select({ selection_type: 'all' }), [
          site('x', 'news.example', { publisher_domain: 'news.example' }),
        ]),
        via: 'manager',
      },
    ],
  ])('authorised: %s', (_, asked) => {
    expect(ask(asked)).toMatchObject({
      authorized: true,
      because: [{ code: 'authorized', entry: expect.stringMatching(/^\/authorized_agents\/0$/) }],
    });
  });

  test.each<[string, string, Case]>([
    ['not_named', 'nobody names the agent', { file: file(ids({ url: 'https://other.example/' })) }],
    ['other_property', 'the entry names another', { file: file(ids({}, 'app')) }],
    ['other_property', 'another tag', { file: file(tags('news')) }],
    [
      'other_property',
      'the property of another entry',
      { file: { authorized_agents: [inline(app), { ...inline(home), url: 'https://o.example/' }] } },
    ],
    ['no_such_property', 'the apex of a wildcard', { file: file(ids(), [site('home', '*.news.example')]) }],
    [
      'no_such_property',
      'www. of a subdomain',
      { file: file(ids(), [site('home', 'a.news.example')]), ask: property('domain', 'www.a.news.example') },
    ],
    ['no_such_property', 'a bare entry beside a catalogue without it', { file: file(bare, [app]) }],
    ...[null, 'news.example', {}, [{ ...app, identifiers: [] }], ['x']].map(
      (list): [string, string, Case] => [
        'no_such_property',
        `everything, of a file whose catalogue nobody can read: ${JSON.stringify(list).slice(0, 30)}`,
        { file: { authorized_agents: [bare], properties: list } },
      ],
    ),
    [
      'no_such_property',
      'everything, of a file whose catalogue is misspelt',
      { file: { authorized_agents: [bare], property: [app] } },
    ],
    [
      'no_such_property',
      'a selector for all without a catalogue',
      { file: file(select({ selection_type: 'all' }), []) },
    ],
    [
      'other_property',
      'a selector and a property without id',
      { file: file(select({ selection_type: 'all' }), [{ ...home, property_id: undefined }]) },
    ],
    [
      'part_only',
      'everything, of an entry for something',
      { file: file(ids()), ask: { property: undefined as never } },
    ],
    [
      'signals_only',
      'signals',
      {
        file: file({ url: AGENT, authorized_for: 'x', authorization_type: 'signal_ids', signal_ids: ['s'] }),
      },
    ],
    [
      'foreign_site',
      'the site of somebody else',
      { file: file(ids({}, 'o'), [site('o', 'other.example')]), ask: property('domain', 'other.example') },
    ],
    ...(['own', 'reference'] as const).map((via): [string, string, Case] => [
      'no_such_property',
      `everything, of a file with properties of others only (${via})`,
      { file: file(bare, [site('o', 'other.example', { publisher_domain: 'other.example' })]), via },
    ]),
    [
      'no_such_property',
      'the second property of one id',
      {
        file: file(ids(), [home, site('home', 'a.news.example', { publisher_domain: 'news.example' })]),
        ask: property('domain', 'a.news.example'),
      },
    ],
    [
      'foreign_site',
      'a subdomain of somebody else',
      {
        file: file(ids({}, 'o'), [
          { ...app, property_id: 'o', identifiers: [{ type: 'subdomain', value: 'a.o.example' }] },
        ]),
        ask: property('subdomain', 'a.o.example'),
      },
    ],
    ['foreign_site', 'the site above', { file: file(ids(), [home]), domain: 'blog.news.example' }],
    [
      'revoked',
      'a revoked publisher',
      {
        file: file(ids(), [home], {
          revoked_publisher_domains: [{ publisher_domain: 'news.example', revoked_at: iso(NOON + DAY) }],
        }),
      },
    ],
    ['country', 'another country', { file: file(ids({ countries: ['DE', 'AT'] })), ask: { country: 'FR' } }],
    [
      'placement',
      'another placement',
      { file: file(ids({ placement_ids: ['p'] })), ask: { placement: 'q' } },
    ],
    [
      'placement',
      'a placement whose tags nobody knows',
      { file: file(ids({ placement_tags: ['t'] })), ask: { placement: 'q' } },
    ],
    ['placement', 'a placement with other tags', { file: tagged({ q: ['u', 5] }), ask: { placement: 'q' } }],
    ['placement', 'a placement with broken tags', { file: tagged({ q: 't' }), ask: { placement: 'q' } }],
    [
      'placement',
      'a placement that has the tag and is not among those that are named',
      { file: tagged({ q: ['t'] }, { placement_ids: ['p'] }), ask: { placement: 'q' } },
    ],
    [
      'placement',
      'a placement that stands twice, so nobody knows which is meant',
      {
        file: {
          ...tagged({}),
          placements: [
            { placement_id: 'q', tags: ['t'] },
            { placement_id: 'q', tags: [] },
          ],
        },
        ask: { placement: 'q' },
      },
    ],
    [
      'collection',
      'another collection',
      {
        file: file(ids({ collections: [{ publisher_domain: 'news.example', collection_ids: ['c'] }] })),
        ask: { collection: 'd' },
      },
    ],
    [
      'not_named',
      'only collections of another publisher',
      {
        file: file(ids({ collections: [{ publisher_domain: 'other.example', collection_ids: ['c'] }] })),
        via: 'reference',
      },
    ],
    ['ended', 'a window that is over', { file: file(ids({ effective_until: iso(NOON) })) }],
    ['not_yet', 'a window that comes', { file: file(ids({ effective_from: iso(NOON + DAY) })) }],
    ['not_named', 'a manager that does not name the publisher', { file: file(bare), via: 'manager' }],
  ])('refused as %s: %s', (code, _, asked) => {
    expect(ask(asked)).toMatchObject({ authorized: false, because: [{ code }] });
  });

  test('a refusal names the nearest reason in words', () => {
    const two = {
      authorized_agents: [ids({}, 'app'), ids({ effective_from: '2026-12-01T00:00:00Z' })],
      properties: [home, app],
    };
    expect(ask({ file: two })).toEqual({
      authorized: false,
      because: [
        {
          publisher: 'news.example',
          file: 'https://news.example/.well-known/adagents.json',
          entry: '/authorized_agents/1',
          code: 'not_yet',
          rule: 'the entry /authorized_agents/1 covers it from 2026-12-01T00:00:00.000Z',
        },
      ],
      until: Date.UTC(2026, 11, 1),
    });
    const { because } = ask({ file: file(ids({ countries: ['DE', 'AT'] })), ask: { country: 'FR' } });
    expect(because[0]?.rule).toBe('country FR is not among DE, AT');
  });

  test('what the question leaves open is said with the limits of the entry, and what the entry says beside', () => {
    const limited = ids({
      countries: ['DE'],
      placement_ids: ['p'],
      exclusive: true,
      delegation_type: 'direct',
    });
    expect(ask({ file: file(limited), ask: { placement: 'p' } }).because[0]).toMatchObject({
      within: { countries: ['DE'] },
      terms: { exclusive: true, delegationType: 'direct' },
    });
  });

  test('the answer stands until the last of the windows that follow each other ends', () => {
    const from = (a: number, b: number): object =>
      ids({ effective_from: iso(NOON + a * DAY), effective_until: iso(NOON + b * DAY) });
    const windows = { authorized_agents: [from(2, 4), from(-1, 2), from(5, 9)], properties: [home] };
    expect(ask({ file: windows })).toMatchObject({ authorized: true, until: NOON + 4 * DAY });
    expect(ask({ file: windows, ask: { at: NOON + 4 * DAY } })).toMatchObject({
      authorized: false,
      until: NOON + 5 * DAY,
    });
  });

  test('an entry that is too long to be read authorises nothing', () => {
    const facts = {
      publisher: 'news.example',
      file: { url: 'https://news.example/.well-known/adagents.json', stale: true },
      hasCatalogue: false,
      properties: [],
      entries: [{ entry: '/authorized_agents/0' }],
    };
    const question = { agent: AGENT, property: NEWS, at: NOON };
    expect(authorise(question, [facts])).toMatchObject({
      authorized: false,
      because: [{ code: 'unread' }],
      stale: true,
    });
  });

  test('files that disagree about an app authorise nobody, unless the question names the publisher', () => {
    const asked = (publisher: string, agent: string) => {
      const { declaration } = readAdagents(bytesOf(file(ids({ url: agent }, 'app'), [app])));
      if (declaration === undefined) throw new Error('the test file is no declaration');
      const facts = declaredPublisher({
        declaration,
        domain: publisher,
        via: 'own',
        url: `https://${publisher}/`,
      });
      return { ...facts, entries: facts.entries.filter((entry) => entry.agent === AGENT) };
    };
    const question: Question = {
      agent: AGENT,
      property: { type: 'ios_bundle', value: 'com.news.app' },
      at: NOON,
    };
    const thief = asked('thief.example', AGENT);
    const owner = asked('news.example', 'https://other.example/');
    expect(authorise(question, [thief, owner])).toMatchObject({
      authorized: false,
      because: [{ code: 'disputed' }, {}],
    });
    expect(authorise(question, [thief])).toMatchObject({ authorized: true });
  });
});
