import type { SyntaxFault, SyntaxKind } from './syntax-faults.ts';

type Note = (fault: SyntaxFault) => void;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const LINE_BLANKS = /[ \t]*/y;
const ENDS_TEXT = new Set(['', '\n', '\r', ',', ':', '}', ']', '{', '[', '"', "'", '/', '#', '=', ';']);
const ENDS_VALUE = new Set(['', '\n', '\r', ',', ':', '}', ']']);
const NAME = /[\p{L}\p{N}_$.@-]+/uy;
const RUN = /[^,\]}\n\r]*/y;
const OTHER_WORDS: Readonly<Record<string, string>> = {
  True: 'true',
  TRUE: 'true',
  False: 'false',
  FALSE: 'false',
  None: 'null',
  NULL: 'null',
  Null: 'null',
};
/** What other languages have for no value. */
const NO_VALUE = /^(?:undefined|NaN|[-+]?Infinity)$/;
const NEXT_MEMBER = /\r?\n\s{0,200}(?:"[^"\n]{0,200}"\s{0,20}:|[}\]{[])/y;
/** Opening quote to closing quote, of those that JSON does not know. */
export const ODD_QUOTES: Readonly<Record<string, string>> = {
  "'": "'",
  '`': '`',
  '“': '”',
  '”': '”',
  '‘': '’',
};

/** A text in double quotes. What is wrong inside it is noted. */
export function readText(text: string, start: number, note: Note): number {
  let inner = 0;
  let least = start + 1;
  const fault = (kind: SyntaxKind, offset: number, length: number, put: string, isCertain = true): void => {
    least = offset + 1;
    note({ kind, offset, length: Math.max(length, 1), edits: [{ offset, length, text: put }], isCertain });
  };
  let at = start + 1;
  for (;;) {
    at = matchEnd(PLAIN, text, at);
    const unit = text[at];
    if (unit === '"') {
      if (!isInnerQuote(text, at, inner)) break;
      inner += 1;
      fault('quote_unescaped', at, 1, '\\"');
      at += 1;
    } else if (unit === '\\') {
      const length = escapeLength(text, at);
      if (length === 0) fault('escape', at, 1, text[at + 1] === "'" ? '' : '\\\\', text[at + 1] === "'");
      at += length || 1;
    } else if (unit === undefined || (/[\r\n]/.test(unit) && isLeftOpen(text, at))) {
      at = openEnd(text, least, at);
      fault('text_open', at, 0, '"', false);
      return at;
    } else {
      fault('control_character', at, 1, JSON.stringify(unit).slice(1, -1));
      at += 1;
    }
  }
  return at + 1;
}

/** A text in quotes of another kind; it ends at the first closing quote that something like JSON follows. */
export function readOddQuotes(text: string, start: number, note: Note): number {
  const close = ODD_QUOTES[text[start] ?? ''] ?? '"';
  let at = start + 1;
  for (; at < text.length && text[at] !== '\n'; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === close && ENDS_TEXT.has(text[matchEnd(LINE_BLANKS, text, at + 1)] ?? '')) break;
  }
  const end = Math.min(at + (text[at] === close ? 1 : 0), text.length);
  const value = text.slice(start + 1, Math.max(start + 1, end - 1)).replace(/\\(['"`\\])/g, '$1');
  const edits = [{ offset: start, length: end - start, text: JSON.stringify(value.toWellFormed()) }];
  note({ kind: 'quotes', offset: start, length: end - start, edits, isCertain: text[at] === close });
  return end;
}

/** A name without quotes; empty when none stands there. */
export function nameAt(text: string, start: number): string {
  return text.slice(start, matchEnd(NAME, text, start));
}

/** A word that JSON has or another language has; anything else counts as a text that lacks its quotes. */
export function readWord(text: string, start: number, note: Note): number {
  const word = nameAt(text, start);
  const end = start + word.length;
  if (/^(?:true|false|null)$/.test(word)) return end;
  const right = Object.hasOwn(OTHER_WORDS, word) ? OTHER_WORDS[word] : undefined;
  const fault = (kind: SyntaxKind, length: number, put: string, isCertain: boolean): void =>
    note({
      kind,
      offset: start,
      length,
      edits: [{ offset: start, length, text: put }],
      isCertain,
      detail: put,
    });
  if (right !== undefined) {
    fault('word', word.length, right, true);
    return end;
  }
  const run =
    text.slice(start, Math.max(matchEnd(RUN, text, start), start + 1)).trimEnd() || text.charAt(start);
  if (NO_VALUE.test(run)) {
    const edits = [{ offset: start, length: run.length, text: JSON.stringify(run) }];
    note({ kind: 'no_value', offset: start, length: run.length, edits, isCertain: false, detail: run });
    return start + run.length;
  }
  const kind = /^[-+.\d]/.test(run) ? 'number' : 'text_unquoted';
  fault(kind, run.length, JSON.stringify(run.toWellFormed()), false);
  return start + run.length;
}

/** Where a sticky expression that always matches ends. */
export function matchEnd(expression: RegExp, text: string, from: number): number {
  expression.lastIndex = from;
  expression.test(text);
  return Math.max(expression.lastIndex, from);
}

/** A quote in the middle of words, as in `"all "display" ads"`. After a closing quote JSON has no word. */
function isInnerQuote(text: string, at: number, inner: number): boolean {
  const next = text[at + 1] ?? '';
  const opens = inner % 2 === 0 && /[\p{L}\p{N}]/u.test(next);
  const behind = (from: number): string => text[matchEnd(LINE_BLANKS, text, from)] ?? '';
  // of two quotes before the end of a value, the second one closes the text
  const isFirstOfTwo = next === '"' && ENDS_VALUE.has(behind(at + 2));
  const closes = inner % 2 === 1 && (isFirstOfTwo || !ENDS_TEXT.has(behind(at + 1)));
  if (!opens && !closes) return false;
  const later = text.indexOf('"', at + 1); // where the text is read on, so nothing is looked at twice
  return later > 0 && !text.slice(at, later).includes('\n');
}

/** The length of a good escape, 0 for another. */
function escapeLength(text: string, at: number): number {
  const next = text[at + 1] ?? '';
  if (next === 'u') return /^[0-9a-f]{4}$/i.test(text.slice(at + 2, at + 6)) ? 6 : 0;
  return '"\\/bfnrt'.includes(next) && next !== '' ? 2 : 0;
}

/** Whether the closing quote is missing: the next line goes on with a member, or closes something. */
function isLeftOpen(text: string, at: number): boolean {
  NEXT_MEMBER.lastIndex = at;
  return NEXT_MEMBER.test(text);
}

/** Behind the words of a text without a closing quote; a comma at the end of its line is no part of it. */
function openEnd(text: string, least: number, at: number): number {
  let end = at;
  while (end > least && /[\s,]/.test(text[end - 1] ?? '')) end -= 1;
  return end;
}
