import { describe, expect, it } from 'vitest';
import { maySell, sellersAmong } from '../../src/discovery/may-sell.ts';
import type { Answer, Question } from '../../src/domain/authorisation-question.ts';
import { facts, HOUR, NOW, type RecordsWorld } from './records-fixtures.ts';
import { publish } from './records-steps.ts';

const DAY = 24 * HOUR;
const AGENT = 'https://sales.example/mcp';
const BUNDLE = { type: 'ios_bundle', value: 'com.news.app' };

const site = (id: string, value: string): object => ({
  property_id: id,
  property_type: 'website',
  name: id,
  identifiers: [{ type: 'domain', value }],
});
const app = { property_id: 'app', property_type: 'mobile_app', name: 'App', identifiers: [BUNDLE] };
const entry = (ids: readonly string[], more: object = {}): object => ({
  url: AGENT,
  authorized_for: 'x',
  authorization_type: 'property_ids',
  property_ids: ids,
  ...more,
});

const asked = (property: string | object, more: Partial<Question> = {}): Question => ({
  agent: AGENT,
  property: typeof property === 'string' ? { type: 'domain', value: property } : (property as never),
  at: NOW,
  ...more,
});

function ask({ records }: RecordsWorld, question: Question, now = question.at): Promise<Answer> {
  return maySell(records.authorisations, question, now);
}

/** Who may sell what, by the rows. */
export function describeAuthorise(world: () => RecordsWorld): void {
  describe('may this agent sell this', () => {
    it('finds a property by site, subdomain, wildcard, id and bundle', async () => {
      const { records } = world();
      const properties = [site('home', 'news.example'), site('all', '*.news.example'), app];
      await publish(records, 'news.example', { authorized_agents: [entry(['home', 'app'])], properties });
      const told = async (property: string | object, more: Partial<Question> = {}) => {
        const { authorized, because } = await ask(world(), asked(property, more));
        return authorized ? 'yes' : because[0]?.code;
      };
      expect(await told('news.example')).toBe('yes');
      expect(await told('www.news.example')).toBe('yes');
      expect(await told('a.b.news.example')).toBe('other_property');
      expect(await told(BUNDLE)).toBe('yes');
      expect(await told({ id: 'app' }, { publisher: 'news.example' })).toBe('yes');
      expect(await told({ id: 'other' }, { publisher: 'news.example' })).toBe('no_such_property');
      expect(await told('other.example')).toBe('unknown_publisher');
      expect(await told('news.example', { agent: 'https://other.example/' })).toBe('not_named');
      expect(await told('news.example', { publisher: 'stranger.example' })).toBe('unknown_publisher');
    });

    it('answers for the registered domain where its www. or m. name has no file, and for no other name below it', async () => {
      const { records } = world();
      const file = { authorized_agents: [entry(['home'])], properties: [site('home', 'news.example')] };
      await publish(records, 'news.example', file);
      const told = async (publisher: string) => {
        const { authorized, because } = await ask(world(), asked({ id: 'home' }, { publisher }));
        return authorized ? because[0]?.publisher : because[0]?.code;
      };
      expect(await told('www.news.example')).toBe('news.example');
      expect(await told('m.news.example')).toBe('news.example');
      expect(await told('shop.news.example')).toBe('unknown_publisher');
      await publish(records, 'www.news.example', { authorized_agents: [], properties: [] });
      expect(await told('www.news.example')).toBe('not_named');
      expect(await told('m.news.example')).toBe('news.example');
    });

    it('names the www. name of a domain where only that has a file', async () => {
      const { records } = world();
      const file = { authorized_agents: [entry(['home'])], properties: [site('home', 'news.example')] };
      await publish(records, 'www.news.example', file);
      const nearest = async (more: Partial<Question>) =>
        (await ask(world(), { ...asked('news.example'), ...more })).because;
      const named = [{ code: 'unknown_publisher', nearest: ['www.news.example'] }];
      expect(await nearest({})).toMatchObject(named);
      expect(await nearest({ property: { id: 'home' }, publisher: 'news.example' })).toMatchObject(named);
      expect((await nearest({ property: BUNDLE }))[0]).not.toHaveProperty('nearest');
    });

    it('names the URLs of the same host that may sell it, or else those that the file names', async () => {
      const { records } = world();
      const urls = [
        'https://sales.example',
        'https://sales.example/mcp/v2',
        'https://sales.example:8443/',
        'https://www.sales.example/a2a',
        'https://sales.example.evil.example/',
      ];
      const authorized_agents = urls.map((url, at) => ({ ...entry([at === 1 ? 'home' : 'app']), url }));
      await publish(records, 'news.example', {
        authorized_agents,
        properties: [site('home', 'news.example'), app],
      });
      const nearest = async (property: string | object) =>
        (await ask(world(), asked(property, { publisher: 'news.example' }))).because;
      expect(await nearest('news.example')).toMatchObject([
        { code: 'not_named', nearest: ['https://sales.example/mcp/v2'] },
      ]);
      expect((await nearest(BUNDLE))[0]?.nearest?.toSorted()).toEqual([
        'https://sales.example/',
        'https://sales.example:8443/',
        'https://www.sales.example/a2a',
      ]);
      expect((await nearest({ id: 'other' }))[0]?.nearest).toHaveLength(4);
      const stranger = asked('news.example', { agent: 'https://stranger.example/mcp' });
      expect((await ask(world(), stranger)).because[0]).not.toHaveProperty('nearest');
    });

    it('shows with a no what each entry covers, those that fit the country first, and the nearest property', async () => {
      const { records } = world();
      const tagged = {
        ...entry([], { countries: ['AT'] }),
        authorization_type: 'property_tags',
        property_ids: undefined,
        property_tags: ['sport'],
      };
      const inline = {
        ...entry([]),
        authorization_type: 'inline_properties',
        property_ids: undefined,
        properties: [site('own', 'own.news.example')],
      };
      await publish(records, 'news.example', {
        authorized_agents: [entry(['home', 'gone'], { countries: ['AT', 'CH'] }), tagged, inline],
        properties: [
          site('home', 'news.example'),
          { ...site('sport', 'sport.news.example'), tags: ['sport'] },
          app,
        ],
      });
      const { because } = await ask(world(), {
        agent: AGENT,
        publisher: 'news.example',
        country: 'DE',
        at: NOW,
      });
      expect(because).toMatchObject([
        { code: 'part_only', entry: '/authorized_agents/2', covers: { propertyIds: ['own'] } },
        {
          code: 'part_only',
          entry: '/authorized_agents/0',
          covers: { propertyIds: ['home'], countries: ['AT', 'CH'] },
        },
        {
          entry: '/authorized_agents/1',
          covers: { propertyIds: ['sport'], propertyTags: ['sport'], countries: ['AT'] },
        },
      ]);
      expect(because[1]?.rule).toContain('country DE is not among AT, CH');
      const inGermany = await ask(world(), asked('news.example', { country: 'DE' }));
      expect(inGermany.because).toMatchObject([
        { code: 'country', covers: { propertyIds: ['home'], countries: ['AT', 'CH'] } },
      ]);
      const misspelt = await ask(world(), asked({ id: 'sprot' }, { publisher: 'news.example' }));
      expect(misspelt.because).toMatchObject([{ code: 'no_such_property', nearest: ['sport'] }]);
    });

    it('reads no long file for a question: its entries give no yes, and object to that of another', async () => {
      const { records } = world();
      const many = Array.from({ length: 60_000 }, (_, at) => `property-${String(at).padStart(60, '0')}`);
      const long = { authorized_agents: [entry(['app', ...many])], properties: [app] };
      await publish(records, 'news.example', { authorized_agents: [entry(['app'])], properties: [app] });
      expect(await ask(world(), asked(BUNDLE))).toMatchObject({ authorized: true });
      await publish(records, 'long.example', long);
      const alone = await ask(world(), asked(BUNDLE, { publisher: 'long.example' }));
      expect(alone).toMatchObject({ authorized: false, because: [{ code: 'unread' }] });
      const both = await ask(world(), asked(BUNDLE));
      expect(both.authorized).toBe(false);
      expect(both.because.map(({ code }) => code)).toEqual(['disputed', 'unread']);
      expect(await ask(world(), asked(BUNDLE, { publisher: 'news.example' }))).toMatchObject({
        authorized: true,
      });
    });

    it('reads what many agents may sell at once, and of long entries no more than one question has room for', async () => {
      const { records } = world();
      const agents = Array.from(
        { length: 12 },
        (_, at) => `https://a${String(at).padStart(2, '0')}.example/mcp`,
      );
      const many = Array.from({ length: 16_000 }, (_, at) => `property-${String(at).padStart(60, '0')}`);
      const [short, long, tooLong] = [
        ['app'],
        ['app', ...many],
        ['app', ...many.flatMap((id) => [0, 1, 2, 3].map((n) => id + n))],
      ];
      const idsOf = (at: number): readonly string[] => (at < 6 ? short : at === 9 ? tooLong : long);
      const authorized_agents = agents.flatMap((url, at) =>
        at === 3
          ? [{ ...entry(['home']), url }]
          : [
              { ...entry(idsOf(at)), url },
              { ...entry(['home']), url },
            ],
      );
      const file = { authorized_agents, properties: [app, site('home', 'news.example')] };
      await publish(records, 'news.example', file);
      const question = { property: BUNDLE };
      const reads: { readonly sellers: readonly string[]; readonly asked: number }[] = [];
      for (let waiting = agents; waiting.length > 0; waiting = waiting.slice(reads.at(-1)?.asked))
        reads.push(await sellersAmong(records.authorisations, question, waiting, NOW));
      expect(reads.map(({ asked: count }) => count)).toEqual([10, 2]); // the tenth is not read: too long for any question
      const one = async (agent: string) => (await ask(world(), asked(BUNDLE, { agent }))).authorized;
      const oneByOne = await Promise.all(agents.map(one));
      expect(oneByOne).toEqual(agents.map((_, at) => at !== 3 && at !== 9));
      expect(reads.flatMap(({ sellers }) => sellers)).toEqual(agents.filter((_, at) => oneByOne[at]));
    });

    it('takes nobody at his word for the site of another, and lets no two files disagree about an app', async () => {
      const { records } = world();
      const thief = {
        authorized_agents: [entry(['home', 'app'])],
        properties: [site('home', 'news.example'), app],
      };
      await publish(records, 'thief.example', thief);
      expect(await ask(world(), asked('news.example'))).toMatchObject({ authorized: false });
      const named = asked('news.example', { publisher: 'thief.example' });
      expect(await ask(world(), named)).toMatchObject({ because: [{ code: 'foreign_site' }] });
      expect(await ask(world(), asked(BUNDLE))).toMatchObject({ authorized: true });
      await publish(records, 'news.example', { authorized_agents: [], properties: [app] });
      expect(await ask(world(), asked(BUNDLE))).toMatchObject({ because: [{ code: 'disputed' }, {}] });
      const owner = asked(BUNDLE, { publisher: 'news.example' });
      expect(await ask(world(), owner)).toMatchObject({ because: [{ code: 'not_named' }] });
    });

    it('answers for a moment of the past and of the future, and forgets names that are gone', async () => {
      const { records } = world();
      const home = site('home', 'news.example');
      await publish(records, 'news.example', { authorized_agents: [entry(['home'])], properties: [home] });
      const later = NOW + 10 * DAY;
      const opens = { effective_from: new Date(later + DAY).toISOString() };
      const file = { authorized_agents: [entry(['home'], opens)], properties: [home, app] };
      await publish(records, 'news.example', file, later);
      await publish(records, 'news.example', { ...file, properties: [home] }, later + HOUR);
      const at = (moment: number) => ask(world(), asked('news.example', { at: moment }), later + HOUR);
      expect(await at(NOW - 1)).toMatchObject({ authorized: false, because: [{ code: 'no_file' }] });
      expect(await at(NOW + DAY)).toMatchObject({ authorized: true });
      expect(await at(later + HOUR)).toMatchObject({ because: [{ code: 'not_yet' }], until: later + DAY });
      expect(await at(later + 2 * DAY)).toMatchObject({ authorized: true });
      expect(await ask(world(), asked(BUNDLE, { at: later + HOUR }))).toMatchObject({
        because: [{ code: 'unknown_publisher' }],
      });
    });

    it('gives no yes for what a later reading of the file leaves out', async () => {
      const { records } = world();
      const file = { authorized_agents: [entry(['home'])], properties: [site('home', 'news.example')] };
      await publish(records, 'news.example', file, NOW + HOUR);
      expect(await ask(world(), asked('news.example', { at: NOW + HOUR }))).toMatchObject({
        authorized: true,
      });
      const declared = await records.sources.declaration({ kind: 'adagents', key: 'news.example' });
      await records.sources.commitRederivation(declared as never, facts(), NOW + 2 * HOUR);
      const held = await ask(world(), asked('news.example', { at: NOW + 2 * HOUR }));
      expect(held).toMatchObject({ authorized: false, because: [{ code: 'held' }] });
    });
  });
}
