import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SavedDocument } from '../../src/domain/agent-document.ts';
import type { AgentFilter, ShownGroups } from '../../src/domain/agent-query.ts';
import type { AgentIndex } from '../../src/ports/agent-index.ts';
import { NEVER_TESTED_SUMMARY } from '../api/support/documents.ts';
import { describeFilters } from './agent-index-filters.ts';
import { describeGenerations } from './agent-index-generations.ts';
import { NASTY_QUERIES } from './agent-index-nasty.ts';
import {
  agrees,
  livePut,
  newest,
  type OpenedIndex,
  reference,
  saved,
  urlsOf,
} from './agent-index-reference.ts';
import { anyFilter, anyWrites, documentOf, manyWrites } from './agent-index-samples.ts';
import { describeSearch } from './agent-index-search.ts';

export interface ContractEffort {
  /** Of each property test; every run opens an index of its own. Default 60. */
  readonly numRuns?: number;
}

const NO_GROUP = { health: false, capabilities: false, properties: false, compliance: false };
const EVERY_GROUP = { health: true, capabilities: true, properties: true, compliance: true };

const PROPERTIES = {
  stats: { property_count: 0, publisher_count: 0, publishers: [], creative_formats: 0 },
  publisher_domains: ['é"\\'],
  property_summary: { total_count: 0, count_by_type: {}, tags: [], publisher_count: 0 },
};

/**
 * What every AgentIndex does. `open` makes an empty one. `matches` is the referee: for any documents and filters
 * the engine returns the same agents in the same order, page by page. A search finds a write once `settle` resolved.
 */
export function describeAgentIndex(
  name: string,
  open: () => Promise<OpenedIndex>,
  { numRuns = 60 }: ContractEffort = {},
): void {
  describeGenerations(name, open, Math.ceil(numRuns / 2));
  describeFilters(name, open);
  describeSearch(name, open);
  describeNastyQueries(name, open);
  describe(`the agent index: ${name}`, () => {
    let opened: OpenedIndex;
    let index: AgentIndex;
    beforeEach(async () => {
      opened = await open();
      index = opened.index;
    });
    afterEach(() => opened.close());

    const put = (...documents: readonly SavedDocument[]) => livePut(index)(...documents);
    const found = async (filter: AgentFilter = {}) => urlsOf(await index.search({ filter, limit: 100 }));

    it('starts with one live, empty generation', async () => {
      const [generation, ...others] = await index.generations.list();
      expect(generation).toMatchObject({ state: 'live', documents: 0, appliedSeq: 0 });
      expect(others).toEqual([]);
      expect(await index.search({ filter: {}, limit: 10 })).toMatchObject({ hits: [], more: false });
      await index.check();
      await index.checkWrites();
      await index.checkWrites({ newGeneration: true });
    });

    it('returns the groups of a document as the JSON texts that were put in, if they are asked for', async () => {
      const url = 'https://a.example/';
      const capabilities = { tools_count: 3, tools: [] };
      const document = {
        ...documentOf({ url, properties: PROPERTIES, capabilities }),
        compliance: NEVER_TESTED_SUMMARY,
      };
      await put({ agent: url, version: 7, document }, saved(2, { url: 'https://b.example/' }));
      const shownWith = async (shown: ShownGroups) =>
        (await index.search({ filter: {}, limit: 10, shown })).hits.map(({ groups }) => groups);
      const base = JSON.stringify(document.base);
      const texts = {
        properties: JSON.stringify(PROPERTIES),
        capabilities: JSON.stringify(capabilities),
        compliance: JSON.stringify(NEVER_TESTED_SUMMARY),
      };
      const [full, bare] = await shownWith(EVERY_GROUP);
      expect(full).toEqual({ base, ...texts });
      // no probe has read its capabilities, and no publisher names it
      expect(Object.keys(bare ?? {}).sort()).toEqual(['base', 'compliance']);
      expect((await shownWith(NO_GROUP))[0]).toEqual({ base });
      for (const group of ['properties', 'capabilities', 'compliance'] as const) {
        const [one] = await shownWith({ ...NO_GROUP, [group]: true });
        expect(one, group).toEqual({ base, [group]: texts[group] });
      }
      const { hits } = await index.search({ filter: {}, limit: 10 });
      expect(hits[0]).toEqual({ url, seq: 7 });
    });

    it('returns the capabilities, too, where the filter is about metrics', async () => {
      const capabilities = { tools_count: 0, tools: [] };
      const url = 'https://a.example/';
      const document = documentOf({ url, type: 'measurement', metricIds: ['reach'], capabilities });
      await put({ agent: url, version: 1, document });
      const { hits } = await index.search({ filter: { metricIds: ['reach'] }, limit: 1, shown: NO_GROUP });
      expect(hits[0]?.groups).toEqual({
        base: JSON.stringify(document.base),
        capabilities: JSON.stringify(capabilities),
      });
    });

    it('lists by URL in code-unit order, and says whether more follow', async () => {
      const urls = ['https://b.example/', 'https://a.example/x', 'https://a.example/X', 'http://z.example/'];
      await put(...urls.map((url, at) => saved(at + 1, { url })));
      expect(await found()).toEqual([
        'http://z.example/',
        'https://a.example/X',
        'https://a.example/x',
        'https://b.example/',
      ]);
      const first = await index.search({ filter: {}, limit: 3 });
      expect(first.more).toBe(true);
      const after = first.hits[2]?.url as string;
      const second = await index.search({ filter: {}, limit: 3, after });
      expect([urlsOf(second), second.more]).toEqual([['https://b.example/'], false]);
    });

    it('counts all agents under the filter with the page, when it is asked to', async () => {
      const urls = ['https://a.example/', 'https://b.example/', 'https://c.example/'];
      await put(...urls.map((url, at) => saved(at + 1, { url, type: at === 0 ? 'brand' : 'sales' })));
      const asked = { filter: { type: 'sales' }, limit: 1, total: true } as const;
      const first = await index.search(asked);
      expect([urlsOf(first), first.more, first.total]).toEqual([[urls[1]], true, 2]);
      expect(await index.search({ ...asked, after: urls[1] as string })).toMatchObject({
        more: false,
        total: 2,
      });
      expect(await index.search({ filter: {}, limit: 1 })).not.toHaveProperty('total');
    });

    it('never lets an older write win, not even over a drop', async () => {
      const url = 'https://a.example/';
      await put(saved(5, { url, type: 'sales' }));
      await put(saved(4, { url, type: 'brand' }));
      expect(await found({ type: 'sales' })).toEqual([url]);
      await put({ agent: url, version: 8 });
      await put(saved(7, { url, type: 'brand' }));
      expect(await found()).toEqual([]);
      await put(saved(9, { url, type: 'brand' }));
      expect(await found({ type: 'brand' })).toEqual([url]);
      expect(await index.count({})).toBe(1);
    });

    it('keeps out an agent whose drop arrived before its older document', async () => {
      await put({ agent: 'https://a.example/', version: 2 });
      await put(saved(1, { url: 'https://a.example/' }));
      expect(await found()).toEqual([]);
    });

    it('forgets the values that an agent no longer has', async () => {
      const url = 'https://a.example/';
      const badges = [{ role: 'measurement', axes: ['spec'] as const }];
      await put(
        saved(1, { url, type: 'measurement', metricIds: ['x', 'y'], accreditations: ['MRC'], badges }),
      );
      await put(saved(2, { url, type: 'measurement', metricIds: ['y', 'z'] }));
      expect(await found({ metricIds: ['x'] })).toEqual([]);
      expect(await found({ accreditations: ['MRC'] })).toEqual([]);
      expect(await found({ verified: true })).toEqual([]);
      expect(await found({ metricIds: ['z'], q: 'y' })).toEqual([url]);
      expect(await index.count({ verified: true })).toBe(0);
    });

    it('lets different metrics of an agent meet metric_id and accreditation, but one badge cover both axes', async () => {
      const one = { role: 'measurement', axes: ['spec'] as const };
      const other = { role: 'creative', axes: ['live'] as const };
      await put(
        saved(1, {
          url: 'https://a.example/',
          metricIds: ['x'],
          accreditations: ['MRC'],
          badges: [one, other],
        }),
      );
      expect(await found({ metricIds: ['x'], accreditations: ['MRC'] })).toHaveLength(1);
      expect(await found({ verificationModes: ['live'] })).toHaveLength(1);
      expect(await found({ verificationModes: ['live', 'spec'] })).toEqual([]);
    });

    it('has another version after a write and after a switch, or leaves that to the records', async () => {
      const versions = [await index.version()];
      await put(saved(1, { url: 'https://a.example/' }));
      versions.push(await index.version());
      const id = await index.generations.begin(1);
      await index.generations.built(id);
      await index.generations.promote(id, 2);
      versions.push(await index.version());
      expect(new Set(versions).size).toBe(versions[0] === '' ? 1 : 3);
    });

    it('agrees with the reference predicate on any documents, filters and updates, page by page', async () => {
      await fc.assert(
        fc.asyncProperty(
          anyWrites(),
          fc.array(anyFilter(), { minLength: 4, maxLength: 8 }),
          fc.integer({ min: 1, max: 5 }),
          async (batches, filters, limit) => {
            const fresh = await open();
            try {
              for (const batch of batches) {
                await livePut(fresh.index)(...batch);
                for (const filter of filters)
                  await agrees(
                    fresh.index,
                    newest(batches.slice(0, batches.indexOf(batch) + 1)),
                    filter,
                    limit,
                  );
              }
            } finally {
              await fresh.close();
            }
          },
        ),
        { numRuns },
      );
    });

    it('agrees with it when lists are long', async () => {
      const all = manyWrites(4_000);
      await put(...all);
      for (const filter of fc.sample(anyFilter(), 60)) {
        await agrees(index, all, filter, 900);
        const expected = reference(all, filter);
        const after = all[1_234]?.agent as string;
        const page = await index.search({ filter, limit: 5, after });
        expect(urlsOf(page)).toEqual(expected.filter((url) => url > after).slice(0, 5));
      }
    });
  });
}

function describeNastyQueries(name: string, open: () => Promise<OpenedIndex>): void {
  describe(`the texts that are looked for in the agent index: ${name}`, () => {
    const ids = [...NASTY_QUERIES, ...NASTY_QUERIES.map((id) => `a${id.toUpperCase()}b`), 'plain', 'aXb'];
    const documents = ids.map((id, at) => saved(at + 1, { url: `https://n${at}.example/`, metricIds: [id] }));
    let opened: OpenedIndex;
    beforeAll(async () => {
      opened = await open();
      await livePut(opened.index)(...documents);
    });
    afterAll(() => opened.close());

    it.each(NASTY_QUERIES)('takes every character of q = %j literally', async (text) => {
      const q = text.toLowerCase();
      const page = await opened.index.search({ filter: { q }, limit: 1_000 });
      expect(urlsOf(page)).toEqual(reference(documents, { q }));
      expect(await opened.index.count({ q })).toBe(page.hits.length);
    });
  });
}
