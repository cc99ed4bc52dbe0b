import { createHeadingIds } from '../../src/pages/docs/markdown.ts';

/** A text of our own documents, taken apart as far as its checks need it. Fenced code is left out. */
export interface Document {
  /** The anchors that its headings have on a code forge. */
  readonly anchors: ReadonlySet<string>;
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
const LINK = /\[((?:[^\]\\`]|\\.|`[^`]*`)*)\]\(([^)\s]+)\)/g;

/** Reads a Markdown text. */
export function readDocument(markdown: string): Document {
  const prose = withoutFences(markdown);
  return {
    anchors: anchorsOf(prose),
    links: prose.flatMap(({ line, text }) =>
      [...text.matchAll(LINK)].map(([, , target = '']) => ({ line, text: target })),
    ),
    codes: prose.flatMap(({ line, text }) =>
      [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => ({ line, text: code })),
    ),
  };
}

function withoutFences(markdown: string): readonly Place[] {
  let fenced = false;
  return markdown.split('\n').flatMap((text, index) => {
    const fence = FENCE.test(text);
    if (fence) fenced = !fenced;
    return fence || fenced ? [{ line: index + 1, text: '' }] : [{ line: index + 1, text }];
  });
}

function anchorsOf(lines: readonly Place[]): ReadonlySet<string> {
  const idOf = createHeadingIds();
  const titles = lines.flatMap(({ text }) => HEADING.exec(text)?.[2] ?? []);
  return new Set(titles.map((title) => idOf(title.replaceAll(LINK, (_, words: string) => words))));
}
