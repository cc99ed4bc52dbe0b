import { setImmediate } from 'node:timers/promises';
import { defined, parseObject } from '../../base/json.ts';
import { positionsOf } from '../../base/json-positions.ts';
import { adviceFor } from '../../discovery/check/advice.ts';
import type { Finding } from '../../domain/finding.ts';
import type { FileKey, FileTexts, LastReading } from '../../records/sources/file-texts.ts';

/** A longer text is not read for a page or an answer: its places are pointers, and lines that its reader noted. */
export const MAX_TEXT_READ = 512 * 1024;
/** Characters of a line that are shown, and those before what is marked. */
const [MAX_WIDTH, MAX_BEFORE] = [120, 40];
/** What is marked is as long as a value, and no longer than this. */
const MAX_MARKED = 60;
const LINE_END = /\r\n|\r|\n/g;

/** One line of an excerpt; `from` and `to` are what is marked in `text`. */
export interface ExcerptLine {
  readonly line: number;
  readonly text: string;
  readonly from?: number;
  readonly to?: number;
}

/** The lines of the live file in which these pointers stand; none for a text that is too long or not kept. */
export async function linesOf(
  texts: Pick<FileTexts, 'liveFile' | 'bodyWithin'>,
  key: FileKey,
  pointers: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const live = pointers.length === 0 ? undefined : await texts.liveFile(key);
  const text = live?.body && (await textWithin(texts, live.body.hash));
  if (text === undefined) return new Map();
  return new Map([...positionsOf(text, pointers)].map(([pointer, { line }]) => [pointer, line]));
}

/** Findings as answers show them, each with the text around its place and what puts it right. */
export async function markedFindings(texts: Pick<FileTexts, 'bodyWithin'>, { findings, body }: LastReading) {
  const text = findings.length === 0 || !body ? undefined : await textWithin(texts, body.hash);
  const document = (text === undefined ? undefined : parseObject(text)) ?? {};
  const lineAt = text === undefined ? undefined : linesIn(text, findings);
  return findings.map((finding) => {
    const { line, column = 1, didYouMean, ...said } = finding;
    const { allowed, didYouMean: meant, fix } = adviceFor(finding, document);
    return {
      ...{ ...said, ...defined({ line, column: line === undefined ? undefined : column }) },
      ...defined({ did_you_mean: didYouMean ?? meant, allowed, fix: fix?.title }),
      ...(lineAt && line !== undefined && { excerpt: excerptOf(lineAt, line, column) }),
    };
  });
}

export type MarkedFinding = Awaited<ReturnType<typeof markedFindings>>[number];

async function textWithin(texts: Pick<FileTexts, 'bodyWithin'>, hash: string): Promise<string | undefined> {
  await setImmediate(); // others are answered in between
  const bytes = await texts.bodyWithin(hash, MAX_TEXT_READ);
  return bytes && new TextDecoder().decode(bytes);
}

type LineAt = (line: number) => string | undefined;

/** The lines of these places and those beside them, in one pass over the text. */
function linesIn(text: string, findings: readonly Finding[]): LineAt {
  const wanted = new Set(findings.flatMap(({ line = 0 }) => [line - 1, line, line + 1]));
  const lines = new Map<number, string>();
  let [line, start] = [1, 0];
  for (const end of text.matchAll(LINE_END)) {
    if (wanted.has(line)) lines.set(line, text.slice(start, end.index));
    [line, start] = [line + 1, end.index + end[0].length];
  }
  if (wanted.has(line)) lines.set(line, text.slice(start));
  return (at) => lines.get(at);
}

function excerptOf(lineAt: LineAt, line: number, column: number): readonly ExcerptLine[] {
  const whole = lineAt(line);
  if (whole === undefined) return [];
  const at = Math.min(column - 1, whole.length);
  const value = /^(?:"(?:[^"\\]|\\.){0,60}"?|[^\s,}\]]{1,60}|.)/.exec(
    whole.slice(at, at + MAX_MARKED + 2),
  )?.[0];
  const cut = Math.max(0, at - MAX_BEFORE);
  const begin = cut > 0 ? '…' : '';
  const shown = whole.slice(cut, cut + MAX_WIDTH);
  const end = cut + MAX_WIDTH < whole.length ? '…' : '';
  const from = at - cut + begin.length;
  const marked = {
    line,
    text: begin + shown + end,
    from,
    to: Math.min(from + (value?.length ?? 0), begin.length + shown.length),
  };
  const beside = (other: number): readonly ExcerptLine[] => {
    const text = lineAt(other);
    if (text === undefined) return [];
    return [{ line: other, text: text.length > MAX_WIDTH ? `${text.slice(0, MAX_WIDTH)}…` : text }];
  };
  return [...beside(line - 1), marked, ...beside(line + 1)];
}
