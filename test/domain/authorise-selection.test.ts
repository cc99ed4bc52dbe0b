import { describe, expect, it } from 'vitest';
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
});
