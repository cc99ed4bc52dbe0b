import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importCircles, readProject, unusedExports } from './project.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FILES = readProject(ROOT, ['src', 'pipelines', 'reference-agents/src']).filter(
  ({ path }) => !path.includes('/generated/'),
);
/** With the tests, the measurements and the tools. */
const ALL_FILES = readProject(ROOT, ['src', 'pipelines', 'reference-agents', 'test', 'bench', 'tools']);

describe('the names of the project', () => {
  it('exports no value that nobody else uses', () => {
    expect(unusedExports(FILES, ALL_FILES)).toEqual([]);
  });
});

describe('imports', () => {
  it('never lead in a circle, by types neither', () => {
    expect(importCircles(ALL_FILES)).toEqual([]);
  });

  it('finds a circle of three', () => {
    const file = (path: string, ...imports: string[]) => ({
      path,
      text: '',
      specifiers: [],
      imports,
      valueImports: [],
    });
    expect(
      importCircles([file('a.ts', 'b.ts'), file('b.ts', 'c.ts'), file('c.ts', 'a.ts'), file('d.ts', 'a.ts')]),
    ).toEqual([['a.ts', 'b.ts', 'c.ts']]);
  });
});
