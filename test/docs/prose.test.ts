import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Document, readDocument } from './markdown.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** What a piece of code in a text has to begin with to be a path of this repository. */
const REPOSITORY_PATH =
  /^(?:src|test|docs|pipelines|schemas|bench|deploy|reference-agents|tools|bin)\/[\w./-]*$/;

const FILES = ['README.md', 'CONTRIBUTING.md', 'test/faults/README.md', 'bench/README.md']
  .concat(markdownIn('docs'), markdownIn('reference-agents/docs'))
  .toSorted();
const DOCUMENTS = new Map(FILES.map((file) => [file, read(file)]));

describe.each(FILES)('%s', (file) => {
  const document = read(file);

  it('links only to files and headings that there are', () => {
    const lost = document.links.filter(({ text }) => !leadsSomewhere(file, text));
    expect(lost.map(({ line, text }) => `${line}: ${text}`)).toEqual([]);
  });

  it('names only paths of the repository that there are', () => {
    const lost = document.codes.filter(
      ({ text }) => REPOSITORY_PATH.test(text) && !text.includes('NAME') && !existsSync(join(ROOT, text)),
    );
    expect(lost.map(({ line, text }) => `${line}: ${text}`)).toEqual([]);
  });
});

it('reads anchors, links and code, and leaves fenced code out', () => {
  const { links, codes, anchors } = readDocument(
    '# A title, `x`\n\n[here](x.md#y) and `src/none.ts`\n\n```sh\n[no](link)\n```',
  );
  expect(links).toEqual([{ line: 3, text: 'x.md#y' }]);
  expect(codes.map(({ text }) => text)).toEqual(['x', 'src/none.ts']);
  expect([...anchors]).toEqual(['a-title-x']);
});

function leadsSomewhere(file: string, target: string): boolean {
  if (/^[a-z]+:/.test(target)) return true;
  const [path = '', anchor] = target.split('#');
  const there = path === '' ? file : join(dirname(file), path);
  if (!existsSync(join(ROOT, there))) return false;
  if (anchor === undefined) return true;
  return (DOCUMENTS.get(there) ?? read(there)).anchors.has(anchor);
}

function read(file: string): Document {
  return readDocument(readFileSync(join(ROOT, file), 'utf8'));
}

function markdownIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}
