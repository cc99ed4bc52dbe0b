import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Packed } from '../../src/client/directory/packed.ts';
import { TextPool } from '../../src/client/directory/text-pool.ts';

const SEED = Number(process.env.REGISTRY_SEED ?? 20_261_128);
/** Short ones, ones around the length that has four bytes of its own, and ones that are no ASCII. */
const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.integer({ min: 250, max: 260 }).map((length) => 'x'.repeat(length)),
  fc.string({ unit: 'grapheme', minLength: 80, maxLength: 120 }),
);

describe('the texts of a local directory', () => {
  it('are found by what they say, and only those that were kept', () => {
    const property = fc.property(fc.array(texts, { maxLength: 2_000 }), fc.array(texts), (kept, others) => {
      const pool = new TextPool();
      const numbers = new Map(kept.map((text) => [text, pool.keep(text)]));
      const alone = pool.add('a text that nobody looks for');
      const opened = new TextPool(pool.parts());
      for (const one of [pool, opened]) {
        for (const [text, number] of numbers)
          expect([one.find(text), one.text(number)]).toEqual([number, text]);
        for (const text of others) expect(one.find(text)).toBe(text === '' ? 0 : numbers.get(text));
        expect(one.text(alone)).toBe('a text that nobody looks for');
      }
      expect(new Set(numbers.values()).size).toBe(numbers.size);
    });
    fc.assert(property, { seed: SEED, numRuns: 30 });
  });

  it('name publishers and agents, of which the last one is found', () => {
    const property = fc.property(fc.array(texts, { maxLength: 500 }), fc.array(texts), (names, others) => {
      const packed = new Packed();
      for (const [row, name] of names.entries()) {
        packed.addAgent(name, { name, property_count: row });
        packed.addPublisher({ publisher: name, url: `${row}`, stale: false, properties: [], entries: [] });
      }
      const opened = new Packed(new TextPool(packed.texts.parts()), packed.parts());
      for (const one of [packed, opened]) {
        for (const name of [...names, ...others]) {
          const last = names.lastIndexOf(name);
          expect(one.agent(name)?.property_count).toBe(last < 0 ? undefined : last);
          expect(one.find(name)?.url).toBe(last < 0 ? undefined : `${last}`);
        }
        expect([...one.agents()].map(([url]) => url).toSorted()).toEqual([...new Set(names)].toSorted());
        expect([...one.publishers.lines()].map(({ publisher }) => publisher)).toHaveLength(
          new Set(names).size,
        );
      }
    });
    fc.assert(property, { seed: SEED, numRuns: 30 });
  });
});
