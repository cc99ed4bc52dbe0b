import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TextPool } from '../../src/client/directory/text-pool.ts';

const TEXT = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'a.example', '*.example', 'é', '日本', 'x'.repeat(300)),
  fc.string({ maxLength: 3 }),
);

it('finds what is kept and nothing else, whatever was looked for before', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), TEXT), { maxLength: 60 }), (steps) => {
      const pool = new TextPool();
      const kept = new Map<string, number>();
      for (const [isKept, text] of steps) {
        if (isKept) kept.set(text, pool.keep(text));
        else expect(pool.find(text)).toBe(text === '' ? 0 : kept.get(text));
      }
      const opened = new TextPool(pool.parts());
      for (const [text, number] of kept) {
        expect([opened.find(text), pool.text(number), opened.text(number)]).toEqual([number, text, text]);
        expect(pool.keep(text)).toBe(number);
      }
    }),
  );
});
