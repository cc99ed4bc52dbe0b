import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');
const ENTRY_POINTS = [
  'Files and domains',
  'Agents',
  'Callers and budgets',
  'Owners and keys',
  'Webhooks and feeds',
  'Operators',
  'Dependencies',
];

/** Each heading of a level with the text below it, in the order of the text. */
function sectionsOf(text: string, level: '##' | '###'): ReadonlyMap<string, string> {
  const parts = text.split(new RegExp(`^${level} `, 'm')).slice(1);
  return new Map(
    parts.map((part) => {
      const [title = '', ...lines] = part.split('\n');
      return [title, lines.join('\n')];
    }),
  );
}

const sections = sectionsOf(page, '##');
const groups = sectionsOf(sections.get('Promises') ?? '', '###');

it('the security page has its sections and its entry points, in their order', () => {
  expect([...sections.keys()]).toEqual([
    'Reporting a vulnerability',
    'What we protect',
    'Threat model',
    'Promises',
    'Budgets',
    'How it is tested',
    'What we do not promise',
  ]);
  expect([...groups.keys()]).toEqual(ENTRY_POINTS);
  const rows = (sections.get('Threat model') ?? '').split('\n').filter((line) => line.startsWith('|'));
  const named = rows.slice(2).map((row) => row.split('|')[1]?.trim());
  expect(named).toEqual(ENTRY_POINTS.map((name) => name.toLowerCase()));
});

describe.each([...groups])('the promises about %s', (_title, text) => {
  const promises = text.split(/^- /m).slice(1);

  it('begin with what is guaranteed, in bold', () => {
    expect(promises.length).toBeGreaterThan(3);
    expect(promises.filter((promise) => !/^\*\*[^*]+\*\*/.test(promise))).toEqual([]);
  });

  it('name the tests that hold them, all of which exist', () => {
    const untested = promises.filter(
      (promise) =>
        !/^ {2}Tests: [\s\S]*`(?:(?:reference-agents\/)?test\/[\w./-]+\.test\.ts|npm run faults)`/m.test(
          promise,
        ),
    );
    expect(untested).toEqual([]);
    const files = promises.flatMap(
      (promise) => promise.match(/(?:reference-agents\/)?test\/[\w./-]+\.ts/g) ?? [],
    );
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});

it('the README leads to it', () => {
  expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain('](docs/security.md)');
});
