import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashOf } from '../../src/client/directory/hash-table.ts';
import { Packed } from '../../src/client/directory/packed.ts';
import { TextPool } from '../../src/client/directory/text-pool.ts';

const SEED = Number(process.env.REGISTRY_SEED ?? 20_261_128);
/** Short ones, ones around the length that has four bytes of its own, and ones that are no ASCII. */
const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.integer({ min: 250, max: 260 }).map((length) => 'x'.repeat(length)),
  fc.string({ unit: 'grapheme', minLength: 80, maxLength: 120 }),
  fc.constantFrom('\ufeffa', 'a\ufffd', 'a\u00c3\u00a9'),
);

/** A publisher of which something stands in each place of its block. */
function lineOf(publisher: string, row: number) {
  return {
    ...{ publisher, url: `https://${row}.example/`, stale: row % 2 === 0 },
    properties: [
      {
        ...{ propertyType: 'website', propertyId: 'home', tags: ['a'] },
        identifiers: [
          { type: 'domain', value: publisher },
          { type: 'ios_bundle', value: publisher },
          { type: 'domain', value: `*.${publisher}` },
        ],
      },
      { propertyType: '', entry: '/0', identifiers: [], tags: [] },
    ],
    entries: [
      { agent: publisher, entry: '/0', covers: { ids: '\nhome\n' } },
      { agent: 'b', entry: `/${row}`, limits: { countries: ['DE'] } },
    ],
  };
}

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
        packed.addPublisher(lineOf(name, row));
      }
      const opened = new Packed(new TextPool(packed.texts.parts()), packed.parts());
      for (const one of [packed, opened]) {
        for (const name of [...names, ...others]) {
          const last = names.lastIndexOf(name);
          expect(one.agent(name)?.property_count).toBe(last < 0 ? undefined : last);
          expect(one.find(name)?.url).toBe(last < 0 ? undefined : `https://${last}.example/`);
          expect(one.listing('ios_bundle', name, 9)).toEqual(last < 0 ? [] : [name]);
        }
        expect([...one.agents()].map(([url]) => url).toSorted()).toEqual([...new Set(names)].toSorted());
        const lines = new Map([...one.publishers.lines()].map((line) => [line.publisher, line]));
        expect(lines).toEqual(new Map(names.map((name, row) => [name, lineOf(name, row)])));
      }
    });
    fc.assert(property, { seed: SEED, numRuns: 30 });
  });

  it('are the same with a lone surrogate as with U+FFFD, as in UTF-8', () => {
    const packed = new Packed();
    const number = packed.texts.keep('a\ud800');
    expect([packed.texts.keep('a\ufffd'), packed.texts.find('a\ud800')]).toEqual([number, number]);
    packed.addPublisher(lineOf('a\ud800', 1));
    packed.addAgent('a\ud800', { name: 'a' });
    expect([...packed.publishers.lines()]).toEqual([lineOf('a\ufffd', 1)]);
    expect([...packed.agents()].map(([url]) => url)).toEqual(['a\ufffd']);
    expect(packed.find('a\ud800')?.url).toBe('https://1.example/');
  });

  it('of a publisher with very many properties lie in memory that no collector looks at', () => {
    const packed = new Packed();
    const properties = Array.from({ length: 1_000 }, () => ({ propertyType: '', identifiers: [], tags: [] }));
    const before = heapInUse();
    for (let at = 0; at < 1_000; at += 1) packed.addContent({ publisher: 'a', properties, entries: [] });
    expect(heapInUse() - before).toBeLessThan(10_000_000); // five numbers each would take 40 MB
    packed.addHead({ publisher: 'a', url: 'b', stale: false, hasCatalogue: true });
    expect(packed.publishers.words.length).toBeGreaterThan(5_000_000);
  });
});

/** Bytes, when everything that nobody needs is collected. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

describe('the hash of a text', () => {
  const KEY = [0x03020100, 0x07060504] as const;

  // of the bytes 00, 01, 02 and so on; the published ones of HalfSipHash-1-3, as the Linux kernel tests them (lib/test_siphash.c)
  const PUBLISHED = [
    ...[0x5814c896, 0xe7e864ca, 0xbc4b0e30, 0x01539939, 0x7e059ea6, 0x88e3d89b, 0xa0080b65, 0x9d38d9d6],
    0x577999b1,
  ];
  it.each(PUBLISHED.map((hash, length) => [length, hash]))(
    'of %d bytes is HalfSipHash-1-3, without its first bit',
    (length, hash) => {
      const text = String.fromCharCode(...Array.from({ length }, (_, at) => at));
      expect(hashOf(text, KEY)).toBe(hash & 0x7fff_ffff);
    },
  );

  it('is that of the UTF-8, however long the text is', () => {
    const found = ['é', '日本', '\ud800', 'x'.repeat(9_000), `${'x'.repeat(9_000)}é`].map((text) =>
      hashOf(text, KEY),
    );
    expect(new Set(found).size).toBe(5);
    expect(hashOf('\ud800', KEY)).toBe(hashOf('\ufffd', KEY));
  });

  it('has a key of its own in each directory, and keeps it', () => {
    const pools = [new TextPool(), new TextPool()];
    const [one, other] = pools.map((pool) => Array.from({ length: 4 }, (_, at) => pool.hashOf(`text ${at}`)));
    expect(one).not.toEqual(other);
    const opened = new TextPool(pools[0]?.parts());
    expect(Array.from({ length: 4 }, (_, at) => opened.hashOf(`text ${at}`))).toEqual(one);
  });
});
