/** What a token of a JSON text is: a mark, one of the three kinds of single values, or what JSON does not have. */
export type JsonToken = '{' | '}' | '[' | ']' | ',' | ':' | 'string' | 'number' | 'word' | 'comment' | 'end';

/** What is wrong inside one token. */
export type TokenFault =
  | 'unknown_word'
  | 'broken_number'
  | 'open_string'
  | 'control_character'
  | 'unknown_escape'
  | 'broken_unicode_escape'
  | 'comment';

const [QUOTE, BACKSLASH, SLASH, STAR] = [0x22, 0x5c, 0x2f, 0x2a];
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
/** Up to what can stand after a word or a number. */
const WORD = /[^\s{}[\]",:/]+/y;
const HEX_4 = /[\da-fA-F]{4}/y;
const MARKS: Readonly<Record<number, JsonToken>> = {
  123: '{',
  125: '}',
  91: '[',
  93: ']',
  44: ',',
  58: ':',
};

/**
 * The tokens of a text, JSON (RFC 8259) or not, from the first to the last. Each character is looked at once and nothing
 * is copied, so a pass costs no more than its text is long, whatever is in it. It nests nothing, and never throws.
 */
export class JsonTokens {
  readonly text: string;
  kind: JsonToken = 'end';
  /** Of the token in the text, UTF-16 units. */
  offset = 0;
  /** Behind its last character. */
  end = 0;
  /** Undefined for a token that JSON has. A broken text ends with its line, so that what follows is read again. */
  fault: TokenFault | undefined;

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
    this.fault = undefined;
    const mark = MARKS[code];
    if (mark !== undefined) return this.#take(mark, at + 1);
    if (code === QUOTE) return this.#string(at + 1);
    if (at >= text.length) return this.#take('end', at);
    if (code === SLASH) return this.#comment(at);
    return code === 0x2d || (code >= 0x30 && code <= 0x39) ? this.#number(at) : this.#word(at);
  }

  #take(kind: JsonToken, end: number, fault?: TokenFault): JsonToken {
    this.kind = kind;
    this.end = end;
    this.fault ??= fault;
    return kind;
  }

  #string(start: number): JsonToken {
    const { text } = this;
    for (let at = start; ; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) return this.#take('string', at + 1);
      if (code === BACKSLASH) at = this.#escape(at);
      // NaN behind the end of the text is no less than 0x20
      else if (code < 0x20 && code !== 0x0a && code !== 0x0d) this.fault ??= 'control_character';
      if (at >= text.length || code === 0x0a || code === 0x0d) {
        this.fault = 'open_string';
        return this.#take('string', Math.min(at, text.length));
      }
    }
  }

  /** The last character of an escape that begins there. */
  #escape(at: number): number {
    const code = this.text.charCodeAt(at + 1);
    if (code === 0x0a || code === 0x0d) return at;
    if (code !== 0x75) {
      if (!/["\\/bfnrt]/.test(this.text.charAt(at + 1))) this.fault ??= 'unknown_escape';
      return at + 1;
    }
    HEX_4.lastIndex = at + 2;
    if (HEX_4.test(this.text)) return at + 5;
    this.fault ??= 'broken_unicode_escape';
    return at + 1;
  }

  #number(at: number): JsonToken {
    NUMBER.lastIndex = at;
    NUMBER.test(this.text);
    const end = Math.max(NUMBER.lastIndex, at);
    const whole = Math.max(wordEnd(this.text, at), at + 1);
    return this.#take('number', Math.max(end, whole), end === whole ? undefined : 'broken_number');
  }

  #word(at: number): JsonToken {
    const end = Math.max(wordEnd(this.text, at), at + 1);
    const isKnown = end - at <= 5 && /^(?:true|false|null)$/.test(this.text.slice(at, end));
    return this.#take('word', end, isKnown ? undefined : 'unknown_word');
  }

  #comment(at: number): JsonToken {
    const next = this.text.charCodeAt(at + 1);
    if (next !== SLASH && next !== STAR) return this.#take('word', at + 1, 'unknown_word');
    const close = this.text.indexOf(next === SLASH ? '\n' : '*/', at + 2);
    const end = close < 0 ? this.text.length : close + (next === SLASH ? 0 : 2);
    return this.#take('comment', end, 'comment');
  }
}

function wordEnd(text: string, at: number): number {
  WORD.lastIndex = at;
  return WORD.test(text) ? WORD.lastIndex : at;
}
