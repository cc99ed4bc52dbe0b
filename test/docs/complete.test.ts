import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { KNOWN_CHECKS } from '../../src/compliance/checks/table.ts';
import { FILTERS } from '../../src/index/query/filters.ts';

const ROOT = resolve(import.meta.dirname, '../..');

it('the page of storyboards has a row for each kind of check', () => {
  const page = readFileSync(join(ROOT, 'docs/reference/storyboards.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('|'));
  const undocumented = KNOWN_CHECKS.filter((kind) => !rows.some((row) => row.includes(`\`${kind}\``)));
  expect(undocumented).toEqual([]);
});

it('the guide for those who look for agents names each filter', () => {
  const guide = readFileSync(join(ROOT, 'docs/guides/find-agents.md'), 'utf8');
  const unnamed = Object.values(FILTERS).filter(({ name }) => !guide.includes(`\`${name}`));
  expect(unnamed.map(({ name }) => name)).toEqual([]);
});
