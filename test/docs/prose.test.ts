import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Document, readDocument, wordsOf } from './markdown.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MOST_WORDS = 25;
const MOST_IN_A_CELL = 150;
/** What a piece of code in a text has to begin with to be a path of this repository. */
const REPOSITORY_PATH =
  /^(?:src|test|docs|pipelines|schemas|bench|deploy|reference-agents|tools|bin)\/[\w./-]*$/;

const FILES = ['README.md', 'CONTRIBUTING.md', 'test/faults/README.md', 'bench/README.md']
  .concat(markdownIn('docs'), markdownIn('reference-agents/docs'))
  .toSorted();
const DOCUMENTS = new Map(FILES.map((file) => [file, read(file)]));

describe.each(FILES)('%s', (file) => {
  const document = read(file);

  it(`has no sentence of more than ${MOST_WORDS} words`, () => {
    const long = document.sentences.filter(({ text }) => wordsOf(text) > MOST_WORDS);
    expect(long.map(({ line, text }) => `${line}: ${text}`)).toEqual([]);
  });

  it(`has no table cell of more than ${MOST_IN_A_CELL} characters`, () => {
    const long = document.cells.filter(({ text }) => text.length > MOST_IN_A_CELL);
    expect(long.map(({ line, text }) => `${line}: ${text}`)).toEqual([]);
  });

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

it('finds what it is for', () => {
  const long = Array.from({ length: 13 }, () => 'one two').join(' ');
  const { sentences, cells, links, codes, anchors } = readDocument(
    `# A title, \`x\`\n\nShort one. ${long}.\n- an item\n- code of \`several words. in it\`\n\n| a | ${'b'.repeat(151)} |\n|---|---|\n\n[here](x.md#y) and \`src/none.ts\`\n\n\`\`\`sh\n[no](link)\n\`\`\``,
  );
  expect(sentences.map(({ text }) => wordsOf(text))).toEqual([2, 26, 2, 6, 3]);
  expect(cells.map(({ text }) => text.length)).toEqual([1, 151]);
  expect(links).toEqual([{ line: 10, text: 'x.md#y' }]);
  expect(codes.map(({ text }) => text)).toEqual(['x', 'several words. in it', 'src/none.ts']);
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
