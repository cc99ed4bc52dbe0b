import { createHeadingIds } from '../../src/pages/docs/markdown.ts';

/** A text of our own documents, taken apart as far as its rules need it. Fenced code is left out. */
export interface Document {
  /** The anchors that its headings have on a code forge. */
  readonly anchors: ReadonlySet<string>;
  readonly sentences: readonly Place[];
  /** As they are written, with their marks. */
  readonly cells: readonly Place[];
  /** The targets of its links, without those of images. */
  readonly links: readonly Place[];
  /** What stands in backticks. */
  readonly codes: readonly Place[];
}

/** A piece of the text and the line, from 1, on which it begins. */
export interface Place {
  readonly line: number;
  readonly text: string;
}

const FENCE = /^\s*(?:```|~~~)/;
const HEADING = /^(#{1,6}) +(.*)$/;
const ITEM = /^\s*(?:[-*]|\d+\.) +/;
const ROW = /^\s*\|.*\|\s*$/;
const RULE = /^\s*\|[\s|:-]+\|\s*$/;
const LINK = /\[((?:[^\]\\`]|\\.|`[^`]*`)*)\]\(([^)\s]+)\)/g;

/** Reads a Markdown text. Its blocks are paragraphs, list items, headings and table rows. */
export function readDocument(markdown: string): Document {
  const prose = withoutFences(markdown);
  const blocks = blocksOf(prose);
  return {
    anchors: anchorsOf(prose),
    sentences: blocks.flatMap(({ line, text }) =>
      sentencesOf(plain(text)).map((sentence) => ({ line, text: sentence })),
    ),
    cells: prose.flatMap(({ line, text }) =>
      ROW.test(text) && !RULE.test(text) ? cellsOf(text).map((cell) => ({ line, text: cell })) : [],
    ),
    links: prose.flatMap(({ line, text }) =>
      [...text.matchAll(LINK)].map(([, , target = '']) => ({ line, text: target })),
    ),
    codes: prose.flatMap(({ line, text }) =>
      [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => ({ line, text: code })),
    ),
  };
}

/** How many words a sentence has. Those of a command or message in backticks count too. */
export function wordsOf(sentence: string): number {
  return sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

function withoutFences(markdown: string): readonly Place[] {
  let fenced = false;
  return markdown.split('\n').flatMap((text, index) => {
    const fence = FENCE.test(text);
    if (fence) fenced = !fenced;
    return fence || fenced ? [{ line: index + 1, text: '' }] : [{ line: index + 1, text }];
  });
}

function blocksOf(lines: readonly Place[]): readonly Place[] {
  const blocks: { line: number; text: string }[] = [];
  let open = false;
  for (const { line, text } of lines) {
    if (text.trim() === '' || ROW.test(text) || HEADING.test(text) || text.startsWith('<!--')) open = false;
    else if (open && !ITEM.test(text)) blocks.at(-1)!.text += ` ${text.trim()}`;
    else {
      blocks.push({ line, text: text.replace(ITEM, '').trim() });
      open = true;
    }
  }
  return blocks;
}

/** The text as it is read: links by their words, code without ends of sentences, no marks. */
function plain(text: string): string {
  return text
    .replaceAll(LINK, (_, words: string) => words)
    .replaceAll(/`([^`]*)`/g, (_, code: string) => code.replaceAll(/[.!?]/g, '·'))
    .replaceAll(/\*\*|__|\\(?=[|*_<])/g, '')
    .trim();
}

function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.!?][)”"]?)\s+/);
}

function cellsOf(row: string): readonly string[] {
  const cells = row
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/);
  return cells.map((cell) => cell.trim());
}

function anchorsOf(lines: readonly Place[]): ReadonlySet<string> {
  const idOf = createHeadingIds();
  const titles = lines.flatMap(({ text }) => HEADING.exec(text)?.[2] ?? []);
  return new Set(titles.map((title) => idOf(title.replaceAll(LINK, (_, words: string) => words))));
}
