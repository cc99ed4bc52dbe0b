import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SavedDocument } from '../../src/domain/agent-document.ts';
import type { AgentFilter } from '../../src/domain/agent-query.ts';
import { FILTERS } from '../../src/index/query/filters.ts';
import { livePut, type OpenedIndex, reference, urlsOf } from './agent-index-reference.ts';
import { anyDocument, anyWanted, BESIDE } from './agent-index-samples.ts';

const MEMBERS = Object.keys(FILTERS) as (keyof AgentFilter)[];
const LIMIT = 1_000;

/**
 * Whether every filter does something in an engine: for each there are values under which it finds some of the agents and
 * not all, and for all values it finds those that its own `matches` says, alone and beside another filter.
 */
export function describeFilters(name: string, open: () => Promise<OpenedIndex>): void {
  describe(`every filter of the agent index: ${name}`, () => {
    const all = fc.sample(anyDocument(), { numRuns: 300, seed: 11 }).map((document, at): SavedDocument => {
      const url = `https://a${at}.example/`;
      return { agent: url, version: at + 1, document: { ...document, url } };
    });
    // the same agents for all of them, and they only ask
    let opened: OpenedIndex;
    beforeAll(async () => {
      opened = await open();
      await livePut(opened.index)(...all);
    });
    afterAll(() => opened.close());

    it.each(MEMBERS)('%s changes the answer, as its meaning says', async (member) => {
      const { index } = opened;
      const found = async (filter: AgentFilter) => urlsOf(await index.search({ filter, limit: LIMIT }));
      const sizes = new Set<number>();
      for (const wanted of samplesOf(member)) {
        const filter = { ...BESIDE[member], [member]: wanted };
        const urls = await found(filter);
        expect(urls).toEqual(reference(all, filter));
        expect(await index.count(filter)).toBe(urls.length);
        sizes.add(urls.length);
        const beside = { ...filter, [otherThan(member)]: otherWanted(member) };
        expect(await found(beside)).toEqual(reference(all, beside));
      }
      expect([...sizes].some((size) => size > 0 && size < all.length)).toBe(true);
    });
  });
}

/** Values to ask for. A filter of few values has each of them once, however often the sample does. */
function samplesOf(member: keyof AgentFilter): Iterable<unknown> {
  const samples = fc.sample(anyWanted(member), { numRuns: 30, seed: 13 });
  return new Map(samples.map((wanted) => [JSON.stringify(wanted), wanted])).values();
}

/** The one after it. */
function otherThan(member: keyof AgentFilter): keyof AgentFilter {
  return MEMBERS[(MEMBERS.indexOf(member) + 1) % MEMBERS.length] as keyof AgentFilter;
}

function otherWanted(member: keyof AgentFilter): unknown {
  return fc.sample(anyWanted(otherThan(member)), { numRuns: 1, seed: 17 })[0];
}
