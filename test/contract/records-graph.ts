import { describe, expect, it } from 'vitest';
import { deriveStored } from '../../src/discovery/derive-facts.ts';
import type { ReferenceReason } from '../../src/domain/declared-facts.ts';
import { answered, facts, HOUR, NOW, type RecordsWorld } from './records-fixtures.ts';
import { declare, fileVisit, publish, publishFile, spoil, takeOne } from './records-steps.ts';

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

    it('knows a file that is broken or gone, whatever visits come to nothing', async () => {
      const { records } = world();
      const finding = { code: 'syntax', severity: 'error', message: 'no JSON', pointer: '' } as const;
      const visits = [
        [{ outcome: 'failed' }, undefined],
        [{ outcome: 'invalid', findings: [finding] }, 'broken'],
        [{ outcome: 'failed', error: { code: 'own_network', detail: 'away' } }, 'broken'],
        [{ outcome: 'unreachable' }, 'broken'],
        [{ outcome: 'absent', absentSince: NOW, absentVisits: 1 }, 'absent'],
        [{ outcome: 'unreachable', absentSince: NOW }, 'absent'],
      ] as const;
      for (const [number, [over, lacking]] of visits.entries()) {
        const at = NOW + number * 7 * HOUR;
        const work = await takeOne(records, 'domain', 'a.example', at);
        const files = [fileVisit(work, 'adagents', { nextVisitAt: at + HOUR, ...over })];
        await records.sources.commitDomainVisit({ domain: 'a.example', at, files, found: [] });
        const [known] = await records.graph.publishersAmong(['a.example']);
        expect([over.outcome, known?.isValid, known?.lacking]).toEqual([over.outcome, false, lacking]);
      }
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
      const of = async (publishers: readonly string[], limit: number) => {
        const { edges, isCut } = await records.graph.agentsOfEach(publishers, limit);
        return [edges.map(({ publisher, agent }) => [publisher, agent]), isCut];
      };
      const [three, two] = [['c.example', 'b.example', 'a.example'], [FIRST, SECOND].toSorted()];
      expect(await of(three, 10)).toEqual([
        [
          ...two.map((agent) => ['a.example', agent]),
          ['b.example', SECOND],
          ...two.map((agent) => ['c.example', agent]),
        ],
        false,
      ]);
      const firstOfEach = [
        ['a.example', two[0]],
        ['b.example', SECOND],
        ['c.example', two[0]],
      ];
      expect(await of(three, 1)).toEqual([firstOfEach, true]);
      expect(await of(['b.example', 'nobody.example'], 2)).toEqual([[['b.example', SECOND]], false]);
      expect(await of([], 1)).toEqual([[], false]);
      expect(await records.graph.authorisationSummary(FIRST)).toEqual({ ever: true, publishers: 2 });
      expect(await records.graph.authorisationSummary('https://nobody.example/')).toBeUndefined();
    });

    it('is paged by whole publishers, however few entries are read at once', async () => {
      const { records } = world();
      await publish(records, 'a.example', file([FIRST, FIRST]));
      const none = { url: FIRST, authorized_for: 'Display', ...NOTHING_HERE };
      const some = { ...none, property_ids: ['home', 'blog'] };
      const both = { authorized_agents: [none, some] };
      await publish(records, 'b.example', { ...file([]), ...both });
      const page = (after: string) =>
        records.graph.publishersOf(FIRST, { after, limit: 10, isLive: true, entries: 3 });
      expect(await page('')).toMatchObject({
        edges: [{ publisher: 'a.example', properties: 2 }],
        last: 'a.example',
      });
      const rest = await page('a.example');
      expect(rest).toMatchObject({ edges: [{ publisher: 'b.example', sells: true, properties: 2 }] });
      expect(rest).not.toHaveProperty('last');
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

    it('has the entries of one publisher in the order of its file, of one agent or of all', async () => {
      const { records } = world();
      await publish(records, 'a.example', file([SECOND, FIRST, SECOND]));
      await publish(records, 'b.example', file([FIRST]));
      const read = (more: { agent?: string; after?: number; limit?: number }) =>
        records.graph.entriesOf('a.example', { after: 0, limit: 10, ...more });
      const all = await read({});
      expect(all.map(({ agent, entry }) => [agent, entry])).toEqual([
        [SECOND, '/authorized_agents/0'],
        [FIRST, '/authorized_agents/1'],
        [SECOND, '/authorized_agents/2'],
      ]);
      expect(await read({ limit: 2 })).toEqual(all.slice(0, 2));
      expect(await read({ after: all[1]?.id ?? 0 })).toEqual(all.slice(2));
      expect(await read({ agent: SECOND })).toEqual([all[0], all[2]]);
      expect(await read({ agent: SECOND, after: all[0]?.id ?? 0 })).toEqual([all[2]]);
      await publish(records, 'a.example', file([]), NOW + HOUR);
      expect(await read({})).toEqual([]);
    });

    it('has a network page by page: who leads to a file, and whom the file names', async () => {
      const { records } = world();
      const { graph } = records;
      const to = (domain: string, file: string, reason: ReferenceReason) =>
        declare(
          records,
          domain,
          'adagents',
          `${domain} ${file}`,
          facts({ references: [{ domain: file, reason }] }),
        );
      await to('b.example', 'net.example', 'manager');
      await to('a.example', 'net.example', 'authoritative_location');
      await to('c.example', 'files.net.example', 'authoritative_location');
      const named = ['a.example', 'c.example', 'd.example', 'never.example', 'spoilt.example'];
      const references = named.map((domain) => ({ domain, reason: 'publisher_selector' as const }));
      await declare(records, 'net.example', 'adagents', 'net', facts({ references }));
      await declare(records, 'd.example', 'adagents', 'd', facts({}));
      await spoil(records, 'spoilt.example');
      const page = { after: '', limit: 10 };
      expect(await graph.pointingTo('net.example', page)).toEqual(['a.example', 'b.example']);
      expect(await graph.pointingTo('net.example', { after: 'a.example', limit: 1 })).toEqual(['b.example']);
      expect(await graph.pointingTo('a.example', page)).toEqual([]); // it is named, which is no pointer
      expect(await graph.countPointingTo('net.example', 10)).toBe(2);
      expect(await graph.countPointingTo('net.example', 1)).toBe(1);
      expect(await graph.namedBy('net.example', page)).toEqual([
        { domain: 'a.example', isVisited: true, pointsBack: true },
        { domain: 'c.example', isVisited: true, pointsBack: true }, // to a name below it
        { domain: 'd.example', isVisited: true, pointsBack: false },
        { domain: 'never.example', isVisited: false, pointsBack: false },
        { domain: 'spoilt.example', isVisited: false, pointsBack: false },
      ]);
      expect(await graph.namedBy('net.example', { after: 'd.example', limit: 1 })).toMatchObject([
        { domain: 'never.example' },
      ]);
    });

    it('keeps the text that was read last, valid or not, and reads none that is longer than wanted', async () => {
      const { records } = world();
      const { sources } = records;
      const key = { kind: 'adagents', key: 'a.example' } as const;
      expect(await sources.lastReading(key)).toBeUndefined();
      await publish(records, 'a.example', file([FIRST]));
      const first = await sources.lastReading(key);
      expect(first).toMatchObject({
        isLive: true,
        findings: [{ code: 'legacy_entry', pointer: '/authorized_agents/0' }],
        url: expect.stringContaining('adagents.json'),
      });
      const hash = first?.body?.hash ?? '';
      const bytes = await sources.bodyWithin(hash, 1_000_000);
      expect(bytes).toEqual(await sources.body(hash));
      expect(await sources.bodyWithin(hash, (bytes?.length ?? 0) - 1)).toBeUndefined();
      expect([await sources.hasBody(hash), await sources.hasBody('none')]).toEqual([true, false]);
      const [version] = await records.graph.versions('a.example', 'adagents', 1);
      expect(version?.contentHash.startsWith(hash)).toBe(true);
      const work = await takeOne(records, 'domain', 'a.example', NOW + HOUR);
      const finding = {
        severity: 'error',
        code: 'syntax',
        pointer: '',
        line: 1,
        column: 2,
        message: 'x',
      } as const;
      const captures = [
        answered('https://a.example/.well-known/adagents.json', '{broken', NOW + HOUR),
        answered('https://a.example/ads.txt', 'no file', NOW + HOUR),
      ];
      const broken = fileVisit(work, 'adagents', { outcome: 'invalid', findings: [finding], captures });
      await sources.commitDomainVisit({
        ...{ domain: 'a.example', at: NOW + HOUR, found: [] },
        files: [broken, fileVisit(work, 'brand')],
      });
      const last = await sources.lastReading(key);
      expect(last).toMatchObject({ isLive: false, findings: [finding], url: captures[0]?.finalUrl });
      expect(Buffer.from((await sources.body(last?.body?.hash ?? '')) ?? []).toString()).toBe('{broken');
      expect((await sources.liveFile(key))?.body?.hash).toBe(hash);
    });

    it('reads no packed text that is longer than wanted', async () => {
      const { sources } = world().records;
      const long = { ...file([FIRST]), notes: 'x'.repeat(2_000_000) };
      await publish(world().records, 'a.example', long);
      const reading = await sources.lastReading({ kind: 'adagents', key: 'a.example' });
      const hash = reading?.body?.hash ?? '';
      expect(await sources.bodyWithin(hash, 1_000_000)).toBeUndefined();
      expect((await sources.bodyWithin(hash, 3_000_000))?.length).toBe(JSON.stringify(long).length);
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

    it('finds domains by words inside the names of their brands', async () => {
      const { records } = world();
      const { brands } = records;
      const named = (name: string) => ({ id: 'b', names: [{ en: name }] });
      const house = {
        house: { domain: 'h.example', name: 'Zenith & Söhne' },
        brands: [named('Red Copper Kettle'), { id: 'leads.example', names: [{ en: 'Nightjar' }] }],
      };
      await publishFile(records, 'h.example', 'brand', { file: house });
      await publishFile(records, 'leads.example', 'brand', { file: house });
      await publishFile(records, 'c.example', 'brand', { file: named('Coppers') });
      const found = (...words: string[]) => brands.withWords(words, 10);
      expect(await found('copper')).toEqual(['h.example', 'c.example']);
      expect(await found('kettle', 'cop')).toEqual(['h.example']);
      expect(await found('sohne')).toEqual(['h.example']);
      expect(await found('nightjar')).toEqual(['h.example', 'leads.example']);
      for (const words of [['co'], ['copper', 'nobody'], ['opper'], []])
        expect(await found(...words)).toEqual([]);
      expect(await brands.withWords(['cop'], 1)).toHaveLength(1);
      await publishFile(records, 'c.example', 'brand', { file: named('Tin'), at: NOW + 25 * HOUR });
      expect([await found('coppers'), await found('tin')]).toEqual([[], ['c.example']]);
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
      expect(await graph.areListed([{ type: 'bundle_id', value: 'a\0b' }])).toEqual([false]);
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
