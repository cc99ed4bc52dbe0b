import { Cursor, type Seen, Stopped } from './lenient-cursor.ts';
import { matchEnd, nameAt } from './lenient-tokens.ts';
import type { SyntaxFault } from './syntax-faults.ts';

const KEY_AHEAD = /"(?:[^"\\\n]|\\.)*"[ \t\r\n]*:/y;
const CERTAIN = { isCertain: true };
const GUESSED = { isCertain: false };
export const NOT_JSON: SyntaxFault = { kind: 'not_json', offset: 0, length: 1, edits: [], isCertain: false };

/**
 * Goes through a JSON text (RFC 8259) and past every fault in it, in linear time. With the edits of all faults the text
 * is JSON; JSON has no fault. False when it stopped early: at too many faults, deeper than `depth` levels, or at once,
 * because nothing begins there that can be a document.
 */
export function walkJson(text: string, onFault: (fault: SyntaxFault) => void, depth: number): boolean {
  try {
    if (!beginsDocument(text)) {
      onFault(NOT_JSON);
      return false;
    }
    new Walk(text, onFault, depth).document();
    return true;
  } catch (error) {
    if (error instanceof Stopped) return false;
    throw error;
  }
}

/** Whether the first token, behind comments and blanks of any kind, opens an object or a list. */
function beginsDocument(text: string): boolean {
  const cursor = new Cursor(text, () => {});
  cursor.blanks();
  return cursor.unit === '{' || cursor.unit === '[';
}

class Walk {
  readonly #cursor: Cursor;
  readonly #depth: number;
  /** What is open, `true` for a list. */
  readonly #open: boolean[] = [];
  /** More than a last bracket is missing at the end: the rest of the file may be lost. */
  #isCut = false;

  constructor(text: string, onFault: (fault: SyntaxFault) => void, depth: number) {
    this.#cursor = new Cursor(text, onFault);
    this.#depth = depth;
  }

  document(): void {
    const cursor = this.#cursor;
    cursor.blanks();
    this.#value();
    cursor.blanks();
    while (cursor.unit === '}' || cursor.unit === ']') {
      cursor.drop('bracket_extra', true);
      cursor.blanks();
    }
    if (cursor.unit !== '') cursor.fault('after_end', cursor.at, cursor.text.length - cursor.at, '', GUESSED);
  }

  #value(): void {
    const cursor = this.#cursor;
    if (cursor.unit === '{') this.#inside(false, () => this.#members());
    else if (cursor.unit === '[') this.#inside(true, () => this.#elements());
    else {
      cursor.at = cursor.single();
      cursor.last = cursor.at;
    }
  }

  #inside(isArray: boolean, read: () => void): void {
    const cursor = this.#cursor;
    if (this.#open.length >= this.#depth) throw new Stopped();
    this.#open.push(isArray);
    cursor.at += 1;
    cursor.last = cursor.at;
    read();
    this.#open.pop();
  }

  #members(): void {
    for (const seen = { count: 0, comma: -1 }; this.#nextMember(seen); );
  }

  /** False behind the last one. */
  #nextMember(seen: Seen): boolean {
    const cursor = this.#cursor;
    cursor.blanks();
    const { unit } = cursor;
    if (unit === '}' && this.#isTooEarly()) cursor.drop('bracket_extra', false);
    else if (unit === '' || unit === '}' || unit === ']') return this.#end('}', seen);
    else if (unit === ',' || unit === ';') cursor.comma(seen);
    else if (unit === '{' && this.#open.at(-2) === true) return this.#leave('}', seen);
    else {
      cursor.startNext(seen);
      this.#member();
    }
    return true;
  }

  #member(): void {
    const cursor = this.#cursor;
    cursor.at = this.#key();
    cursor.last = cursor.at;
    cursor.blanks();
    const hasNone = /[,}\]]|^$/.test(cursor.unit);
    if (cursor.unit === ':') cursor.at += 1;
    else if (cursor.unit === '=') cursor.fault('colon_missing', cursor.at++, 1, ':', CERTAIN);
    else cursor.fault('colon_missing', cursor.last, 0, ':', { isCertain: !hasNone });
    cursor.last = Math.max(cursor.last, hasNone ? 0 : cursor.at);
    cursor.blanks();
    if (!/[,}\]]|^$/.test(cursor.unit)) {
      this.#value();
      return;
    }
    cursor.fault('value_missing', cursor.last, 0, ' null', GUESSED);
  }

  /** Behind the key. What cannot be one gets an empty one before it, so that it stays one member. */
  #key(): number {
    const cursor = this.#cursor;
    const { at } = cursor;
    const end = cursor.quoted();
    if (end !== undefined) return end;
    const detail = nameAt(cursor.text, at);
    if (detail === '') cursor.fault('character', at, 0, '""', { isCertain: false, detail: cursor.unit });
    else cursor.fault('key_unquoted', at, detail.length, JSON.stringify(detail), { isCertain: true, detail });
    return at + detail.length;
  }

  #elements(): void {
    for (const seen = { count: 0, comma: -1 }; this.#nextElement(seen); );
  }

  #nextElement(seen: Seen): boolean {
    const cursor = this.#cursor;
    cursor.blanks();
    const { unit } = cursor;
    if (unit === '' || unit === ']' || unit === '}') return this.#end(']', seen);
    if (unit === '"' && this.#open.at(-2) === false && this.#isKeyAt(cursor.at))
      return this.#leave(']', seen);
    if (unit === ',' || unit === ';') cursor.comma(seen);
    else if (unit === ':') cursor.drop('character', false);
    else {
      cursor.startNext(seen);
      this.#value();
    }
    return true;
  }

  #isKeyAt(place: number): boolean {
    return matchEnd(KEY_AHEAD, this.#cursor.text, place) > place;
  }

  /** Whether the document goes on with another member behind this bracket. */
  #isTooEarly(): boolean {
    const cursor = this.#cursor;
    if (this.#open.length > 1) return false;
    const next = cursor.blanksEnd(cursor.at + 1);
    return cursor.text[next] === ',' && this.#isKeyAt(cursor.blanksEnd(next + 1));
  }

  /** At the end of an object or list: its bracket, another one, or none. */
  #end(bracket: '}' | ']', { comma }: Seen): false {
    const cursor = this.#cursor;
    const { unit } = cursor;
    if (comma >= 0)
      cursor.fault('comma_trailing', comma, 1, '', { isCertain: true, detail: unit || 'the end' });
    if (unit === '') {
      this.#missing(bracket, this.#open.length === 1 && !this.#isCut && comma < 0);
      this.#isCut = true;
    } else if (unit !== bracket && this.#closesOuter(unit)) this.#missing(bracket, true);
    else {
      if (unit !== bracket)
        cursor.fault('bracket_wrong', cursor.at, 1, bracket, { isCertain: true, detail: bracket });
      cursor.at += 1;
      cursor.last = cursor.at;
    }
    return false;
  }

  /** Whether this bracket belongs to something further out, and does not stand wrongly for the one that is wanted. */
  #closesOuter(unit: string): boolean {
    const cursor = this.#cursor;
    const outer = this.#open.length < 2 ? -1 : this.#open.lastIndexOf(unit === ']', this.#open.length - 2);
    return outer > 0 || (outer === 0 && cursor.blanksEnd(cursor.at + 1) >= cursor.text.length);
  }

  /** Something begins that belongs further out, with the comma before it. */
  #leave(bracket: '}' | ']', { comma }: Seen): false {
    this.#missing(bracket, true);
    if (comma >= 0) this.#cursor.at = comma;
    return false;
  }

  #missing(bracket: string, isCertain: boolean): void {
    this.#cursor.fault('bracket_missing', this.#cursor.last, 0, bracket, { isCertain, detail: bracket });
  }
}
