import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');
const DOORS = ['Files and domains', 'Agents', 'Callers', 'Owners', 'Operators', 'Dependencies'];

/** Each heading of the second level with the items below it, in the order of the page. */
const sections = page
  .split(/^## /m)
  .slice(1)
  .map((text): readonly [string, readonly string[]] => {
    const [title = '', ...lines] = text.split('\n');
    return [title, lines.join('\n').split(/^- /m).slice(1)];
  });

it('the page of security goes through the doors in their order, and says how to report and what is not promised', () => {
  const titles = sections.map(([title]) => title);
  expect(titles.filter((title) => DOORS.includes(title))).toEqual(DOORS);
  expect(titles).toContain('Report a flaw');
  expect(titles).toContain('What is not promised');
  const rows = page.split('\n').filter((line) => line.startsWith('|'));
  for (const door of DOORS)
    expect(rows.some((row) => row.startsWith(`| ${door.toLowerCase()} |`))).toBe(true);
});

describe.each(sections.filter(([title]) => DOORS.includes(title)))('%s', (_title, promises) => {
  it('has no promise without a test that holds it', () => {
    expect(promises.length).toBeGreaterThan(3);
    const untested = promises.filter(
      (text) => !/`(?:test\/[\w./-]+\.test\.ts|npm run (?:faults|bench)[^`]*)`/.test(text),
    );
    expect(untested).toEqual([]);
    expect(promises.filter((text) => !/^\*\*[^*]+\*\*/.test(text))).toEqual([]);
  });
});

it('the README leads to it', () => {
  expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain('](docs/security.md)');
});
