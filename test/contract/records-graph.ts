import { describe, expect, it } from 'vitest';
import { deriveStored } from '../../src/discovery/derive-facts.ts';
import { HOUR, NOW, type RecordsWorld } from './records-fixtures.ts';
import { publish, publishFile } from './records-steps.ts';

const [FIRST, SECOND] = ['https://a.example/mcp', 'https://b.example/mcp'];
const NOTHING_HERE = { authorization_type: 'property_ids', property_ids: ['nothing'] };

const site = (id: string): object => ({
  property_id: id,
  property_type: 'website',
  name: id,
  identifiers: [{ type: 'domain', value: `${id}.example` }],
});
const file = (urls: readonly string[], more: object = {}): object => ({
  authorized_agents: urls.map((url) => ({ url, authorized_for: 'Display', ...more })),
  properties: [site('home'), site('blog')],
});

/** The edges between publishers and agents, by the rows. */
export function describeGraph(world: () => RecordsWorld): void {
  describe('the graph', () => {
    it('has publishers in order, with how their file was found', async () => {
      const { graph, sources } = world().records;
      for (const domain of ['c.example', 'a.example', 'b.example'])
        await publish(world().records, domain, file(domain === 'b.example' ? [] : [FIRST, SECOND]));
      await sources.add([{ kind: 'domain', key: 'unseen.example', foundVia: 'operator' }], NOW);
      const shown = await graph.publishers(undefined, 2);
      expect(shown).toMatchObject([
        { domain: 'a.example', isValid: true, via: 'own', agents: 2, properties: 2 },
        { domain: 'b.example', isValid: true, agents: 0 },
      ]);
      expect((await graph.publishers('b.example', 2)).map(({ domain }) => domain)).toEqual(['c.example']);
      expect(await graph.publisherAt('', 2)).toBe('b.example');
      expect(await graph.publisherAt('b.example', 2)).toBeUndefined();
      const among = await graph.publishersAmong(['unseen.example', 'a.example', 'never.example']);
      expect(among.map(({ domain, isValid }) => [domain, isValid])).toEqual([
        ['a.example', true],
        ['unseen.example', false],
      ]);
    });

    it('has both directions, each edge once, with what ended', async () => {
      const { records } = world();
      for (const domain of ['a.example', 'b.example', 'c.example'])
        await publish(records, domain, file([FIRST, SECOND]));
      await publish(records, 'b.example', file([SECOND]), NOW + HOUR);
      const live = { limit: 10, isLive: true };
      const { edges, last } = await records.graph.publishersOf(FIRST, live);
      expect(edges.map(({ publisher }) => publisher)).toEqual(['a.example', 'c.example']);
      expect(last).toBeUndefined();
      expect(edges[0]).toMatchObject({
        properties: 2,
        sells: true,
        pinsKeys: false,
        authorizedFor: 'Display',
      });
      const page = await records.graph.publishersOf(FIRST, { ...live, limit: 1 });
      expect(page).toMatchObject({ edges: [{ publisher: 'a.example' }], last: 'a.example' });
      expect(await records.graph.publishersOf(FIRST, { ...live, entries: 1 })).toMatchObject({
        edges: [{ publisher: 'a.example' }],
        last: 'a.example',
      });
      const rest = await records.graph.publishersOf(FIRST, { ...live, after: 'a.example' });
      expect(rest.edges.map(({ publisher }) => publisher)).toEqual(['c.example']);
      expect(await records.graph.domainsOf(FIRST, '', 2)).toEqual(['a.example', 'c.example']);
      expect(await records.graph.domainsOf(FIRST, 'a.example', 2)).toEqual(['c.example']);
      const ended = await records.graph.publishersOf(FIRST, { limit: 10, isLive: false });
      expect(ended.edges).toMatchObject([{ publisher: 'b.example', seenUntil: NOW + HOUR }]);
      const agents = await records.graph.agentsOf('b.example', 10);
      expect(agents.edges.map(({ agent }) => agent)).toEqual([SECOND]);
      expect(agents.isCut).toBe(false);
      expect((await records.graph.agentsOf('b.example', 1)).isCut).toBe(true);
      expect(await records.graph.standingOf(FIRST)).toEqual({ ever: true, publishers: 2 });
      expect(await records.graph.standingOf('https://nobody.example/')).toBeUndefined();
    });

    it('has the live entries of all agents and of one, in order, and leaves out what is too long for a list', async () => {
      const { records } = world();
      const ids = Array.from({ length: 2_000 }, (_, n) => `home-${n}`);
      const german = { authorization_type: 'property_ids', property_ids: ['home'], countries: ['DE'] };
      const long = { authorization_type: 'property_ids', property_ids: ['home', ...ids] };
      await publish(records, 'b.example', file([SECOND, FIRST, FIRST], german));
      await publish(records, 'a.example', file([FIRST], { ...long, placement_ids: ids }));
      await publish(records, 'c.example', file([FIRST], NOTHING_HERE));
      await publish(records, 'd.example', file([FIRST]));
      await publish(records, 'd.example', file([]), NOW + HOUR);
      const all = await records.graph.entries({ limit: 10 });
      expect(all.map(({ agent, publisher, sells }) => [agent, publisher, sells])).toEqual([
        [FIRST, 'a.example', true],
        [FIRST, 'b.example', true],
        [FIRST, 'b.example', true],
        [FIRST, 'c.example', false],
        [SECOND, 'b.example', true],
      ]);
      expect(all[0]).toMatchObject({ hasLimits: true, pinsKeys: false, authorizedFor: 'Display' });
      expect([all[0]?.covers, all[0]?.limits]).toEqual([undefined, undefined]);
      expect(all[1]).toMatchObject({ covers: { ids: '\nhome\n' }, limits: { countries: ['DE'] } });
      for (const [at, after] of all.entries()) {
        expect(await records.graph.entries({ after, limit: 10 })).toEqual(all.slice(at + 1));
        const ofOne = all.slice(at + 1).filter(({ agent }) => agent === FIRST);
        if (at < 4) expect(await records.graph.entries({ agent: FIRST, after, limit: 10 })).toEqual(ofOne);
      }
      expect(await records.graph.entries({ agent: FIRST, limit: 2 })).toEqual(all.slice(0, 2));
    });

    it('tells what a file said before, the newest first', async () => {
      const { records } = world();
      await publish(records, 'a.example', file([FIRST, SECOND]));
      await publish(records, 'a.example', file([FIRST]), NOW + HOUR);
      expect(await records.graph.versions('a.example', 'adagents', 10)).toMatchObject([
        { agents: 1, properties: 2, seenFrom: NOW + HOUR, via: 'own' },
        { agents: 2, seenFrom: NOW },
      ]);
      expect(await records.graph.versions('a.example', 'adagents', 1)).toHaveLength(1);
      expect(await records.graph.versions('a.example', 'brand', 10)).toEqual([]);
    });

    it('reads brand.json in order, the shortest first, and who names a brand', async () => {
      const { records } = world();
      const { brands } = records;
      const house = { house: { domain: 'a.example' }, brand_refs: [{ domain: 'c.example' }] };
      await publishFile(records, 'a.example', 'brand', { file: house });
      await publishFile(records, 'b.example', 'brand', { file: { id: 'b', names: [{ en: 'B' }] } });
      const all = await brands.files(['b.example', 'a.example', 'c.example'], 10_000);
      expect(all).toMatchObject([
        { domain: 'a.example', via: 'own', lastSuccessAt: NOW, value: { brandRefs: [{}] } },
        { domain: 'b.example', value: { brands: [{ id: 'b' }] } },
      ]);
      const size = JSON.stringify(all[1]?.value).length;
      expect(
        (await brands.files(['b.example', 'a.example'], size)).map(({ value }) => value?.variant),
      ).toEqual([undefined, 'brand']);
      expect(await brands.files([], 10_000)).toEqual([]);
      expect(await brands.domains({ after: '', skipped: 1, limit: 2 })).toEqual(['b.example']);
      expect(await brands.naming('c.example', 2)).toEqual(['a.example']);
    });

    it('tells an edge that sells nothing', async () => {
      await publish(world().records, 'a.example', file([FIRST], NOTHING_HERE));
      expect(await world().records.graph.agentsOf('a.example', 10)).toMatchObject({
        edges: [{ sells: false }],
      });
      expect(await world().records.graph.domainsOf(FIRST, '', 10)).toEqual([]);
    });

    it('counts agents that are authorised now, and properties of the catalogue', async () => {
      const { records } = world();
      const entry = (url: string, more: object): object => ({ url, authorized_for: 'Display', ...more });
      const ends = { effective_until: new Date(NOW + HOUR).toISOString() };
      const declared = {
        authorized_agents: [
          entry(FIRST, { authorization_type: 'property_ids', property_ids: ['home'], ...ends }),
          entry(SECOND, { authorization_type: 'inline_properties', properties: [site('other')] }),
          entry('https://c.example/mcp', NOTHING_HERE),
        ],
        properties: [site('home'), site('blog')],
      };
      await publish(records, 'a.example', declared);
      const counted = async () => (await records.graph.publishersAmong(['a.example']))[0];
      expect(await counted()).toMatchObject({ agents: 2, properties: 2 });
      const [due] = await records.sources.dueRederivations(NOW + HOUR, 9);
      if (due === undefined) throw new Error('nothing is due');
      await records.sources.commitRederivation(due, deriveStored(due, NOW + HOUR), NOW + HOUR);
      expect(await counted()).toMatchObject({ agents: 1, properties: 2 });
      await publish(records, 'a.example', { authorized_agents: [] }, NOW + 2 * HOUR);
      expect(await counted()).toMatchObject({ agents: 0, properties: 0 });
    });

    it('finds properties, and who lists an identifier', async () => {
      const { graph } = world().records;
      for (const domain of ['b.example', 'a.example']) await publish(world().records, domain, file([FIRST]));
      expect(await graph.publishersListing('domain', 'home.example', 9)).toEqual(['a.example', 'b.example']);
      expect(await graph.publishersListing('domain', 'none.example', 9)).toEqual([]);
      const asked = ['none.example', 'home.example', 'blog.example', 'home.example'];
      const listed = await graph.areListed(asked.map((value) => ({ type: 'domain', value })));
      expect(listed).toEqual([false, true, true, true]);
      expect(await graph.areListed([])).toEqual([]);
      expect(await graph.agentsNamedBy('a.example', 9)).toEqual([]);
    });

    it('reads of the properties what fits: by their number, and by their bytes', async () => {
      const { graph } = world().records;
      const wide = { ...site('wide'), tags: Array.from({ length: 40 }, (_, at) => 'é'.repeat(90) + at) };
      const properties = [site('home'), wide, site('blog')];
      await publish(world().records, 'a.example', { ...file([FIRST]), properties });
      const read = async (room: { count?: number; bytes?: number; ids?: string[] }) => {
        const found = await graph.properties('a.example', { count: 9, bytes: 1e6, ...room });
        return { ...found, ids: found.properties.map(({ propertyId }) => propertyId) };
      };
      expect(await read({})).toMatchObject({ ids: ['home', 'wide', 'blog'], isCut: false });
      expect(await read({ count: 3 })).toMatchObject({ ids: ['home', 'wide', 'blog'], isCut: false });
      expect(await read({ count: 0 })).toMatchObject({ ids: [], bytes: 0, isCut: true });
      const { bytes, ids } = await read({ count: 2 });
      expect(ids).toEqual(['home', 'wide']);
      expect(bytes).toBeGreaterThan(40 * 180); // é has two
      expect(await read({ bytes })).toMatchObject({ ids, bytes, isCut: true });
      // nothing is read from behind the one that does not fit
      expect(await read({ bytes: bytes - 1 })).toMatchObject({ ids: ['home'], isCut: true });
      // those that are named are read wherever they stand
      const named = { ids: ['blog', 'none'], count: 1, bytes: bytes - 1 };
      expect(await read(named)).toMatchObject({ ids: ['blog'], isCut: false });
      expect(await read({ ids: ['none'] })).toMatchObject({ ids: [], bytes: 0, isCut: false });
      expect(await read({ ids: ['wide', 'blog'], count: 1 })).toMatchObject({ ids: ['wide'], isCut: true });
    });
  });
}
