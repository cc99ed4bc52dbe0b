import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { prepare, sql } from '../../src/records/statements.ts';
import { readProject } from './project.ts';

const FILES = readProject(resolve(import.meta.dirname, '../..'), ['src/records']);

// `limit ?` has SQLite plan the statement again at each run (src/records/statements.ts)
describe('the statements of the embedded store', () => {
  it('show SQLite no limit that is bound, where we write them', () => {
    const bare = FILES.filter(({ text }) => /\bLIMIT \?/i.test(text.replace(/^\s*(?:\/?\*|\/\/).*$/gm, '')));
    expect(bare.map(({ path }) => path)).toEqual([]);
  });

  it('show it none where they are built', () => {
    const page = prepare<{ limit: number }, unknown>({ dialect: 'sqlite' }, (param) =>
      sql.selectFrom('agent').select('agent').limit(param('limit')),
    );
    expect(page.all({ limit: 3 }).next().value).toMatchObject({
      text: expect.stringContaining('limit +?'),
    });
  });
});
