import { describe, expect, it } from 'vitest';
import { authorise } from '../../src/domain/authorise.ts';
import { authoriseSelection, identifiersOf, MAX_EFFORT } from '../../src/domain/authorise-selection.ts';

describe('what is sold of a selection', () => {
  it('is not asked for beyond its effort, however many names a file has', () => {
    const ids = `\n${'x'.repeat(20_000_000)}\n`;
    const properties = Array.from({ length: 2_000 }, (_, id) => ({
      ...{ propertyId: `p${id}`, propertyType: 'website', identifiers: [], tags: [] },
    }));
    const file = { url: 'https://a.example/adagents.json', stale: false };
    const entries = [{ entry: '/authorized_agents/0', covers: { ids } }];
    const facts = { publisher: 'a.example', file, hasCatalogue: true, properties, entries };
    const question = { agent: 'https://sales.example/', publisher: 'a.example', at: 0 };
    const effort = { left: MAX_EFFORT };
    expect(authoriseSelection(question, facts, {}, effort).length).toBeLessThan(20);
    expect(effort.left).toBeLessThan(0);
  });

  it('and its identifiers take steps by their number, not by its square', () => {
    const identifiers = Array.from({ length: 100_000 }, (_, n) => ({
      type: 'domain',
      value: `s${n}.a.example`,
    }));
    const properties = [{ propertyType: 'website', identifiers, tags: [] }];
    const file = { url: 'https://a.example/adagents.json', stale: false };
    const entries = [{ entry: '/authorized_agents/0', covers: { all: 'inventory' as const } }];
    const facts = { publisher: 'a.example', file, hasCatalogue: true, properties, entries };
    const question = { agent: 'https://sales.example/', publisher: 'a.example', at: 0 };
    const [item] = authoriseSelection(question, facts, {}, { left: MAX_EFFORT });
    expect(item?.answer.authorized).toBe(true);
    const found = item && identifiersOf(question, facts, item, { left: MAX_EFFORT });
    expect(found).toHaveLength(100_000);
  });

  it.each([1, 16, 17, 40, 20_000])(
    'finds the last of %i tags in a long entry, or none, in one pass',
    (many) => {
      const tags = Array.from({ length: many }, (_, n) => `tag ${n}`);
      const others = Array.from({ length: 10 * many }, (_, n) => `other tag ${n}`);
      const property = {
        propertyType: 'website',
        identifiers: [{ type: 'domain', value: 'a.example' }],
        tags,
      };
      const file = { url: 'https://a.example/adagents.json', stale: false };
      const site = { type: 'domain', value: 'a.example' };
      const ask = (names: readonly string[]) => {
        const entries = [{ entry: '/authorized_agents/0', covers: { tags: `\n${names.join('\n')}\n` } }];
        const facts = { publisher: 'a.example', file, hasCatalogue: true, properties: [property], entries };
        return authorise({ agent: 'https://sales.example/', property: site, at: 0 }, [facts]);
      };
      expect(ask([...others, `tag ${many - 1}`])).toMatchObject({
        authorized: true,
        because: [{ rule: `the entry lists the tag tag ${many - 1} of the property` }],
      });
      expect(ask(others)).toMatchObject({ authorized: false, because: [{ code: 'other_property' }] });
    },
  );
});
