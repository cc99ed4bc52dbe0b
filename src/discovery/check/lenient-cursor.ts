import { matchEnd, ODD_QUOTES, readOddQuotes, readText, readWord } from './lenient-tokens.ts';
import type { SyntaxFault, SyntaxKind } from './syntax-faults.ts';

/** Faults that are looked at in one text; behind them nothing is. */
export const MAX_FAULTS = 100_000;

const BLANKS = /[ \t\r\n]*/y;
const ODD_BLANKS = /[\v\f\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]+/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![^\s,;:}\]{["'/#])/y;

/** How many members or elements came, and where the comma after the last one is; -1: there is none. */
export interface Seen {
  count: number;
  comma: number;
}

/** Ends a walk early: there are too many faults, or too many levels. */
export class Stopped extends Error {}

/** A place in a text that goes forward over blanks and single values, and notes what is wrong with them. */
export class Cursor {
  readonly text: string;
  at = 0;
  /** Behind the last value, key or bracket: where a missing comma belongs. */
  last = 0;
  readonly #tell: (fault: SyntaxFault) => void;
  #faults = 0;
  /** Blanks and comments before it have been noted; a cursor that is put back meets them again. */
  #seen = 0;

  constructor(text: string, tell: (fault: SyntaxFault) => void) {
    this.text = text;
    this.#tell = tell;
  }

  get unit(): string {
    return this.text[this.at] ?? '';
  }

  /** Where the next token would begin, `from` being behind another one. */
  blanksEnd(from: number): number {
    return matchEnd(BLANKS, this.text, from);
  }

  /** Over what stands between two tokens. */
  blanks(): void {
    for (;;) {
      this.at = this.blanksEnd(this.at);
      const { unit } = this;
      const odd = matchEnd(ODD_BLANKS, this.text, this.at);
      if (odd > this.at) this.#pass('blank', odd, { offset: this.at, length: odd - this.at, text: ' ' });
      else if (unit === '#' || (unit === '/' && /[/*]/.test(this.text[this.at + 1] ?? ''))) this.#comment();
      else return;
    }
  }

  /** Behind the text, number or word that begins here. */
  single(): number {
    const number = matchEnd(NUMBER, this.text, this.at);
    if (number > this.at) return number;
    return this.quoted() ?? readWord(this.text, this.at, this.note);
  }

  /** Behind the text in quotes that begins here; undefined when none does. */
  quoted(): number | undefined {
    if (this.unit === '"') return readText(this.text, this.at, this.note);
    return Object.hasOwn(ODD_QUOTES, this.unit) ? readOddQuotes(this.text, this.at, this.note) : undefined;
  }

  /** Before another member or element: there must be a comma. */
  startNext(seen: Seen): void {
    if (seen.count > 0 && seen.comma < 0) this.fault('comma_missing', this.last, 0, ',', { isCertain: true });
    seen.comma = -1;
    seen.count += 1;
  }

  /** Over a comma, or what stands for one; one too many is left out. */
  comma(seen: Seen): void {
    if (seen.count === 0 || seen.comma >= 0) {
      this.drop('comma_extra', true);
      return;
    }
    if (this.unit === ';') this.fault('comma_missing', this.at, 1, ',', { isCertain: true });
    seen.comma = this.at;
    this.at += 1;
  }

  /** Leaves one character out. */
  drop(kind: SyntaxKind, isCertain: boolean): void {
    const length = (this.text.codePointAt(this.at) ?? 0) > 0xffff ? 2 : 1;
    const detail = this.text.slice(this.at, this.at + length);
    this.fault(kind, this.at, length, '', { isCertain, detail });
    this.at += length;
  }

  fault(
    kind: SyntaxKind,
    offset: number,
    length: number,
    text: string,
    more: Pick<SyntaxFault, 'isCertain' | 'detail'>,
  ): void {
    this.note({ kind, offset, length, edits: [{ offset, length, text }], ...more });
  }

  readonly note = (fault: SyntaxFault): void => {
    this.#faults += 1;
    if (this.#faults > MAX_FAULTS) throw new Stopped();
    this.#tell(fault);
  };

  #comment(): void {
    const { text, at: start } = this;
    const isBlock = text.startsWith('/*', start);
    const found = text.indexOf(isBlock ? '*/' : '\n', start + (isBlock ? 2 : 0));
    const lineEnd = text[found - 1] === '\r' ? found - 1 : found;
    const end = found < 0 ? text.length : isBlock ? found + 2 : lineEnd;
    this.#pass('comment', end, this.#cut(start, end));
  }

  /** A comment with the blanks before it, and with its line when it has one of its own. */
  #cut(start: number, end: number): { offset: number; length: number; text: string } {
    const { text } = this;
    const least = Math.max(this.last, this.#seen);
    let from = start;
    while (from > least && (text[from - 1] === ' ' || text[from - 1] === '\t')) from -= 1;
    const lineEnd = /^\r?\n/.exec(text.slice(end, end + 2))?.[0].length ?? 0;
    const isOwnLine = lineEnd > 0 && (from === 0 || text[from - 1] === '\n');
    return { offset: from, length: end + (isOwnLine ? lineEnd : 0) - from, text: '' };
  }

  #pass(kind: SyntaxKind, end: number, edit: { offset: number; length: number; text: string }): void {
    const start = this.at;
    this.at = end;
    if (start < this.#seen) return;
    this.#seen = Math.max(end, edit.offset + edit.length);
    this.note({ kind, offset: start, length: end - start, edits: [edit], isCertain: true });
  }
}
