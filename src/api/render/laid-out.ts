import { depthOf, parseObject } from '../../base/json.ts';

/** More values than these, or levels, are read by nobody. Each level is a blank more on each of its lines. */
const [MAX_VALUES, MAX_DEPTH] = [5_000, 64];

/** A text in lines of ours. */
export interface LaidOut {
  readonly text: string;
  /** Where each line begins in the text that was laid out. */
  readonly offsets: readonly number[];
}

/**
 * JSON with each member and each element on a line of its own, in the words and the order of the text. Undefined for what is
 * no JSON object, or has too many values or levels.
 */
export function laidOut(text: string): LaidOut | undefined {
  const value = parseObject(text);
  const commas = value === undefined ? MAX_VALUES : (text.match(/[,[{]/g)?.length ?? 0);
  if (commas >= MAX_VALUES || depthOf(value, MAX_DEPTH) > MAX_DEPTH) return undefined;
  const [lines, offsets]: [string[], number[]] = [[], []];
  let depth = 0;
  let line = '';
  for (let at = 0; at < text.length; ) {
    const token = tokenAt(text, at);
    if (token.trim() !== '') {
      const last = line.at(-1) ?? '';
      const isClosing = token === '}' || token === ']';
      if (isClosing) depth -= 1;
      const stays = isClosing ? '{['.includes(last) : !'{[,'.includes(last);
      if (stays && last !== '') line += token === ':' ? ': ' : token;
      else {
        if (last !== '') lines.push(line);
        offsets.push(at);
        line = ' '.repeat(depth) + token;
      }
      if (token === '{' || token === '[') depth += 1;
    }
    at += token.length;
  }
  return { text: `${[...lines, line].join('\n')}\n`, offsets };
}

/** A string with its quotes, or one character. The text is valid JSON. */
function tokenAt(text: string, from: number): string {
  if (text[from] !== '"') return text[from] ?? '';
  let to = from + 1;
  while (to < text.length && text[to] !== '"') to += text[to] === '\\' ? 2 : 1;
  return text.slice(from, to + 1);
}
