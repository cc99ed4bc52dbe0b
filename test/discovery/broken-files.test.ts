import fc from 'fast-check';
import { expect, test } from 'vitest';
import { brokenFile, isAuthorised, question } from './broken-file.ts';

test('whatever part of a file is broken, no question gets a yes that got none before', () => {
  fc.assert(
    fc.property(
      brokenFile(2),
      fc.array(question, { minLength: 60, maxLength: 60 }),
      ({ whole, copy, what }, asked) => {
        const [before, after] = [isAuthorised(whole), isAuthorised(copy)];
        expect([what, asked.filter((one) => after(one) && !before(one))]).toEqual([what, []]);
      },
    ),
    { numRuns: 300 },
  );
});
