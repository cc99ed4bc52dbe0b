import { quotedEnd } from './json.ts';

/** What a token of a JSON text is: a mark, a text, or another single value. */
type JsonToken = '{' | '}' | '[' | ']' | ',' | ':' | 'string' | 'other' | 'end';

const QUOTE = 0x22;
/** Up to what can stand after a number or a word. */
const OTHER = /[^\s{}[\]",:]+/y;
const MARKS: Readonly<Record<number, JsonToken>> = {
  123: '{',
  125: '}',
  91: '[',
  93: ']',
  44: ',',
  58: ':',
};

/**
 * The tokens of a text that JSON.parse accepts, from the first to the last. Nothing is copied, so a pass costs no more than
 * its text is long, whatever is in it. It nests nothing, and never throws; of another text it makes some tokens, too.
 */
export class JsonTokens {
  readonly text: string;
  /** Of the token in the text, UTF-16 units. */
  offset = 0;
  /** Behind its last character. */
  end = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Goes on to the next token; at the end of the text it stays there. */
  next(): JsonToken {
    const { text } = this;
    let at = this.end;
    let code = text.charCodeAt(at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      at += 1;
      code = text.charCodeAt(at);
    }
    this.offset = at;
    const mark = MARKS[code];
    if (mark !== undefined) return this.#take(mark, at + 1);
    if (code === QUOTE) return this.#take('string', Math.min(quotedEnd(text, at) + 1, text.length));
    if (at >= text.length) return this.#take('end', at);
    OTHER.lastIndex = at;
    return this.#take('other', OTHER.test(text) ? OTHER.lastIndex : at + 1);
  }

  #take(kind: JsonToken, end: number): JsonToken {
    this.end = end;
    return kind;
  }
}
