import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importCircles, readProject, sharedNames, unusedExports } from './project.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FILES = readProject(ROOT, ['src', 'pipelines', 'reference-agents/src']).filter(
  ({ path }) => !path.includes('/generated/'),
);
/** With the tests, the measurements and the tools. */
const ALL_FILES = readProject(ROOT, ['src', 'pipelines', 'reference-agents', 'test', 'bench', 'tools']);

describe('the files of the project', () => {
  it('have at most 200 lines: a longer one is more than one thought', () => {
    const long = FILES.filter(({ text }) => text.split('\n').length - 1 > 200);
    expect(long.map(({ path }) => path)).toEqual([]);
  });
});

describe('the names of the project', () => {
  it('gives each exported name one home, so that it means one thing', () => {
    expect(Object.fromEntries(sharedNames(FILES))).toEqual({});
  });

  it('exports no value that nobody else uses', () => {
    expect(unusedExports(FILES, ALL_FILES)).toEqual([]);
  });

  it('finds a name that two files define', () => {
    const file = (path: string, text: string) => ({ path, text, specifiers: [], imports: [] });
    const shared = sharedNames([
      file('a.ts', 'export type Step = 1;'),
      file('b.ts', 'export const Step = 2;'),
      file('c.ts', 'const Step = 3;\nexport { Step };'),
    ]);
    expect([...shared]).toEqual([['Step', ['a.ts', 'b.ts']]]);
  });
});

describe('imports', () => {
  it('never lead in a circle, by types neither', () => {
    expect(importCircles(ALL_FILES)).toEqual([]);
  });

  it('finds a circle of three', () => {
    const file = (path: string, ...imports: string[]) => ({ path, text: '', specifiers: [], imports });
    expect(
      importCircles([file('a.ts', 'b.ts'), file('b.ts', 'c.ts'), file('c.ts', 'a.ts'), file('d.ts', 'a.ts')]),
    ).toEqual([['a.ts', 'b.ts', 'c.ts']]);
  });
});
